"""What is done to a page before Readability reads it, each rule on the smallest page that shows it."""

import time

import pytest
from selectolax.lexbor import LexborHTMLParser

from kept.content.article.prepare import prepare_page

URL = "https://news.example/bridge"
FIRST = (
    "<p>The council met on Tuesday to weigh a plan that would close the old bridge for two years, "
    "and the people of the valley came in numbers to say what they thought of it.</p>"
)
LAST = (
    "<p>Whatever is decided, the ferry will run again from the first of May, the mayor said, and nobody "
    "in the hall that evening believed that it would be the last word on the matter.</p>"
)
SUMMARY = "The mill by the river has stood empty since the flood, and nobody knows who owns it now."
IS_ARTICLE = '<meta property="og:type" content="article">'


def prepared(body: str, *, head: str = IS_ARTICLE, url: str = URL) -> str:
    page = LexborHTMLParser(f"<html><head>{head}</head><body>{body}</body></html>")
    prepare_page(page, url)
    assert page.body is not None
    return page.body.inner_html or ""


def beside(box: str) -> str:
    return f'<div class="page"><div class="text"><h1>The bridge</h1>{FIRST}{LAST}</div>{box}</div>'


def between(box: str) -> str:
    return f'<div class="page"><h1>The bridge</h1>{FIRST}{box}{LAST}</div>'


def teaser(number: int) -> str:
    return f'<div class="card"><h3><a href="/{number}">The empty mill number {number}</a></h3><p>{SUMMARY}</p></div>'


def leading_to(html: str, start: str) -> str:
    return html.replace('href="/', f'href="{start}')


TEASERS = "".join(map(teaser, range(6)))
OTHER_SITE = "https://elsewhere.example/"


# Streams of teasers


@pytest.mark.parametrize(
    "stream",
    [
        f"<div>{TEASERS}</div>",
        f"<div><h2>Latest</h2>{TEASERS}</div>",
        "<div>" + "".join(f'<div class="row">{teaser(at)}{teaser(at + 1)}</div>' for at in (0, 2, 4)) + "</div>",
        "<div>" + "".join(f'<div class="cell"><div>{teaser(at)}</div></div>' for at in range(4)) + "</div>",
        "<ul>"
        + "".join(f"<li><a href='/{at}'><h3>The empty mill</h3><p>{SUMMARY}</p></a></li>" for at in range(4))
        + "</ul>",
        "<ul>"
        + "".join(
            f"<li><b>{at} May, 19:30</b> <a href='/{at}'>Concert in the old mill</a> Hall</li>" for at in (1, 2, 3)
        )
        + "</ul>",
    ],
    ids=["boxes", "with a heading", "rows of two", "wrapped", "links around all", "a list of dates"],
)
def test_a_stream_of_teasers_beside_the_article_goes(stream: str) -> None:
    assert prepared(beside(stream)) == beside("")


def test_a_stream_with_images_goes_from_a_page_that_does_not_say_what_it_is() -> None:
    few = "".join(map(teaser, range(3)))
    with_images = few.replace("<p>", "<img src=a.jpg><p>")
    assert prepared(beside(f"<div>{with_images}</div>"), head="") == beside("")
    assert "empty mill" in prepared(beside(f"<div>{few}</div>"), head="")


@pytest.mark.parametrize(
    "date", ["<time>3 May</time><p>", "<p>(03.05.2024) ", "<p>May 3, 2024 – ", "<p>2024-05-03: ", "<p>2024年5月3日 "]
)
def test_dated_teasers_go_from_the_middle_of_the_article(date: str) -> None:
    dated = "".join(teaser(at).replace("<p>", date) for at in range(4))
    assert "empty mill" not in prepared(between(f"<div>{dated}</div>"))


def test_teasers_that_are_articles_go_from_the_pages_own_article() -> None:
    nested = TEASERS.replace('<div class="card">', "<article>").replace("</div>", "</article>")
    assert "empty mill" not in prepared(f"<article>{FIRST}{LAST}<div>{nested}</div></article>")


