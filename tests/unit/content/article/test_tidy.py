"""What the sidecar is given."""

import pytest

from kept.content.article.tidy import tidy


def test_a_page_without_html_head_and_body_gets_them() -> None:
    assert tidy("<p>One<p>Two") == "<html><head></head><body><p>One</p><p>Two</p></body></html>"


def test_scripts_and_styles_go_but_structured_data_stays() -> None:
    page = '<script>alert(1)</script><style>p{}</style><script type="application/ld+json">{"a":1}</script><p>Text'
    assert tidy(page) == (
        '<html><head><script type="application/ld+json">{"a":1}</script></head><body><p>Text</p></body></html>'
    )


def test_a_picture_that_only_a_noscript_shows_is_shown() -> None:
    assert '<figure><img src="/a.jpg"></figure>' in tidy('<figure><noscript><img src="/a.jpg"></noscript></figure>')


def test_a_noscript_beside_its_lazy_image_is_left_to_readability() -> None:
    assert "<noscript>" in tidy('<figure><img data-src="/a.jpg"><noscript><img src="/a.jpg"></noscript></figure>')


def test_a_noscript_that_asks_for_javascript_is_left_alone() -> None:
    assert "<noscript>" in tidy('<noscript>Please enable JavaScript <img src="/p.gif"></noscript>')


def test_a_noscript_that_nobody_closed_gives_the_page_back() -> None:
    assert "<noscript>" not in tidy("<body><noscript><p>Please enable JavaScript<div><h1>The bridge</h1></div>")


def test_an_amp_picture_becomes_a_picture() -> None:
    page = '<amp-img src="/a.jpg" alt="A" width="300" layout="fill"><noscript><img src="/b.jpg"></noscript></amp-img>'
    assert '<body><img src="/a.jpg" alt="A" width="300"></body>' in tidy(page)


def test_the_menu_and_the_footer_of_a_site_go() -> None:
    page = "<body><nav><a href='/'>Home</a></nav><p>Text</p><footer>Imprint</footer>"
    assert tidy(page) == "<html><head></head><body><p>Text</p></body></html>"


def test_a_table_of_contents_inside_the_article_stays() -> None:
    assert "Chapter" in tidy("<body><main><nav><a href='#1'>Chapter</a></nav><p>Text</p></main>")


def test_a_menu_that_wraps_the_article_stays() -> None:
    assert "Text" in tidy("<body><div role='navigation'><article><p>Text</p></article></div>")


DRAWN = '<span class="katex-html" aria-hidden="true">x</span>'


@pytest.mark.parametrize(
    "page",
    [
        f'<span class="katex"><span class="katex-mathml"><math><mi>x</mi></math></span>{DRAWN}</span>',
        '<span class="mwe-math-element"><span hidden><math><mi>x</mi></math></span><img src="x.svg"></span>',
        "<mjx-container><mjx-math>x</mjx-math><mjx-assistive-mml><math><mi>x</mi></math></mjx-assistive-mml></mjx-container>",
    ],
)
def test_a_formula_takes_the_place_of_its_drawing(page: str) -> None:
    assert tidy(f"<p>Let {page} be.") == "<html><head></head><body><p>Let <math><mi>x</mi></math> be.</p></body></html>"


def test_a_formula_of_which_only_the_source_is_there_is_shown_by_it() -> None:
    assert "<p>Let \\(x^2\\) be.</p>" in tidy('<p>Let <script type="math/tex">x^2</script> be.</p>')


def test_the_source_of_a_formula_that_was_drawn_goes() -> None:
    drawn = '<span class="MathJax"><math><mi>x</mi></math></span><script type="math/tex">x</script>'
    assert "<p><math><mi>x</mi></math></p>" in tidy(f"<p>{drawn}</p>")


CHART = '<svg viewBox="0 0 640 320"><title>Rain in {}</title><rect width="9" height="9"/><text>May</text></svg>'


def test_a_drawing_leaves_its_words_and_a_link_to_the_page() -> None:
    page = f"<figure>{CHART.format('Bergen &amp; Oslo')}<figcaption>Rain</figcaption></figure>"
    assert (
        '<figure><p><a href="https://site.example/a?b=1&amp;c">Drawing on the original page</a>'
        ": Rain in Bergen &amp; Oslo</p><figcaption>Rain</figcaption></figure>"
    ) in tidy(page, "https://site.example/a?b=1&c")


@pytest.mark.parametrize(
    "svg",
    [
        '<svg width="24" height="24" viewBox="0 0 640 320"><title>Menu</title></svg>',
        '<svg viewBox="0 0 1440 320"><path d="M0 0"/></svg>',
        f'<a href="/">{CHART.format("a link")}</a>',
        CHART.format("x").replace("<svg", '<svg aria-hidden="true"'),
        '<svg viewBox="0 0 nan inf" width="1e999x"><title>Numbers that are none</title></svg>',
        '<svg viewBox="0 0 640"><title>Half a box</title></svg>',
    ],
)
def test_icons_logos_and_decoration_leave_nothing(svg: str) -> None:
    assert "Drawing" not in tidy(f"<p>Text</p>{svg}", "https://site.example/")
