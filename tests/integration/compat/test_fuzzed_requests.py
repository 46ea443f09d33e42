"""Whatever is sent to other programs' APIs, the answer is never an error of the server's."""

import json
import random
from typing import Any
from urllib.parse import quote

import pytest

from kept.api.access import api_routes
from support.servers.origin import Origin
from support.servers.readeck import keep
from support.servers.serving import Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "other programs' APIs show nothing of others and never answer 500")

PREFIXES = ("/opds", "/readeck", "/linked-images", "/mcp")
ODD = [
    "",
    "\x00",
    "0",
    "-1",
    "99999999999999999999",
    "null",
    "[]",
    "true",
    "'",
    '"',
    "%",
    "\ud7ff",
    "夜" * 50,
    "a/b",
    "..",
    "x" * 3000,
]
NAMES = [
    "id",
    "limit",
    "offset",
    "sort",
    "search",
    "labels",
    "since",
    "updated_since",
    "is_archived",
    "q",
    "cursor",
    "type",
]
FIELDS = [
    "url",
    "title",
    "html",
    "labels",
    "add_labels",
    "read_progress",
    "is_deleted",
    "start_selector",
    "start_offset",
]
FIELDS += [
    "end_selector",
    "end_offset",
    "note",
    "color",
    "client_id",
    "redirect_uris",
    "grant_type",
    "code",
    "id",
    "scope",
]
VALUES: list[Any] = [
    None,
    True,
    -1,
    0.5,
    10**30,
    "",
    "\x00",
    "x" * 5000,
    "section/p",
    [],
    ["\x00"],
    [1, None],
    {},
    {"a": []},
]


async def test_no_request_makes_the_server_fail(saving: RunningKept, ann: Person, origin: Origin) -> None:
    key, chance = await keep(saving, ann, origin, "/a"), random.Random(21)
    routes = [(str(route.path), sorted(route.methods or ())) for route in api_routes(saving.app)]
    ours = [found for found in routes if found[0].startswith(PREFIXES) and "revoke" not in found[0]] + [
        ("/mcp", ["POST"])
    ]
    for number in range(400):
        path, methods = chance.choice(ours)
        asked = fill(path, key, chance)
        query = "&".join(f"{name}={quote(chance.choice(ODD))}" for name in chance.sample(NAMES, 3))
        body = {name: chance.choice(VALUES) for name in chance.sample(FIELDS, 6)}
        data = chance.choice([json.dumps(body), json.dumps([body]), "{", "\x00", "a=b&a=%00", ""]).encode(
            "utf-8", "replace"
        )
        kind = chance.choice(
            ["application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "x"]
        )
        method = chance.choice(methods)
        sent = data if method not in {"GET", "DELETE"} else None
        answer = await ann.call(method, f"{asked}?{query}", None, sent, **{"Content-Type": kind})
        assert answer.status < 500, (number, method, asked, query, data, answer.body)


def fill(path: str, key: str, chance: random.Random) -> str:
    while "{" in path:
        start, end = path.index("{"), path.index("}")
        path = path[:start] + quote(chance.choice([key, key, *ODD[:8]]), safe="") + path[end + 1 :]
    return path
