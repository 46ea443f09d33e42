"""Search in a library too large to be gone through: found as in a small one, newest first, no further than needed."""

from collections.abc import Iterator
from itertools import product

import pytest

from kept.clock import utc_now
from kept.domain.item import Card
from kept.domain.library import ALL_LIBRARIES
from kept.domain.paging import PageRequest
from kept.services.items.search import search_items
from kept.services.libraries.libraries import create_library
from kept.storage.search import find as search
from kept.storage.search import postgresql as search_postgresql
from kept.storage.search import scope as search_scope
from kept.storage.search.fields import WordIndex
from support.builders.libraries import Owner

pytestmark = pytest.mark.requirement("Kept", "a large library finds what a small one does")

QUERIES = (
    "storm ",
    "sto",
    "storm boats ",
    "harbour quay ",
    "quay storm ",
    '"along the harbour"',
    '"the along harbour"',
    'boats "the harbour" ',
    "storm -boats ",
    'storm -"the boats" ',
    "tag:sea storm ",
    "tag:sea tag:land storm ",
    "-tag:sea storm ",
    'tag:sea "the storm"',
    "site:example.org storm ",
    "-site:example.net storm ",
    "is:unread storm ",
    "is:read storm ",
    "after:2020 storm ",
    "before:2020 storm ",
    "東京",
    "東京都の天気は晴れ時々曇りでした",
    "東",
    "nowhere ",
)


@pytest.fixture(autouse=True)
def forget_statements() -> Iterator[None]:
    """Statements are made once, with the figures that these tests change."""
    search.make_plain_statement.cache_clear()
    yield
    search.make_plain_statement.cache_clear()


def make_large(monkeypatch: pytest.MonkeyPatch, newest: int = 2, *, is_frequent: bool = True, few: int = 0) -> None:
    """So many items are few; all but the newest rows are old; and whatever is asked for is frequent, or is not."""
    search.make_plain_statement.cache_clear()
    monkeypatch.setattr(search_scope, "FEW", few)
    monkeypatch.setattr(search_scope, "FEW_BY_ROOT", 0)
    monkeypatch.setattr(search_postgresql, "NEWEST", dict.fromkeys(WordIndex, newest))
    monkeypatch.setattr(search_postgresql, "FREQUENT", dict.fromkeys(WordIndex, 0 if is_frequent else 2))
    monkeypatch.setattr(search_postgresql, "FREQUENT_AMONG", 0 if is_frequent else 2)


async def keep_storms(owner: Owner, count: int) -> list[Card]:
    return [await owner.keep(f"https://example.org/{at}", None, "The storm.") for at in range(count)]


async def test_whatever_is_asked_a_large_library_finds_what_a_small_one_does(
    owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    await owner.keep("https://example.org/1", "Calm", "Along the harbour, before the storm, the boats.", tags=["sea"])
    await owner.keep("https://example.org/2", "Storm", "The harbour along the quay.", tags=["sea", "land"])
    await owner.save("https://example.net/3", title="The storm", note="Boats at the quay", tags=["sea"])
    await owner.keep("https://example.net/4", "Boats", "Boats and boats in the storm.")
    await owner.keep("https://example.org/5", "天気", "東京都の天気は晴れ時々曇りでした。", tags=["land"])
    await owner.keep("https://example.org/6", "Storms", "No storm along the harbour. The boats lay still.")
    small = {query: await owner.found(query) for query in QUERIES}
    for few, is_frequent in product((0, 4, 10), (True, False)):
        make_large(monkeypatch, few=few, is_frequent=is_frequent)
        assert {query: await owner.found(query) for query in QUERIES} == small, (few, is_frequent)
    assert sum(map(bool, small.values())) > len(QUERIES) / 2, "most of them must find something"


@pytest.mark.parametrize("query", ["storm ", '"the storm"', "stor"])
@pytest.mark.parametrize("newest", [0, 1, 2, 9], ids=lambda rows: f"{rows} new rows")
@pytest.mark.parametrize("is_frequent", [True, False])
async def test_of_too_many_the_newest_are_found(
    owner: Owner, monkeypatch: pytest.MonkeyPatch, query: str, newest: int, *, is_frequent: bool
) -> None:
    kept = await keep_storms(owner, 5)
    make_large(monkeypatch, newest, is_frequent=is_frequent)
    monkeypatch.setattr(search, "MOST_RANKED", 3)
    assert await owner.found(query) == [one.item.id for one in reversed(kept[2:])]


@pytest.mark.parametrize("few", [0, 100])
async def test_a_long_phrase_is_found_in_full_only(owner: Owner, monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    make_large(monkeypatch, few=few)
    kept = await owner.keep("https://example.org/1", "Along the harbour in the morning", "Boats.")
    await owner.keep("https://example.org/2", "Along the harbour", "In the morning.")
    assert await owner.found('"along the harbour in the morning"') == [kept.item.id]


@pytest.mark.parametrize("query", ["harbour storm ", "tag:sea storm "])
@pytest.mark.parametrize("few", [0, 100])
async def test_pages_that_several_libraries_hold_do_not_crowd_out_others(
    owner: Owner, monkeypatch: pytest.MonkeyPatch, query: str, few: int
) -> None:
    monkeypatch.setattr(search, "MOST_RANKED", 16)
    make_large(monkeypatch, few=few)
    team = await owner.database.write(create_library, owner.viewer, name="team", now=utc_now())
    for at in range(6):
        card = await owner.save(f"https://example.org/{at}", note="harbour", tags=["sea"])
        await owner.save(f"https://example.org/{at}", note="harbour", tags=["sea"], library_id=team.id)
        owner.fill(card, "Storm")
    found = await owner.database.read(search_items, owner.viewer, ALL_LIBRARIES, query, PageRequest())
    assert len({result.card.media.id for result in found.results}) == 6
