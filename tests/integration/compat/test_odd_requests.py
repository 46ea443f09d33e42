"""Whatever is sent to other programs' APIs: an answer in their form, never a crash, never a redirect."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kept.api.access import api_routes
from kept.asgi import create_app
from kept.config import Settings
from support.builders.articles import ingest
from support.hostile.fuzzing import ODD_TEXTS
from support.servers.serving import Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "other programs' APIs show nothing of others and never answer 500")

LONGEST_HEAD = 60_000
ROUTES = sorted(
    (method, route.path or "")
    for route in api_routes(create_app(Settings()))
    if (route.path or "").startswith(("/wallabag/api", "/linkding/api", "/wallabag/oauth"))
    for method in route.methods or ()
)
NAMES = (
    *("url", "title", "content", "tags", "archive", "starred", "since", "page", "perPage", "sort", "order", "detail"),
    *("hashed_url", "hashed_urls[]", "urls[]", "return_id", "quote", "text", "ranges", "domain_name", "term", "expect"),
    *("q", "limit", "offset", "unread", "is_archived", "tag_names", "name", "modified_since", "added_since"),
    *("grant_type", "password", "refresh_token", "description", "notes", "bundle", "tag"),
)
ODD = st.one_of(
    st.sampled_from(ODD_TEXTS),
    st.sampled_from(["password", "refresh_token", "title_asc", "https://odd.example/", "a,,b", "#", "!untagged", "(("]),
    st.text(max_size=20),
)
VALUE = st.one_of(
    ODD,
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.lists(ODD, max_size=3),
    st.lists(st.dictionaries(st.sampled_from(["start", "end", "startOffset", "endOffset"]), ODD), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)
REQUEST = st.tuples(
    st.sampled_from(ROUTES),
    st.sampled_from(["1", "2", "3", "4", "5", "0", "2147483647", "2147483648", "9" * 30]),
    st.dictionaries(st.sampled_from(NAMES), ODD, max_size=3),
    st.one_of(st.none(), st.dictionaries(st.sampled_from(NAMES), VALUE, max_size=4), st.binary(max_size=20)),
    st.sampled_from(["application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]),
)


@pytest.fixture
async def held(saving: RunningKept, ann: Person) -> Person:
    """Something for numbers to lead to."""
    await ann.post("/wallabag/api/entries", {"url": "https://example.org/a", "tags": "t"})
    [item] = (await ann.get("/api/v1/items")).json["data"]
    ingest(saving.kept.database, item["media_id"], "<p>Text of the page.</p>")
    return ann


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sent=REQUEST)
async def test_nothing_that_is_sent_is_more_than_a_refusal(held: Person, sent: Any) -> None:
    (method, path), number, query, body, kind = sent
    for name in ("{number:int}", "{tag:int}"):
        path = path.replace(name, number)
    path = path.replace("{extension}", "json").replace("{path:path}", "x/y")
    data = json.dumps(body).encode() if isinstance(body, dict) else body
    answer = await held.call(method, path_with(path, query), data=data, **({"Content-Type": kind} if kind else {}))
    assert answer.status < 500, answer.body
    assert answer.status not in {301, 302, 303, 307, 308}
    is_whole = len(path_with(path, query)) < LONGEST_HEAD  # what is longer reaches no route
    if answer.status >= 400 and method != "HEAD" and is_whole:
        assert answer.headers["Content-Type"] == "application/json"
        assert answer.json


def path_with(path: str, query: dict[str, str]) -> str:
    return f"{path}?{urlencode(query, errors='replace')}" if query else path