@pytest.mark.parametrize(
    "kept",
    [
        f"<article>{FIRST}{LAST}<div>{TEASERS}</div></article>",
        f"<div>{FIRST}{TEASERS}{LAST}</div>",
        beside(f"<div>{teaser(1)}{teaser(2)}</div>"),
        beside(f"<div>{leading_to(TEASERS, OTHER_SITE)}</div>"),
        beside(f"<div>{leading_to(TEASERS, '#')}</div>"),
        beside(f"<div>{TEASERS.replace(SUMMARY, SUMMARY * 8)}</div>"),
        f"<div>{TEASERS}</div>",
        beside("<ul>" + "<li><a href='/a'>The empty mill by the river</a></li>" * 5 + "</ul>"),
    ],
    ids=[
        "in the page's own article",
        "between paragraphs",
        "of two",
        "that lead to other sites",
        "that lead to places on the page",
        "as long as articles",
        "with no article beside them",
        "without summaries",
    ],
)
def test_what_looks_like_teasers_may_be_the_article(kept: str) -> None:
    assert "empty mill" in prepared(kept)


def test_linked_images_with_headlines_go_from_the_end_of_a_long_article() -> None:
    gallery = TEASERS.replace("<h3>", "<a href='/x'><img src='a.jpg'></a><h3>")
    assert "empty mill" not in prepared(f"<article>{FIRST}{LAST}{FIRST}{LAST}<div>{gallery}</div></article>")
    assert "empty mill" in prepared(f"<article>{FIRST}<div>{gallery}</div></article>")


def test_the_front_page_of_a_site_stays_as_it_is() -> None:
    page = beside(f"<div>{TEASERS.replace('<p>', '<time>3 May</time><p>')}</div>")
    assert prepared(page, head="", url="https://news.example/") == page
    assert "empty mill" not in prepared(page, head="")


def test_a_page_with_little_text_that_does_not_say_that_it_is_an_article_stays_as_it_is() -> None:
    page = f"<div>{LAST}</div><div>{TEASERS.replace('<p>', '<time>3 May</time><p>')}</div>"
    assert prepared(page, head="") == page


def test_works_with_their_years_between_paragraphs_are_no_teasers() -> None:
    films = "".join(teaser(at).replace("number", "(2019) number") for at in range(5))
    assert prepared(f"<div>{FIRST}{films}{LAST}</div>").count("(2019)") == 5


def test_links_within_sentences_are_no_headlines() -> None:
    sentence = '<p>The paper wrote of it <a href="/{}">when the old mill was sold</a> in 1987, and again later.</p>'
    body = f"<div>{FIRST}<div>{''.join(sentence.format(at) for at in range(5))}</div></div>"
    assert prepared(body).count("when the old mill") == 5


def test_posts_of_readers_with_dates_that_link_to_them_are_no_teasers() -> None:
    date = f"<a href='{URL}#c{{}}'>Tuesday, 3 March 2024 at 10:15 am</a>"
    posts = "".join(f"<li>{date.format(at)}<p>I was there, and it rained all day.</p></li>" for at in range(5))
    assert prepared(beside(f"<ul>{posts}</ul>")).count("it rained") == 5


# Boxes that ask for an e-mail address


@pytest.mark.parametrize(
    "form",
    [
        '<form><input type="email"><button>Go</button></form>',
        '<form><label>Where to? <input name="EMAIL"></label></form>',
        '<div><input placeholder="Ihre E-Mail-Adresse"><button>Los</button></div>',
    ],
)
def test_a_box_that_asks_for_an_address_goes_with_its_words(form: str) -> None:
    box = f'<div class="x1"><h3>The valley by post</h3><p>Every morning, all you need to know.</p>{form}</div>'
    assert prepared(between(box)) == between("")


