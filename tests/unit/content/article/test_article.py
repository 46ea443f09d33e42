"""The composition of all steps, with a reader that answers as it is told."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kept.content.article.article import Article, ExtractFailed, Page, count_words
from kept.content.article.canonical import CanonicalText
from kept.content.article.readable import Finish, NotReadable, Readable, ReadableCode
from kept.content.article.reading import read_page
from kept.domain.failures import FailureCode, FailureStage

PROSE = "The council met on Tuesday to weigh a plan that would close the old bridge for two years, and more. " * 3
PAGE = f"""<html lang="en"><head><title>The bridge - News</title><meta property="og:title" content="The bridge">
<meta name="author" content="Ada Byron"><meta name="description" content="A bridge closes."></head>
<body><article><p>{PROSE}</p></article></body></html>"""
MEDIA_ID = UUID(int=7)
EMPTY_PAGE = "<title>A door</title><p>A door, and nothing behind it.</p>"


class ToldReader:
    """Answers every page with the same outcome, and remembers what it was given."""

    def __init__(self, outcome: Readable | NotReadable) -> None:
        self.outcome = outcome
        self.given: list[str] = []

    def start(self, html: str, timeout_seconds: float) -> Finish:
        self.given.append(html)
        return lambda: self.outcome


def page(html: str = PAGE) -> Page:
    return Page(html.encode(), "https://news.example/a", MEDIA_ID, "text/html; charset=utf-8")


def build(outcome: Readable | NotReadable, html: str = PAGE) -> Article | ExtractFailed:
    return read_page(page(html), ToldReader(outcome), 5)


def built(outcome: Readable) -> Article:
    article = build(outcome)
    assert isinstance(article, Article)
    return article


def test_an_article_carries_what_the_page_says_of_itself() -> None:
    article = built(Readable(f"<div><p>{PROSE}</p></div>", title="Other", byline="Other"))
    assert (article.title, article.byline, article.excerpt) == ("The bridge", "Ada Byron", "A bridge closes.")
    assert (article.lang, article.word_count) == ("en", 60)
    assert article.text.text == PROSE.strip()
    assert str(article.html) == f"<div><p>{PROSE}</p></div>"


def test_what_the_page_does_not_say_readability_may() -> None:
    html = f"<html><body><p>{PROSE}</p></body></html>"
    article = build(Readable(f"<p>{PROSE}</p>", title=" Found  title ", byline="Found\nname", dir="rtl"), html)
    assert isinstance(article, Article)
    assert (article.title, article.byline, article.dir) == ("Found title", "Found name", "rtl")


def test_images_are_resolved_named_and_listed() -> None:
    article = built(Readable(f'<p>{PROSE}</p><figure><img src="data:," data-src="/b.jpg"></figure>'))
    assert [image.origin_url for image in article.images] == ["https://news.example/b.jpg"]
    assert f'<img src="/api/images/{article.images[0].id}">' in str(article.html)


def test_an_embedded_player_becomes_a_link() -> None:
    frame = '<iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ"></iframe>'
    assert "https://www.youtube.com/watch?v=dQw4w9WgXcQ" in str(
        built(Readable(f"<p>{PROSE}</p><div>{frame}</div>")).html
    )


def test_relative_links_are_resolved_against_the_page() -> None:
    article = built(Readable(f'<p>{PROSE} See <a href="../x">x</a>.</p>'))
    assert 'href="https://news.example/x"' in str(article.html)


def test_the_reader_is_given_a_tidy_page() -> None:
    reader = ToldReader(Readable(f"<p>{PROSE}</p>"))
    read_page(page(f"<p>{PROSE}<script>x</script>"), reader, 5)
    assert reader.given == [f"<html><head></head><body><p>{PROSE}</p></body></html>"]


def failed(outcome: Readable | NotReadable, html: str = PAGE) -> tuple[FailureCode, FailureStage]:
    failure = build(outcome, html)
    assert isinstance(failure, ExtractFailed)
    return failure.code, failure.stage


def test_a_page_that_takes_too_long_is_a_time_out() -> None:
    nothing = NotReadable(ReadableCode.TIMED_OUT, "slow")
    assert failed(nothing) == (FailureCode.INGEST_TIMEOUT, FailureStage.EXTRACT)


def test_a_page_without_an_article_has_no_content() -> None:
    nothing = NotReadable(ReadableCode.NOT_READABLE, "nothing")
    assert failed(nothing, EMPTY_PAGE) == (FailureCode.EXTRACT_NO_CONTENT, FailureStage.EXTRACT)


def test_an_author_marked_in_the_text_comes_before_the_sites_name() -> None:
    head = '<meta name="author" content="Evening Echo"><meta property="og:site_name" content="Evening Echo">'
    marked = '<p>By <a rel="author" href="/ada">Ada Byron</a></p>'
    article = build(Readable(f"<p>{PROSE}</p>", byline="Evening Echo"), f"{head}<body>{marked}<p>{PROSE}</p>")
    assert isinstance(article, Article)
    assert article.byline == "Ada Byron"


def test_prose_that_readability_does_not_find_is_the_article() -> None:
    article = build(NotReadable(ReadableCode.NOT_READABLE, "nothing"))
    assert isinstance(article, Article)
    assert "The council met on Tuesday" in article.text.text


def test_a_lost_sidecar_is_not_blamed_on_the_page() -> None:
    lost = NotReadable(ReadableCode.NOT_READABLE, "it ended", lost=True)
    assert failed(lost) == (FailureCode.INGEST_FAILED, FailureStage.EXTRACT)


@pytest.mark.parametrize("html", ["", "<p>Loading…</p>", "<div><p></p></div>", "<nav><a href='/'>Home</a></nav>"])
def test_nothing_meaningful_is_no_content(html: str) -> None:
    assert failed(Readable(html), EMPTY_PAGE) == (FailureCode.EXTRACT_NO_CONTENT, FailureStage.EXTRACT)


def test_a_picture_needs_fewer_words() -> None:
    assert isinstance(build(Readable('<p>A comic about a bridge.</p><img src="/c.png">')), Article)


@pytest.mark.requirement("002", "§6 codes, content types")
def test_markup_that_cannot_be_made_safe_is_a_failure_of_sanitising() -> None:
    assert failed(Readable("<div>" * 6_000 + PROSE)) == (FailureCode.SANITIZE_FAILED, FailureStage.SANITIZE)


@pytest.mark.requirement("002", "§6 codes, content types")
def test_a_text_that_breaks_the_canonical_form_is_a_failure_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_it(html: object) -> CanonicalText:
        return CanonicalText(f" {html}")

    monkeypatch.setattr("kept.content.article.extract.canonical_text", break_it)
    assert failed(Readable(f"<p>{PROSE}</p>")) == (FailureCode.CANONICALIZE_FAILED, FailureStage.EXTRACT)


def test_a_page_too_complex_to_parse_is_refused_before_the_reader_sees_it() -> None:
    reader = ToldReader(Readable(f"<p>{PROSE}</p>"))
    failure = read_page(page("<div>" * 50_000), reader, 5)
    assert isinstance(failure, ExtractFailed)
    assert failure.code is FailureCode.EXTRACT_NO_CONTENT
    assert reader.given == []


def test_a_challenge_is_a_failure_of_its_own_and_lends_nothing() -> None:
    html = """<html><head><title>Just a moment...</title></head><body><div id="challenge-running">
    <h2>Checking if the site connection is secure</h2></div>
    <script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"></script></body></html>"""
    failure = build(Readable(f"<p>{PROSE}</p>"), html)
    assert isinstance(failure, ExtractFailed)
    assert failure.code is FailureCode.EXTRACT_CHALLENGE
    assert failure.metadata is None


