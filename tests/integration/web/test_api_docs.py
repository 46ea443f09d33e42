"""The page about the API: every operation is on it, for everybody, and nothing on it comes from elsewhere."""

import re
from urllib.parse import urlsplit

import pytest

from support.servers.serving import Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "the API's documentation page loads nothing from elsewhere")


async def test_every_operation_of_the_document_has_its_form(running: RunningKept) -> None:
    page = (await running.nobody.get("/api/docs")).body.decode()
    document = (await running.nobody.get("/api/v1/openapi.json")).json
    documented = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    shown = set(re.findall(r'data-method="(\w+)" data-path="([^"]+)"', page))
    assert shown == documented
    assert len(shown) > 40


async def test_it_is_open_to_everybody_and_says_who_asks(running: RunningKept, reader: Person) -> None:
    nobody, ann = await running.nobody.get("/api/docs"), await reader.get("/api/docs")
    assert (nobody.status, ann.status) == (200, 200)
    assert "You are not signed in." in nobody.body.decode()
    assert "Requests are sent as ann" in ann.body.decode()


async def test_nothing_on_it_comes_from_another_host(running: RunningKept) -> None:
    page = (await running.nobody.get("/api/docs")).body.decode()
    loaded = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert loaded
    assert not [url for url in loaded if urlsplit(url).netloc]
    assert not re.search(r"<(style|script)>| style=| on\w+=", page), "the content security policy would refuse it"


async def test_a_body_begins_with_what_is_required_and_no_more(running: RunningKept) -> None:
    page = (await running.nobody.get("/api/docs")).body.decode()
    bodies = re.findall(r'<textarea data-place="body"[^>]*>([^<]*)</textarea>', page)
    assert "{\n  &#34;url&#34;: &#34;&#34;\n}" in bodies
    assert "{}" in bodies, "a change begins with nothing: what is null would be emptied"