def test_an_article_in_a_form_stays() -> None:
    assert FIRST in prepared(f'<form>{FIRST}{LAST}{FIRST}<input type="email"></form>')


def test_an_article_that_is_as_short_as_a_box_stays() -> None:
    assert "A short" in prepared('<div><p>A short text.</p><form><input type="email"></form></div>')


# Calendars and live tables

DAYS = [str(day) for day in range(1, 32)] + [""] * 4
WEEKS = ["".join(f"<td>{day}</td>" for day in DAYS[start : start + 7]) for start in range(0, 35, 7)]
MONTH = f"<table><tr><th>Mo</th></tr>{''.join(f'<tr>{week}</tr>' for week in WEEKS)}</table>"
ROWS = "".join(
    f'<tr><td><a href="/t/{at}">Club {at}</a></td><td>{at * 3}</td><td>{at + 7}</td></tr>' for at in range(12)
)
STANDINGS = f"<div><h3>Table</h3><table>{ROWS}</table></div>"


@pytest.mark.parametrize("page", [beside, between])
def test_a_calendar_goes(page: object) -> None:
    assert callable(page)
    assert prepared(page(f"<div><h4>May</h4>{MONTH}</div>")) == page("")


def test_a_table_whose_rows_lead_to_other_pages_goes_from_beside_the_article() -> None:
    assert prepared(beside(STANDINGS)) == beside("")


def test_a_table_that_is_called_live_goes_without_links() -> None:
    table = f"<div class='live-scores'><table>{'<tr><td>Avon</td><td>2</td></tr>' * 9}</table></div>"
    assert prepared(beside(table)) == beside("")


@pytest.mark.parametrize(("rows", "text"), [(STANDINGS, "Club 7"), (f"<div>{TEASERS}</div>", "mill number 3")])
def test_on_a_page_that_is_a_list_tables_and_teasers_stay(rows: str, text: str) -> None:
    page = LexborHTMLParser(f"<html><head>{IS_ARTICLE}</head><body>{beside(rows)}</body></html>")
    prepare_page(page, URL, is_listing=True)
    assert page.body is not None
    assert text in page.body.text()


def test_the_heading_of_a_large_live_table_goes_with_it() -> None:
    table = f"<div><h3>Prices now</h3><table>{ROWS * 9}</table></div>"
    assert prepared(beside(table)) == beside("")


@pytest.mark.parametrize(
    "page",
    [
        beside(f"<div class='page-widget-table'><table>{'<tr><td>1</td></tr>' * 9}</table></div>"),
        between(STANDINGS),
        f"<div><div>{FIRST}</div>{STANDINGS}<div>{LAST}</div></div>",
        f"<article>{FIRST}{LAST}<div>{STANDINGS}</div></article>",
        beside(leading_to(STANDINGS, OTHER_SITE)),
        beside(f"<table>{'<tr><td>1</td><td>Avon</td></tr>' * 20}</table>"),
        STANDINGS,
    ],
    ids=[
        "in a page builder's widget",
        "between paragraphs",
        "between texts",
        "in an article",
        "to other sites",
        "of data",
        "alone",
    ],
)
def test_a_table_of_the_article_stays(page: str) -> None:
    assert "<table>" in prepared(page)


# Embedded quotations

TWEET = (
    '<blockquote><p>The bridge is closed. <a href="https://t.example/x">pic</a></p>'
    '— Ada <a href="https://t.example/1">May 3</a></blockquote>'
)


@pytest.mark.parametrize(
    "wrapped",
    [
        f'<div class="embed">{TWEET}</div>',
        f'<div class="social-embed"><div> {TWEET}<!-- x --></div><p></p></div>',
        f"<aside>{TWEET}</aside>",
        '<div class="media"><blockquote>“I have seen three bridges here, and none was the last.”</blockquote></div>',
    ],
)
def test_a_quotation_is_freed_of_its_wrappers(wrapped: str) -> None:
    found = LexborHTMLParser(prepared(between(wrapped))).css_first("blockquote")
    assert found is not None
    assert found.parent is not None
    assert found.parent.attributes.get("class") == "page"


