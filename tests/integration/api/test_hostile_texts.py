"""Names, tags, notes and queries made to be slow: nobody else waits while they are read or refused."""

from typing import Any
from urllib.parse import quote

import aiohttp
import pytest

from kept.domain.item import MAX_NOTE
from support.fixtures.pauses import measure_pauses
from support.servers.origin import Origin, article
from support.servers.serving import Answer, Person, RunningKept

pytestmark = pytest.mark.requirement("000", "FR-002", "FR-019", "US3", "SC-003")

# Bound against a hang: any of these took 8 to 100 s.
PAUSE_SECONDS = 1.0
MARKS = "a" + "\u0301\u0323" * 120_000
"""240,000 characters, 480 kB."""
TEXTS = {
    "marks": MARKS,
    "marks that are some only in compatible forms": "a" + "\uff9e\u0323" * 80_000,
    "letters that become many": "\ufdfa" * 100_000,
    "white space": "a" + " " * 240_000 + "b",
    "entities": "&#" * 120_000,
}
EVERY_TEXT = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
# The slowest by default, the others in ./test --long.
WORST_TEXT = pytest.mark.parametrize(
    "text",
    [MARKS, *(pytest.param(text, marks=pytest.mark.long) for text in TEXTS.values() if text != MARKS)],
    ids=TEXTS,
)


async def send_form(person: Person, path: str, **fields: str) -> Answer:
    """As multipart, which can carry more than an encoded form."""
    form = aiohttp.FormData(fields, default_to_multipart=True)
    return await person.send(path, form, Origin=person.address)


@WORST_TEXT
@pytest.mark.parametrize("path", ["/sign-in", "/setup"])
async def test_a_strangers_form_holds_up_nobody(saving: RunningKept, path: str, text: str) -> None:
    usual = {"name": "ann", "password": "p" * 20, "token": "x", "next": "/"}
    async with measure_pauses() as pauses:
        answers = [await send_form(saving.nobody, path, **{**usual, field: text}) for field in usual]
    assert {answer.status for answer in answers} <= {400, 401, 403, 429}
    assert pauses.longest_seconds < PAUSE_SECONDS


@WORST_TEXT
@pytest.mark.parametrize("path", ["/api/v1/session", "/api/v1/setup"])
async def test_a_strangers_json_holds_up_nobody(saving: RunningKept, path: str, text: str) -> None:
    async with measure_pauses() as pauses:
        answer = await saving.nobody.post(path, {"name": text, "password": "p" * 20, "token": "x"})
    assert 400 <= answer.status < 500
    assert pauses.longest_seconds < PAUSE_SECONDS


@EVERY_TEXT
async def test_what_people_write_of_an_item_holds_up_nobody(
    saving: RunningKept, ann: Person, origin: Origin, text: str
) -> None:
    url = origin.page("/a", article())
    note = text[:MAX_NOTE]
    sent: tuple[dict[str, Any], ...] = (
        {"url": text},
        {"url": url, "tags": [text]},
        {"url": url, "tags": text[:20_000].split(text[1])[:200]},
        {"url": url, "title": text},
        {"url": url, "excerpt": text},
        {"url": url, "note": text},
        {"url": url, "note": note},
    )
    async with measure_pauses() as pauses:
        answers = [await ann.post("/api/v1/items", body) for body in sent]
        item_id = answers[-1].data["id"]
        answers.append(await ann.patch(f"/api/v1/items/{item_id}", {"tags": [text], "title": text[:500]}))
        answers.append(await ann.patch(f"/api/v1/items/{item_id}", {"title": text[:500], "note": note}))
        answers.append(await ann.post("/api/v1/libraries", {"name": text}))
        answers.append(await ann.post("/api/v1/tokens", {"name": text, "scopes": ["read"]}))
        answers.append(await send_form(ann, "/add", url=url, title=text, note=note, tags=text))
    assert [answer.status for answer in answers if answer.status >= 500] == []
    assert answers[len(sent) - 1].data["note"] == note.strip()
    assert pauses.longest_seconds < PAUSE_SECONDS


@EVERY_TEXT
async def test_a_query_holds_up_nobody(saving: RunningKept, ann: Person, text: str) -> None:
    short = quote(text[:5_000])
    async with measure_pauses() as pauses:
        found = await ann.get(f"/api/v1/search?q={short}")
        listed = await ann.get(f"/api/v1/items?tag={short}")
    assert {found.status, listed.status} <= {200, 400, 422}
    assert pauses.longest_seconds < PAUSE_SECONDS
