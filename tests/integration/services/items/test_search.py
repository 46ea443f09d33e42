"""Search on both databases: the query language, other scripts, ranking, snippets."""

import pytest

from kept.clock import utc_now
from kept.domain.errors import InvalidRequest
from kept.domain.failures import FailureCode
from kept.domain.item import Card
from kept.domain.paging import PageRequest
from kept.services.items.search import search_items
from kept.storage.search import scope
from support.builders.articles import fail
from support.builders.libraries import Owner

pytestmark = pytest.mark.requirement(
    "Kept", "search: query language, scripts, accents, phrases, ranking, snippets, on both databases"
)

HARBOUR = "Nobody who walked along the harbour that morning thought of the storm to come.\nThe boats lay still."
BREAD = "A good sourdough needs time.\nKneading bread by hand takes ten minutes and a little patience."


async def test_words_are_found_in_the_article_and_all_of_them_must_be_there(owner: Owner) -> None:
    harbour = await owner.keep("https://example.org/harbour", "Calm before", HARBOUR)
    bread = await owner.keep("https://example.org/bread", "On baking", BREAD)
    assert await owner.found("storm morning") == [harbour.item.id]
    assert await owner.found("sourdough patience") == [bread.item.id]
    assert await owner.found("sourdough harbour ") == []
    assert await owner.found("nothing-of-the-sort ") == []


@pytest.mark.parametrize(
    "query", ["harbour", "HARBOUR", "harb", "calm storm", "baltic", "example.net", "lighthouse", "quay", "dock"]
)
async def test_title_site_address_note_tag_and_text_are_all_found(owner: Owner, query: str) -> None:
    kept = await owner.save("https://example.net/lighthouse-keeping", note="Seen from the quay", tags=["dock"])
    owner.fill(kept, "Calm before the storm", site_name="Baltic Times")
    other = await owner.keep("https://example.org/bread", "On baking", BREAD)
    if query.lower().startswith("harb"):
        kept = await owner.keep("https://example.org/harbour", "Boats", HARBOUR)
    assert await owner.found(query) == [kept.item.id]
    assert other.item.id not in await owner.found(query)


async def test_a_phrase_is_found_in_its_order_only(owner: Owner) -> None:
    kept = await owner.keep("https://example.org/harbour", "Calm", HARBOUR)
    assert await owner.found('"along the harbour"') == [kept.item.id]
    assert await owner.found('"harbour the along"') == []
    assert await owner.found('"come the boats') == [kept.item.id], "an open quote is closed at the end"
    assert await owner.found("along-the-harbour") == [kept.item.id], "what hangs together is a phrase"


async def test_a_phrase_does_not_reach_from_the_title_into_the_text(owner: Owner) -> None:
    await owner.keep("https://example.org/harbour", "Calm", "Boats lay still.")
    assert await owner.found('"calm boats"') == []


async def test_what_is_left_out_is_left_out_wherever_it_stands(owner: Owner) -> None:
    text = await owner.keep("https://example.org/1", "Boats", "Boats in the storm.")
    noted = await owner.save("https://example.org/2", note="storm")
    owner.fill(noted, "Boats")
    titled = await owner.keep("https://example.org/3", "Storm", "Boats.")
    calm = await owner.keep("https://example.org/4", "Boats", "Boats on a calm day.")
    assert set(await owner.found("boats ")) == {text.item.id, noted.item.id, titled.item.id, calm.item.id}
    assert await owner.found("boats -storm") == [calm.item.id]
    assert await owner.found("-storm") == [calm.item.id]
    assert set(await owner.found('boats -"calm day"')) == {text.item.id, noted.item.id, titled.item.id}


async def test_the_last_word_is_a_beginning_while_it_is_typed(owner: Owner) -> None:
    kept = await owner.keep("https://example.org/bread", "Baking", BREAD)
    assert await owner.found("sour") == [kept.item.id]
    assert await owner.found("sourd hand") == [], "only the last one"
    assert await owner.found("sourd* hand") == [kept.item.id], "or what ends with a star"
    assert await owner.found("sour ") == [], "a space ends the word"
    assert await owner.found("ba") == [kept.item.id], "two letters begin words of titles"
    assert await owner.found("so") == [], "but too many words of texts"


async def test_accents_and_capitals_do_not_matter(owner: Owner) -> None:
    kept = await owner.keep(
        "https://example.org/cafe", "Crème brûlée", "Der Zürcher Straßenkäse; Łódź, smørrebrød, Ελλάδα"
    )
    for query in ("creme brulee", "CRÈME", "zurcher", "strassenkase", "lodz", "smorrebrod", "ελλαδα", "Ελλάδα"):
        assert await owner.found(query) == [kept.item.id], query


