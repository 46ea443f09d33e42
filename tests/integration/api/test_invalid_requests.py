"""What a request gets wrong is told in plain English: which field, and what is wrong with it."""

from typing import Any

import pytest

from support.servers.serving import Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "errors of requests in plain English")

ITEMS = "/api/v1/items"
NO_JSON = "The body must be JSON, with Content-Type: application/json."
JSON = {"Content-Type": "application/json"}


async def say(person: Person, method: str, path: str, body: Any = None, data: Any = None, **headers: str) -> str:
    answer = await person.call(method, path, body, data, **headers)
    assert (answer.status, answer.error_code) == (400, "E_INVALID_REQUEST"), answer.body
    return str(answer.json["error"]["message"])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "url: is missing."),
        ({"url": 1}, "url: must be text."),
        ({"url": "a.example", "tags": ["news"] * 201}, "tags: must have at most 200 entries."),
        ({"url": "a.example", "tags": "news"}, "tags: must be a list."),
        ({"url": "a.example", "tags": ["a", 1]}, "tags[1]: must be text."),
        ({"url": "a.example", "wait": "yes"}, "wait: must be true or false."),
        ({"url": "a.example", "library_id": "mine"}, "library_id: is not a valid id."),
        ({"url": "a.example", "titel": "T"}, "titel: there is no such field."),
        ({"url": "a.example", "note": "\0"}, "note: must not contain NUL characters."),
        ({"tags": 1, "wait": 1}, "url: is missing; tags: must be a list; wait: must be true or false."),
        ([], "The body must be a JSON object."),
        ("a.example", "The body must be a JSON object."),
    ],
)
async def test_a_wrong_field_of_a_body_is_named(reader: Person, body: Any, message: str) -> None:
    assert await say(reader, "POST", ITEMS, body) == message


@pytest.mark.parametrize(
    ("data", "headers", "message"),
    [
        (b'{"url": ', JSON, "The body is not valid JSON: there is an error at character 9."),
        (b"not json", JSON, "The body is not valid JSON: there is an error at character 1."),
        (b'{"url": "a.example"}', {"Content-Type": "text/plain"}, NO_JSON),
        (b'{"url": "a.example"}', {"Content-Type": "application/x-www-form-urlencoded"}, NO_JSON),  # as curl sends it
        (b"\xff\xfe\xfa", JSON, "The body of the request can't be read."),
        (b"", JSON, "The body must be a JSON object."),
    ],
)
async def test_a_body_that_is_no_json_is_told_so(reader: Person, data: bytes, headers: Any, message: str) -> None:
    assert await say(reader, "POST", ITEMS, data=data, **headers) == message


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (f"{ITEMS}?limit=0", "limit: must be 1 or more."),
        (f"{ITEMS}?limit=many", "limit: must be a whole number."),
        (f"{ITEMS}?nothing=1", "nothing: there is no such field."),
        (f"{ITEMS}?added_after=yesterday", "added_after: write it as 2026-01-31T12:00:00Z."),
        (f"{ITEMS}?added_after=2026-01-31T12:00:00", "added_after: must have a time zone, as in 2026-01-31T12:00:00Z."),
        (f"{ITEMS}?is_unread=perhaps", "is_unread: must be true or false."),
        (f"{ITEMS}/mine", "item_id: is not a valid id."),
        (
            "/api/v1/export?format=pdf",
            "format: must be 'json', 'html', 'csv', 'epub', 'folder', 'highlights-markdown', 'highlights-csv' or "
            "'highlights-json'.",
        ),
    ],
)
async def test_a_wrong_part_of_a_url_is_named(reader: Person, path: str, message: str) -> None:
    assert await say(reader, "GET", path) == message


async def test_a_callers_own_name_of_a_field_is_shortened_and_made_printable(reader: Person) -> None:
    said = await say(reader, "POST", ITEMS, {"url": "a.example", "x" * 100_000: 1})
    assert said == f"{'x' * 60}…: there is no such field."
    for odd in (b'{"url": "a.example", "\\ud800": 1}', b'{"url": "a.example", "a\\u0000\\n\\u202eb": 1}'):
        said = await say(reader, "POST", ITEMS, data=odd, **JSON)
        assert said.removesuffix(".").isprintable()
    many = {"url": "a.example", **{f"field{number}": 1 for number in range(10_000)}}
    assert (await say(reader, "POST", ITEMS, many)).count(";") == 4


async def test_what_is_not_there_is_told_in_our_words(running: RunningKept) -> None:
    answer = await running.nobody.get("/api/v1/nothing")
    assert answer.json["error"]["message"] == "This doesn't exist, or you don't have access to it."


async def test_a_page_names_the_field_too(reader: Person) -> None:
    answer = await reader.get(f"/?cursor={'x' * 300}", Accept="text/html")
    assert answer.status == 400
    assert "cursor: must have at most 200 characters." in answer.body.decode()