@pytest.mark.requirement("002", "§6 codes, content types")
@pytest.mark.parametrize(
    ("html", "code"),
    [
        ("<title>Sign in</title><h1>Sign in</h1><form><input type=password></form>", FailureCode.EXTRACT_LOGIN),
        (
            "<title>Paper</title><h1>We value your privacy</h1><p>Choose.</p><button>Agree</button>",
            FailureCode.EXTRACT_CONSENT,
        ),
        ("<title>Page not found</title><h1>Oops</h1>", FailureCode.EXTRACT_SOFT_404),
        ("<title>502 Bad Gateway</title><h1>502 Bad Gateway</h1>", FailureCode.FETCH_FAILED),
    ],
)
def test_what_stands_in_the_way_has_a_code_of_its_own_and_lends_nothing(html: str, code: FailureCode) -> None:
    failure = build(Readable(f"<p>{PROSE}</p>"), html)
    assert isinstance(failure, ExtractFailed)
    assert (failure.code, failure.metadata) == (code, None)


@pytest.mark.parametrize(("text", "words"), [("", 0), ("one two-three", 3), ("漢字かな", 2), ("Kindle を読む", 3)])
def test_words_are_counted_in_any_script(text: str, words: int) -> None:
    assert count_words(text) == words


TAGS = ("p", "div", "ul", "li", "h2", "figure", "table", "tr", "td", "pre", "code", "blockquote", "a", "span", "b")
MARKUP = st.lists(
    st.sampled_from(
        [
            *(f"<{tag}>" for tag in TAGS),
            *(f"</{tag}>" for tag in TAGS),
            '<div class="related share">',
            '<a href="/x">',
            '<img data-src="/i.jpg">',
            "Read more: ",
            "By Ada Byron",
            PROSE,
            "&amp;<",
            "é\u0301 漢字 \u202e",
        ]
    ),
    max_size=30,
).map("".join)


@given(MARKUP)
def test_the_same_input_gives_the_same_article_and_never_an_exception(html: str) -> None:
    first, second = (build(Readable(f"<p>{PROSE}</p>{html}")) for _ in range(2))
    assert first == second


@given(MARKUP)
def test_nothing_protected_is_ever_pruned(html: str) -> None:
    """In a page without prose of its own, which would be a second opinion."""
    found = Readable(f"<p>{PROSE}</p><figure><pre><code>kept</code></pre></figure>{html}")
    outcome = build(found, "<title>The bridge</title>")
    if isinstance(outcome, Article):
        assert "<code>kept</code>" in str(outcome.html)