@pytest.mark.parametrize(
    ("text", "found", "missed"),
    [
        (
            "昨日、東京都で大きな会議が開かれた。",
            ["東京", "京都", "東京都", "会議", "都", "開"],
            ["京東", "大阪", "議会"],
        ),
        ("我们在北京大学学习人工智能。", ["北京", "大学", "人工智能", "北京大学"], ["京北", "上海"]),
        ("ประเทศไทยมีอาหารอร่อยมาก", ["ไทย", "อาหาร", "ประเทศไทย", "อร่อย"], ["ลาว"]),
        ("우리는 학교에서 한국어를 배웠다.", ["학교", "한국어", "배웠다"], ["교학"]),
        ("プログラミング言語Pythonの本", ["言語", "Python", "プログラミング", "言語Python"], ["語言"]),
        ("ភាសាខ្មែរ", ["ខ្មែរ"], ["ថៃ"]),
        ("हिन्दी भाषा में लेख", ["हिन्दी", "भाषा"], ["हन"]),
    ],
)
async def test_languages_without_spaces_are_found_by_any_part(
    owner: Owner, text: str, found: list[str], missed: list[str]
) -> None:
    kept = await owner.keep("https://example.org/page", "x", text)
    for query in found:
        assert await owner.found(query) == [kept.item.id], query
        results = (await owner.search(query)).results
        assert f"<mark>{query}</mark>" in (results[0].snippet or ""), results[0].snippet
    for query in missed:
        assert await owner.found(f"{query} ") == [], query


@pytest.mark.parametrize("is_large", [False, True])
async def test_tags_sites_and_states_narrow(owner: Owner, monkeypatch: pytest.MonkeyPatch, *, is_large: bool) -> None:
    if is_large:  # then what has a tag is listed first
        monkeypatch.setattr(scope, "FEW", 2)
        monkeypatch.setattr(scope, "FEW_BY_ROOT", 0)
    one = await owner.keep("https://blog.example.org/1", "Boats one", HARBOUR, tags=["sea", "slow food"])
    two = await owner.keep("https://example.org/2", "Boats two", HARBOUR, tags=["sea"])
    three = await owner.save("https://other.net/3")
    owner.fill(three, "Boats three")
    fail(owner.database, three.media.id, FailureCode.FETCH_FAILED)
    await owner.mark(one, is_favourite=True)
    await owner.mark(two, is_read=True, is_archived=True)
    expected: dict[str, list[Card]] = {
        "boats tag:sea": [one, two],
        'boats tag:"slow food"': [one],
        'boats tag:sea tag:"slow food"': [one],
        "boats -tag:sea": [three],
        "boats tag:none": [],
        "boats site:example.org": [one, two],
        "boats site:blog.example.org": [one],
        "boats site:https://www.example.org/path": [one, two],
        "boats -site:example.org": [three],
        "site:ample.org": [],
        "boats is:unread": [one, three],
        "boats is:read": [two],
        "boats -is:unread": [two],
        "boats is:favourite": [one],
        "boats is:favorite": [one],
        "boats is:failed": [three],
        "boats -is:failed": [one, two],
        "boats is:archived": [two],
        "is:failed": [three],
        "tag:sea is:unread": [one],
        "boats tag:sea site:example.org is:read": [two],
        "is:sleepy ": [],
    }
    for query, items in expected.items():
        assert set(await owner.found(query)) == {kept.item.id for kept in items}, query


async def test_dates_narrow_by_when_it_was_kept(owner: Owner) -> None:
    kept = await owner.keep("https://example.org/1", "Boats", HARBOUR)
    today = f"{utc_now():%Y-%m-%d}"
    assert await owner.found(f"boats after:{today}") == [kept.item.id]
    assert await owner.found(f"boats before:{today}") == []
    assert await owner.found("boats before:2999") == [kept.item.id]
    assert await owner.found("after:2020-02 before:2999-12-31") == [kept.item.id]
    assert await owner.found("boats before:then ") == [], "what is no date is words"


