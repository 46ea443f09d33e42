"""Which link leads to the next page of an article, and which of those that look like it do not."""

import time

import pytest

from kept.content.page.next_page import find_alternate, find_chosen, find_next_page
from kept.content.page.page_number import NextPage, has_same_title

pytestmark = pytest.mark.requirement("Kept", "articles on several pages are joined, ten at most")

STORY = "https://news.example/story"
PAGER = '<div class=pager>1 <a href="/story/2">2</a> <a href="/story/3/">3</a> <a href="/story/2">Next</a></div>'


def find(body: str, url: str = STORY) -> NextPage | None:
    return find_next_page(f"<!doctype html><html><body><article><p>Text</p></article>{body}</body></html>", url)


def test_a_numbered_pager_leads_on_and_tells_how_many_pages_there_are() -> None:
    assert find(PAGER) == NextPage("https://news.example/story/2", 2, 3, is_sure=True)


def test_rel_next_is_sure_only_with_the_title_of_the_next_page() -> None:
    for link in ('<link rel="next" href="?page=2">', '<a rel="nofollow next" href="/story?page=2">on</a>'):
        assert find(link) == NextPage("https://news.example/story?page=2", 2, 2, is_sure=False)


def test_page_one_of_five_is_the_pages_own_number() -> None:
    said = '<p>Page <b>1</b> of 5</p><a href="/story.2.html">More</a>'
    assert find(said, "https://news.example/story.html") == NextPage("https://news.example/story.2.html", 2, 5)


@pytest.mark.parametrize(
    ("url", "href"),
    [
        ("https://news.example/story/", "/story/2"),
        ("https://news.example/story", "/story/page/2/"),
        ("https://news.example/story", "/story/seite-2"),
        ("https://news.example/story.html", "story-2.html"),
        ("https://news.example/story-1.html", "story-2.html"),
        ("https://news.example/story.html", "story_p2.html"),
        ("https://news.example/story,7.html", "story,7,2.html"),
        ("https://news.example/story?id=7", "?page=2&id=7"),
        ("https://news.example/story?id=7&utm_source=feed", "?id=7&page=2"),
        ("https://news.example/story?page=1", "?page=2"),
        ("https://www.news.example/story/index.html", "https://news.example/story/2"),
    ],
)
def test_the_ways_sites_write_a_page_number(url: str, href: str) -> None:
    found = find(f'<a href="{href}">2</a>', url)
    assert found is not None
    assert (found.number, found.is_sure) == (2, True)


def test_the_page_after_page_four_is_page_five() -> None:
    body = '<a href="?page=3">3</a><a href="?page=5">5</a><a href="?page=12">12</a>'
    found = find(body, "https://news.example/story?page=4")
    assert found is not None
    assert (found.number, found.last) == (5, 12)


@pytest.mark.parametrize(
    ("body", "url"),
    [
        ('<link rel="next" href="/another-story">', STORY),
        ('<a rel="next" href="/story-2">The next story</a>', STORY),
        ('<a href="/story/2">A link in the text</a>', STORY),
        ('<a rel="next" href="https://other.example/story/2">2</a>', STORY),
        ('<a rel="next" href="http://127.0.0.1/story/2">2</a>', STORY),
        ('<a href="/story/3">3</a>', STORY),
        ('<div class="comment-pages"><a href="?page=2">2</a></div>', STORY),
        ('<section id=comments><p><a rel=next href="?page=2">2</a></p></section>', STORY),
        ('<a href="?page=2#comments">2</a>', STORY),
        ('<a rel=next href="/story/comment-page-2/">2</a>', STORY),
        ('<a rel=next href="?cpage=2">2</a>', STORY),
        ('<link rel=next href="/page/2">', "https://news.example/"),
        ('<link rel=next href="/blog/page/2">', "https://news.example/blog/"),
        ('<a href="/tag/harbours/2">2</a>', "https://news.example/tag/harbours"),
        ('<a href="/forum/harbours?page=2">2</a>', "https://news.example/forum/harbours"),
        ('<a href="/viewtopic.php?t=7&page=2">2</a>', "https://news.example/viewtopic.php?t=7"),
        ('<article><h2><a href="/a">A</a></h2></article>' * 3 + PAGER, STORY),
        ('<script type="application/ld+json">{"@type": "CollectionPage"}</script>' + PAGER, STORY),
        ('<script type="application/ld+json">{"@type":"DiscussionForumPosting"}</script>' + PAGER, STORY),
        ("<p>Nothing leads on.</p>", STORY),
        (PAGER, "not a URL"),
    ],
)
def test_what_is_not_followed(body: str, url: str) -> None:
    assert find(body, url) is None


def test_teasers_do_not_make_a_list_of_a_page_that_calls_itself_an_article() -> None:
    teasers = '<article><h2><a href="/a">A</a></h2></article>' * 5
    for said in ('<meta property="og:type" content="article">', '<script>{"@type":"NewsArticle"}</script>'):
        assert find(said + teasers + PAGER) is not None


def test_titles_are_the_same_but_for_a_page_number() -> None:
    same = ("The harbour", "The harbour - Page 2", "The Harbour (Seite 2 von 5)", "The harbour | 2/5")
    assert all(has_same_title("The harbour", title) for title in same)
    others = ("The harbour, part 2", "Chapter 2", "The harbour and the sea", "", None)
    assert not any(has_same_title("The harbour", title) for title in others)
    assert not has_same_title("", "")


def test_versions_of_a_page_are_found_on_its_own_site_only() -> None:
    amp, print_version = '<link rel=amphtml href="/amp/story">', '<link rel=alternate media=print href="?print=1">'
    assert find_alternate(print_version + amp, STORY) == "https://news.example/amp/story"
    assert find_alternate(print_version, STORY) == "https://news.example/story?print=1"
    assert find_alternate('<link rel=amphtml href="https://amp.news.example/s">', STORY) == "https://amp.news.example/s"
    for other in ('<link rel=amphtml href="https://cache.example/s">', '<link rel=amphtml href="/story">', ""):
        assert find_alternate(other, STORY) is None


def test_a_rule_may_name_any_link_of_the_same_site() -> None:
    html = '<p class=more><a href="/harbour-continued">on</a></p><a class=away href="https://other.example/">x</a>'
    assert find_chosen(html, STORY, ".more") == NextPage("https://news.example/harbour-continued")
    assert find_chosen(html, STORY, ".away") is None
    assert find_chosen(html, STORY, ".none") is None


@pytest.mark.parametrize(
    "body",
    [
        "<link rel=next href=/story/2>" * 10_000,
        "<a rel=next href=/story/2>2</a>" * 10_000,
        f"<a href=/story/{'9' * 100}>{'9' * 100}</a><a rel=next href=?page={'2' * 100}>2</a>",
        f"<a rel=next href=/{'a' * 100_000}/2>2</a>",
        f"<a rel=next href=?{'page=2&' * 14_000}>2</a>",
        "<div>" * 400 + "<a href=/story/2>2</a>" * 5_000,
        "<p>page 1 of " * 20_000 + PAGER,
        "> 1" * 60_000 + "rel=" * 30_000,
    ],
)
def test_hostile_links_cost_little(body: str) -> None:
    started = time.process_time()
    found = find(body)
    assert time.process_time() - started < 2.0
    assert found is None or found.number == 2
