"""An article as the reader shows it: places for its headings, links around its images."""

from uuid import UUID

import pytest

from kept.content.article.highlights.marking import MAX_TAGS
from kept.content.article.presenting import (
    MAX_HEADING_CHARS,
    MAX_HEADINGS,
    Heading,
    PageImages,
    Pages,
    begins_with_image,
    has_image,
    present_article,
)
from kept.content.article.safe_html import SafeHtml
from kept.domain.document import PageSize

IMAGE = UUID("00000000-0000-0000-0000-000000000001")
IMG = f'<img src="/api/images/{IMAGE}" alt="A">'
LINK = ' target="_blank" rel="noopener noreferrer" referrerpolicy="no-referrer"'


def admit(html: str) -> SafeHtml:
    safe = SafeHtml.admit(html)
    assert safe is not None
    return safe


def present(html: str) -> str:
    return str(present_article(admit(html)).html)


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<h2>One</h2>", '<h2 id="s-1">One</h2>'),
        ('<h2 lang="de">Eins</h2><h3>b</h3>', '<h2 lang="de" id="s-1">Eins</h2><h3 id="s-2">b</h3>'),
        ('<h2 id="k-own">One</h2>', '<h2 id="k-own">One</h2>'),
        (f"<p>{IMG}</p>", f'<p><a class="zoom" href="/api/images/{IMAGE}">{IMG}</a></p>'),
        (f'<a href="https://x.example/"{LINK}>{IMG}</a>', f'<a href="https://x.example/"{LINK}>{IMG}</a>'),
        (f'<p>a {IMG[:-1]} class="inline"></p>', f'<p>a {IMG[:-1]} class="inline"></p>'),
        (
            f'<img src="/api/images/{IMAGE}" alt=" ">',
            f'<a class="zoom" href="/api/images/{IMAGE}" aria-labelledby="image-label">'
            f'<img src="/api/images/{IMAGE}" alt=" "></a>',
        ),
        ("<p>a &lt;h2&gt; b</p>", "<p>a &lt;h2&gt; b</p>"),
        ("<table><tr><td>1,234</td><td>a&nbsp;b</td></tr></table>",) * 2,
        ("<td> \n seventeen letters!</td>", '<td class="long"> \n seventeen letters!</td>'),
        (
            '<th scope="row" lang="de"><b>Sechzehn</b> <i>und mehr</i></th>',
            '<th scope="row" lang="de" class="long"><b>Sechzehn</b> <i>und mehr</i></th>',
        ),
        (
            "<td><table><tr><td>a</td></tr></table></td><td>The words of the next cell</td>",
            '<td><table><tr><td>a</td></tr></table></td><td class="long">The words of the next cell</td>',
        ),
    ],
)
def test_headings_get_places_images_links_and_long_cells_a_class(html: str, shown: str) -> None:
    assert present(html) == shown


def test_the_contents_are_the_two_highest_levels_as_plain_text() -> None:
    html = '<h2>A <em>&amp;</em>\n b</h2><h4>c</h4><h3> </h3><h2 id="k-d">d</h2><h6>too deep</h6><h4>e</h4>'
    assert present_article(admit(html)).contents == (
        Heading("s-1", "A & b", 0),
        Heading("s-2", "c", 1),
        Heading("k-d", "d", 0),
        Heading("s-5", "e", 1),
    )


def test_few_headings_make_no_contents() -> None:
    assert present_article(admit("<h2>a</h2><h2>b</h2>")).contents == ()


def test_contents_have_an_end_and_so_has_each_entry() -> None:
    contents = present_article(admit(f"<h2>{'long ' * 100}</h2>" * (MAX_HEADINGS + 5))).contents
    assert len(contents) == MAX_HEADINGS
    assert len(contents[0].text) == MAX_HEADING_CHARS


def test_an_article_of_nothing_but_tags_stays_as_it_is() -> None:
    html = admit("<br>" * MAX_TAGS + "<h2>a</h2>")
    assert present_article(html).html is html


def test_what_is_shown_is_not_taken_for_what_is_stored() -> None:
    shown = present(f"<h2>a</h2><p>{IMG}</p>")
    assert SafeHtml.admit(shown) is None
    assert SafeHtml.admit_shown(shown) is not None
    for wrong in ('<a class="zoom" href="/sign-out">', '<h2 id="s-x">', '<a class="zoom" href="/api/images/1">'):
        assert SafeHtml.admit_shown(wrong) is None


@pytest.mark.parametrize("size", [PageSize(1, 1_000), PageSize(1, 100_000), PageSize(100_000, 1), PageSize(0, 0)])
def test_pages_of_every_shape_are_shown(size: PageSize) -> None:
    pages = Pages(images=PageImages(IMAGE, (size,)))
    assert 'class="page"' in str(present_article(admit("<section><p>a</p></section>"), pages).html)


def test_an_article_begins_with_an_image_that_comes_before_three_hundred_letters() -> None:
    assert begins_with_image(admit(f"<p>Short.</p>{IMG}"))
    assert not begins_with_image(admit(f"<p>{'x' * 300}</p>{IMG}"))
    assert not begins_with_image(admit("<p>None.</p>"))
    assert has_image(admit(IMG), IMAGE)
    assert not has_image(admit(IMG), UUID(int=2))