@pytest.mark.parametrize(
    "wrapped",
    [
        "<aside><blockquote>“Whatever is decided, the ferry will run again”</blockquote></aside>",
        f'<div class="comment-body">{TWEET}</div>',
        f'<div class="box">{TWEET}<p>A caption.</p></div>',
        f'<div class="box">Before {TWEET}</div>',
    ],
    ids=["a pull quote", "a reader's", "beside a paragraph", "beside words"],
)
def test_other_quotations_stay_where_they_are(wrapped: str) -> None:
    assert prepared(between(wrapped)) == between(wrapped)


# Lists of products


def product(number: int, tag: str = "div") -> str:
    return f'<{tag} class="promo"><h3>Lamp {number}</h3><div><p>{SUMMARY}</p></div><div>${number}9.99 <a href="https://shop.example">Buy</a></div></{tag}>'


@pytest.mark.parametrize("tag", ["div", "aside", "section"])
def test_products_become_sections_without_names(tag: str) -> None:
    html = prepared(between("".join(product(at, tag) for at in range(1, 6))))
    assert "promo" not in html
    assert html.count(f"<section><p>{SUMMARY}</p></section>") == 5
    assert html.count("9.99") == 5


@pytest.mark.parametrize(
    "boxes",
    [
        "".join(map(product, range(1, 4))),
        "".join(product(at).replace("$", "") for at in range(1, 6)),
        "".join(product(at).replace(SUMMARY, "") for at in range(1, 6)),
        "".join(product(at) for at in range(1, 5)) + f"<div class='promo'><h3>A reader</h3><p>{SUMMARY}</p></div>" * 9,
    ],
    ids=["too few", "without prices", "without texts", "few of many"],
)
def test_other_boxes_stay_as_they_are(boxes: str) -> None:
    assert '<div class="promo">' in prepared(between(boxes))


# Names of layout


@pytest.mark.parametrize("name", ["media", "builder-widget-container", "scroll-text", "media-widget"])
def test_a_name_of_layout_goes_from_paragraphs_of_the_article(name: str) -> None:
    assert prepared(f'<article><div class="{name}">{FIRST}</div>{LAST}</article>').startswith("<article><div><p>")


@pytest.mark.parametrize(
    "page",
    [
        f'<div class="media">{FIRST}</div>',
        f'<article>{FIRST}<div class="media"><span>Play</span></div></article>',
        f'<article>{FIRST}<aside><div class="media">{LAST}</div></aside></article>',
        f'<article>{FIRST}<div class="newsletter-widget media">{LAST}</div></article>',
    ],
    ids=["outside of an article", "without a paragraph", "beside the article", "that says more"],
)
def test_other_names_of_layout_stay(page: str) -> None:
    assert prepared(page) == page


@pytest.mark.parametrize(
    "name", ["with-sidebar-right", "layout--with-sidebar", "has-no-sidebar", "no_sidebar", "has-sidebar"]
)
def test_what_stands_beside_a_side_bar_is_not_called_one(name: str) -> None:
    assert prepared(f'<div class="page {name}">{FIRST}{LAST}</div>') == f'<div class="page">{FIRST}{LAST}</div>'


@pytest.mark.parametrize("name", ["sidebar", "sidebar-right", "widget-sidebar"])
def test_a_side_bar_keeps_its_name(name: str) -> None:
    assert f'class="{name}"' in prepared(beside(f'<div class="{name}">Links</div>'))


# Bounds

