"""A page read by a site rule, and what is said where the rule matches nothing."""

from dataclasses import replace
from uuid import UUID

from kept.content.article.article import Article, ExtractFailed, Page
from kept.content.article.readable import Finish, NotReadable, Readable, ReadableCode
from kept.content.article.reading import read_page
from kept.content.article.site_rule_files import parse_site_rule
from kept.content.article.site_rules import RuleUse, SiteRule

PROSE = "The council met on Tuesday to weigh a plan that would close the old bridge for two years, and more. " * 3
OTHER = "What Readability would have found in this page, if it had been asked to look for an article. " * 3
HTML = f"""<html><head><title>The bridge - News</title></head><body><h1 class=head>The <b>old</b> bridge</h1>
<p class=by>Ada Byron</p><div class=text><p>{PROSE}</p><p class=ad>Buy now.</p><div class=text><p>Inner.</p></div></div>
<aside><p>{OTHER}</p></aside><figure class=text><img data-src="/b.jpg" src="data:,"></figure>
<a class=on href="/continued">on</a></body></html>"""


class Found:
    """A reader that finds one article in every page, and remembers what it was given."""

    def __init__(self, outcome: Readable | NotReadable | None = None) -> None:
        self.outcome = outcome or Readable(f"<p>{OTHER}</p>")
        self.given: list[str] = []

    def start(self, html: str, timeout_seconds: float) -> Finish:
        self.given.append(html)
        return lambda: self.outcome


def rule(text: str) -> SiteRule:
    parsed = parse_site_rule(f'hosts = ["news.example"]\n{text}', "a.toml")
    assert isinstance(parsed, SiteRule)
    return parsed


PAGE = Page(HTML.encode(), "https://news.example/a", UUID(int=7), "text/html; charset=utf-8")


def read(text: str, page: Page = PAGE, reader: Found | None = None) -> Article:
    article = read_page(replace(page, rule=rule(text)), reader or Found(), 5)
    assert isinstance(article, Article)
    return article


def test_what_a_rule_takes_is_the_article_in_the_order_of_the_page_and_each_part_once() -> None:
    reader = Found()
    article = read('take = ["figure.text", ".text"]\nleave = [".ad"]', reader=reader)
    assert article.text.text.startswith(PROSE.strip())
    assert article.text.text.count("Inner.") == 1
    assert "Buy now" not in article.text.text
    assert [image.origin_url for image in article.images] == ["https://news.example/b.jpg"]
    assert str(article.html).index("Inner.") < str(article.html).index("<img")
    assert article.rule_use == RuleUse("a.toml", has_matched=True)
    assert reader.given == []


def test_a_rule_that_matches_nothing_leaves_the_page_to_extraction_and_says_so() -> None:
    without = read_page(PAGE, Found(), 5)
    assert isinstance(without, Article)
    for take in ('take = [".nothing"]', 'take = [".by"]'):  # too little to be an article
        article = read(take)
        assert article.text == without.text
        assert article.rule_use == RuleUse("a.toml", has_matched=False)


def test_what_a_rule_leaves_is_not_shown_to_readability() -> None:
    reader = Found()
    article = read('leave = ["aside", ".ad"]', reader=reader)
    assert "What Readability" not in reader.given[0]
    assert "Buy now" not in reader.given[0]
    assert PROSE.strip() in reader.given[0]
    assert article.rule_use == RuleUse("a.toml", has_matched=True)


def test_title_and_byline_are_those_of_the_rule() -> None:
    article = read('title = ".head"\nbyline = ".by"')
    assert (article.title, article.byline) == ("The old bridge", "Ada Byron")
    assert (article.metadata.title, article.metadata.byline) == ("The old bridge", "Ada Byron")
    kept = read('title = ".nothing"')
    assert kept.title == "The bridge - News"


def test_the_next_page_is_the_link_that_the_rule_names() -> None:
    article = read('next_page = ".on"')
    assert article.next_page is not None
    assert (article.next_page.url, article.next_page.number) == ("https://news.example/continued", None)


def test_no_rule_and_no_link_is_for_what_came_with_a_file() -> None:
    text = 'take = [".text"]\nnext_page = ".on"'
    imported = read(text, replace(PAGE, is_article=True))
    assert (imported.rule_use, imported.next_page) == (None, None)
    uploaded = read(text, replace(PAGE, is_upload=True))
    assert (uploaded.rule_use is not None, uploaded.next_page) == (True, None)


def test_a_page_without_an_article_names_its_other_version() -> None:
    html = '<html><head><link rel=amphtml href="/amp"></head><body><p>Hi.</p></body></html>'
    nothing = Found(NotReadable(ReadableCode.NOT_READABLE, "nothing"))
    outcome = read_page(replace(PAGE, body=html.encode()), nothing, 5)
    assert isinstance(outcome, ExtractFailed)
    assert outcome.alternate_url == "https://news.example/amp"