async def test_some_words_may_be_the_librarys_and_others_the_pages(owner: Owner) -> None:
    kept = await owner.keep("https://example.org/bread", "Baking", BREAD, tags=["weekend"])
    await owner.keep("https://example.org/harbour", "Harbour", HARBOUR, tags=["weekend"])
    assert await owner.found("weekend sourdough") == [kept.item.id]
    assert await owner.found("sourdough kneading weekend") == [kept.item.id]
    assert await owner.found("weekend baking patience") == [kept.item.id]
    assert await owner.found("weekend sourdough -kneading") == []
    assert await owner.found("weekend sourdough absent ") == []


async def test_a_title_counts_more_than_a_mention(owner: Owner) -> None:
    about = await owner.keep("https://example.org/1", "The storm", "It came at night, and it went.")
    for number in range(2, 6):
        await owner.keep(f"https://example.org/{number}", "Calm", HARBOUR)
    assert (await owner.found("storm"))[0] == about.item.id


NONSENSE = [
    *("", "   ", '"', '""', "-", "--", "*", '-"', "tag:", "site:", "is:", "::::", "(((", "}{", "a:*", "^a", "\\"),
    *("AND OR NOT", "NEAR(a b)", "'a' & !b", "'; DROP TABLE items; --", "\U0001f600", "\u0000x", "\ud800"),
    *("a" * 10_000, "a b " * 2_500, '" ' * 5_000, "-a " * 3_000, "東" * 900, "tag:" + "x" * 500),
    *("site:..", "site:[::1]", "before:0000", "before:9999-99-99"),
]


@pytest.mark.parametrize("query", NONSENSE, ids=range(len(NONSENSE)))
async def test_nothing_that_is_typed_fails(owner: Owner, query: str) -> None:
    await owner.keep("https://example.org/1", "Boats", HARBOUR)
    await owner.found(query)


async def test_snippets_are_escaped_before_they_are_marked(owner: Owner) -> None:
    kept = await owner.keep(
        "https://example.org/1",
        "<script>alert(1)</script>",
        "Say &lt;mark&gt;boo&lt;/mark&gt; & go &lt;b&gt;home&lt;/b&gt;.",
    )
    [result] = (await owner.search("home")).results
    assert result.snippet == "Say &lt;mark&gt;boo&lt;/mark&gt; &amp; go &lt;b&gt;<mark>home</mark>&lt;/b&gt;."
    assert await owner.found("alert script") == [kept.item.id]


async def test_a_snippet_shows_the_words_as_they_were_written(owner: Owner) -> None:
    await owner.keep(
        "https://example.org/1",
        "x",
        "First line.\n" + "Filler words here. " * 30 + "Une crème brûlée… enfin ﬁne. " + "More. " * 50,
    )
    [result] = (await owner.search("creme brulee enfi")).results
    assert result.snippet is not None
    assert "<mark>crème</mark> <mark>brûlée</mark>… <mark>enfin</mark>" in result.snippet
    assert result.snippet.startswith("…")
    assert result.snippet.endswith("…")
    assert len(result.snippet) < 400


async def test_pages_of_results_follow_each_other(owner: Owner) -> None:
    kept = [await owner.keep(f"https://example.org/{number}", f"Boat {number}", HARBOUR) for number in range(7)]
    seen, cursor = [], None
    for _ in range(4):
        page = await owner.database.read(search_items, owner.viewer, None, "harbour", PageRequest(cursor, 2))
        seen += [result.card.item.id for result in page.results]
        cursor = page.next_cursor
    assert cursor is None
    assert sorted(seen) == sorted(one.item.id for one in kept)
    filtered = await owner.database.read(search_items, owner.viewer, None, "is:unread", PageRequest(limit=2))
    following = PageRequest(filtered.next_cursor, 9)
    rest = await owner.database.read(search_items, owner.viewer, None, "is:unread", following)
    assert len({result.card.item.id for result in [*filtered.results, *rest.results]}) == 7
    with pytest.raises(InvalidRequest):
        await owner.database.read(search_items, owner.viewer, None, "x", PageRequest("bm9uc2Vuc2U"))


async def test_a_very_long_article_is_kept_and_found(owner: Owner) -> None:
    """PostgreSQL's vectors have an end: words beyond it must not fail the article, nor hide the rest."""
    words = " ".join(f"word{number}" for number in range(120_000))
    kept = await owner.keep("https://example.org/long", "Long", f"beginning of it all {words}")
    assert await owner.found('"beginning of it"') == [kept.item.id]
    assert await owner.found("word20000 word77 ") == [kept.item.id]
    repeated = await owner.keep("https://example.org/again", "Again", "echo " * 30_000 + "silence")
    assert await owner.found("echo silence") == [repeated.item.id]