HOSTILE = {
    "links in one block": "<div>" + "<a href='/x'>A headline of some length</a> and words " * 20_000 + "</div>",
    "links in nested blocks": "<div><a href='/x'>A headline of some length</a>" * 2_000,
    "teasers in nested lists": f"<div>{teaser(1)}{teaser(2)}{teaser(3)}" * 700,
    "fields": "<div><input type=email>" * 2_000,
    "tables in tables": f"<table>{ROWS}<tr><td>" * 500,
    "quotations in quotations": "<div><blockquote><a href=x>x</a>" * 1_500,
    "prices": "<div><h3>x</h3>$1 " + SUMMARY * 3 + "$2</div>" * 20_000,
    "products in products": f"<div class=p>{product(1) * 5}" * 1_000,
    "days": "<table><tr>" + "<td>1</td>" * 100_000,
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_page_is_prepared_in_time(body: str) -> None:
    page = LexborHTMLParser(f"<body>{FIRST}{body}")
    started_at = time.process_time()
    prepare_page(page, URL)
    assert time.process_time() - started_at < 3


# Panels that a click opens

ANSWER = "With a coat of paint each spring and a dry shed in winter, sixty years are nothing special."


@pytest.mark.parametrize(
    "panel",
    [
        f'<h3><button aria-expanded="false" aria-controls="a">How long?</button></h3><div id="a" hidden>{ANSWER}</div>',
        f'<h3><button data-bs-target="#a">How long?</button></h3><div id="a" aria-hidden="true">{ANSWER}</div>',
        f'<div class="faq"><h3>How long?</h3><div class="answer" style="display:none">{ANSWER}</div></div>',
        f'<h3><a aria-expanded="false">How long?</a></h3><div role="tabpanel" hidden>{ANSWER}</div>',
    ],
    ids=["controls", "target", "names", "tabs"],
)
def test_an_answer_that_a_click_opens_is_shown_below_its_question(panel: str) -> None:
    found = prepared(between(panel))
    assert "<h3>How long?</h3>" in found
    assert not any(state in found for state in ("hidden", "display:none", "<button", "<a"))


def test_a_button_that_stands_before_its_answer_becomes_a_heading() -> None:
    found = prepared(between(f'<button aria-controls="a">How long?</button><div id="a" hidden><p>{ANSWER}</p></div>'))
    assert f'<h3>How long?</h3><div id="a"><p>{ANSWER}</p></div>' in found


@pytest.mark.parametrize(
    "panel",
    [
        f'<nav><button aria-controls="a">Menu</button><div id="a" hidden>{ANSWER}</div></nav>',
        f'<button aria-controls="a">Log in</button><div id="a" role="dialog" hidden>{ANSWER}</div>',
        f'<button aria-controls="a">Log in</button><div id="a" hidden><form>{ANSWER}<input></form></div>',
        f'<button aria-controls="a">More</button><div id="a" hidden><a href="/mill">{ANSWER}</a></div>',
        f'<button aria-controls="a">Accept</button><div id="a" class="cookie-consent" hidden>{ANSWER}</div>',
        f'<div class="draft" hidden>{ANSWER}</div>',
    ],
    ids=["menu", "dialog", "form", "links", "consent", "nobody opens it"],
)
def test_what_is_no_text_stays_hidden(panel: str) -> None:
    assert prepared(between(panel)) == between(panel.replace("hidden", 'hidden=""'))


def test_buttons_in_buttons_and_headings_in_headings_do_no_harm() -> None:
    deep = '<button aria-controls="a"><marquee>' * 20 + "<div><h2><div><h3>How long?</h3></div></h2></div>" * 20
    assert "How long?" in prepared(between(deep + '<div id="a" hidden></div>'))


# Headings


@pytest.mark.parametrize(
    "named", ['class="recipe-header"', 'class="anchor anchorWithStickyNavbar_x"', 'class="widget-title"']
)
def test_a_heading_loses_a_name_that_readability_would_remove_it_for(named: str) -> None:
    assert "<h2>Before you go</h2>" in prepared(between(f"<h2 {named}>Before you go</h2>"))


@pytest.mark.parametrize("named", ['class="sr-only-header"', 'class="related-header"', 'class="plain"'])
def test_a_heading_keeps_a_name_that_means_what_it_says(named: str) -> None:
    assert f"<h2 {named}>Before you go</h2>" in prepared(between(f"<h2 {named}>Before you go</h2>"))


def test_a_heading_alone_in_a_box_gets_a_line_that_readability_counts() -> None:
    found = prepared(between('<div class="wrapper"><h2>In storms</h2><a href="#storms"></a></div>'))
    assert "<h2><span>In storms</span></h2>" in found


@pytest.mark.parametrize(
    ("section", "moved"),
    [
        ('<section id="extra-options"><h2>Extra options</h2></section>', '<section><a id="extra-options"></a>'),
        ('<h2 id="social-media">Social media</h2>', '<h2><a id="social-media"></a>Social media</h2>'),
        ('<p id="h-what-a-header-tells">A line</p>', '<p><a id="h-what-a-header-tells"></a>A line</p>'),
    ],
    ids=["section", "heading", "paragraph"],
)
def test_an_id_that_spells_a_heading_is_put_on_an_empty_link(section: str, moved: str) -> None:
    assert moved in prepared(between(section))


@pytest.mark.parametrize(
    "section",
    [
        '<section id="related-stories"><h2>Related stories</h2></section>',
        '<section id="extra"><h2>Before you go</h2></section>',
        '<section id="options"><h2>Options</h2></section>',
    ],
    ids=["other stories", "no heading of that name", "not misread"],
)
def test_another_id_stays(section: str) -> None:
    assert section in prepared(between(section))


# Notes between the paragraphs


@pytest.mark.parametrize("named", ['class="admonition tip"', 'aria-label="Note"'])
def test_a_note_in_an_aside_is_unwrapped(named: str) -> None:
    assert prepared(between(f"<aside {named}><p>{SUMMARY}</p></aside>")) == between(f"<p>{SUMMARY}</p>")


def test_other_asides_stay() -> None:
    for aside in (
        f"<aside><p>{SUMMARY}</p></aside>",
        f'<aside class="related note"><p>{SUMMARY}</p></aside>',
        f'<aside class="note"><a href="/mill">{SUMMARY}</a></aside>',
    ):
        assert aside in prepared(between(aside))


# What readers wrote

COMMENTS = "".join(f'<li class="comment"><p>{SUMMARY}</p><a href="?reply={at}">Reply</a></li>' for at in range(12))


@pytest.mark.parametrize(
    "named", ['id="comments"', 'class="comments-area"', 'class="post-comments"', 'id="disqus_thread"']
)
def test_comments_go_even_if_they_are_longer_than_the_article(named: str) -> None:
    assert prepared(beside(f"<div {named}><ol>{COMMENTS}</ol></div>")) == beside("")


def test_comments_stay_where_the_page_is_a_discussion() -> None:
    page = f'<h1>The bridge?</h1><div id="comments"><ol>{COMMENTS}</ol></div>'
    assert prepared(page) == page


@pytest.mark.parametrize("named", ['class="has-comments"', 'class="comments-open"', 'class="comment-count"'])
def test_other_names_are_no_comments(named: str) -> None:
    assert SUMMARY in prepared(beside(f"<div {named}><p>{SUMMARY}</p></div>"))


# Collections


def test_a_collection_keeps_its_teasers() -> None:
    head = '<script type="application/ld+json">{"@type": "CollectionPage"}</script>'
    assert "empty mill" in prepared(beside(f"<div>{TEASERS}</div>"), head=head)


# Lists that are what a page is about


PLACES = TEASERS.replace("<h3>", '<img src="a.jpg"><h3>')


@pytest.mark.parametrize(
    "edit",
    [
        '<span class="edit"><span>[</span><a href="/w?title=A&amp;action=edit&amp;section=2">edit</a>'
        "<span>]</span></span>",
        '<span>[<a href="/w?a=1&amp;veaction=edit&amp;section=2">Bearbeiten</a> | '
        '<a href="/w?action=edit&amp;section=2">Quelltext bearbeiten</a>]</span>',
    ],
    ids=["one", "two"],
)
def test_links_to_edit_a_section_of_a_wiki_go_and_its_heading_stays(edit: str) -> None:
    heading = f'<h2><span class="headline" id="Community">Community</span>{edit}</h2>'
    found = prepared(between(heading))
    assert '<a id="Community"></a>' in found
    assert ">Community</span></h2>" in found.replace("\n", "")
    assert "dit" not in found.partition("Community</span>")[2].partition("</h2>")[0]


def test_a_list_stays_on_a_page_that_is_no_article() -> None:
    assert "empty mill" in prepared(beside(f"<div>{PLACES}</div>"), head="")


@pytest.mark.parametrize(
    "head",
    [
        '<meta name="author" content="Ada Byron">',
        '<meta property="article:published_time" content="2026-03-01">',
        '<script type="application/ld+json">{"@type": "WebPage", "datePublished": "2026-03-01"}</script>',
    ],
    ids=["an author", "a date", "a date in structured data"],
)
def test_a_list_goes_from_a_page_with_the_marks_of_an_article(head: str) -> None:
    assert "empty mill" not in prepared(beside(f"<div>{PLACES}</div>"), head=head)


def test_a_list_that_is_shorter_than_the_text_goes() -> None:
    page = f'<div class="text">{FIRST}{LAST}{FIRST}{LAST}</div><div>{PLACES}</div>'
    assert "empty mill" not in prepared(page, head="")


def test_headlines_that_begin_an_item_with_a_summary_below_are_teasers() -> None:
    items = "".join(f'<li><a href="/{at}">The empty mill number {at}</a><p>{SUMMARY}</p></li>' for at in range(5))
    assert "empty mill" not in prepared(beside(f"<section><ul>{items}</ul></section>"))


# Entries of a discussion


def entry(profile: str) -> str:
    return f"<div class=post>{profile}<div class=content>{FIRST}</div></div>"


@pytest.mark.parametrize("name", ["postprofile", "user-info", "userinfo", "poster", "message-user", "signature"])
def test_who_wrote_goes_from_beside_every_entry(name: str) -> None:
    profile = f'<dl class="{name}"><dt>anchorman</dt><dd>Joined: May 2019</dd></dl>'
    left = prepared(entry(profile) * 3, head="")
    assert "Joined" not in left
    assert left.count("The council met") == 3


@pytest.mark.parametrize(
    "page",
    [
        entry('<dl class="userinfo"><dt>anchorman</dt><dd>Joined: May 2019</dd></dl>') * 2,
        entry(f'<div class="userinfo">Joined: May 2019{FIRST}{LAST}</div>') * 3,
        '<div class="signature">Joined: May 2019</div>' * 3,
    ],
    ids=["two", "with text", "nothing else"],
)
def test_other_boxes_of_authors_stay(page: str) -> None:
    assert "Joined" in prepared(page, head="")


# Tables that a page is laid out by


LINKS = "".join(f'<a href="/{at}">Tides of year {at}</a><br>' for at in range(8))


def test_a_menu_goes_from_the_cell_beside_the_text() -> None:
    left = prepared(f"<table><tr><td>{LINKS}</td><td><font>{FIRST}{LAST}</font></td></tr></table>", head="")
    assert "Tides" not in left
    assert "The council met" in left


@pytest.mark.parametrize(
    "table",
    [
        f"<table><tr><td>{LINKS}</td><td>Short</td></tr></table>{FIRST}{LAST}",
        f"<table><tr><td>{LINKS}</td></tr><tr><td>{FIRST}{LAST}</td></tr></table>",
        f"<table><tr><td><a href='/1'>Tides of year 1</a></td><td>{FIRST}{LAST}</td></tr></table>",
    ],
    ids=["no text in the row", "rows of one cell", "one link"],
)
def test_other_cells_stay(table: str) -> None:
    assert "Tides" in prepared(table, head="")
