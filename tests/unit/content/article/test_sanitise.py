"""Each rule of the sanitiser (docs/design.md, "Sanitising") has a test here that names it."""
# ruff: noqa: E501 (markup reads better unbroken)

import re
from html import escape
from uuid import UUID, uuid5

import pytest
from jinja2 import Environment

from kept.content.article.safe_html import KEPT_TAGS, LINK_GUARD, VOID_TAGS
from kept.content.article.sanitise import SafeHtml, SanitisedArticle, SanitiseFailed, sanitise_article

pytestmark = [
    pytest.mark.requirement("002", "§7 sanitising"),
    pytest.mark.requirement("004", "§12", "§13"),
]

MEDIA = UUID("0192f0c1-2222-7000-8000-00000000abcd")
PAGE = "https://site.example/blog/post"


def sanitise(html: str, *, base_url: str = PAGE, canonical_url: str = PAGE) -> SanitisedArticle:
    result = sanitise_article(html, base_url=base_url, canonical_url=canonical_url, media_id=MEDIA)
    assert isinstance(result, SanitisedArticle), result
    return result


def clean(html: str) -> str:
    return str(sanitise(html).html)


def image_src(origin: str) -> str:
    return f"/api/images/{uuid5(MEDIA, origin)}"


# A tag that only stands inside another, and what it stands in.
_CONTEXT = {
    "li": "<ul>{}</ul>", "dt": "<dl>{}</dl>", "dd": "<dl>{}</dl>", "figcaption": "<figure>{}</figure>",
    "caption": "<table>{}</table>", "colgroup": "<table>{}</table>", "thead": "<table>{}</table>",
    "tbody": "<table>{}</table>", "tfoot": "<table>{}</table>", "tr": "<table><tbody>{}</tbody></table>",
    "col": "<table><colgroup>{}</colgroup></table>", "td": "<table><tbody><tr>{}</tr></tbody></table>",
    "th": "<table><tbody><tr>{}</tr></tbody></table>", "rb": "<ruby>{}</ruby>", "rt": "<ruby>{}</ruby>",
    "rtc": "<ruby>{}</ruby>", "rp": "<ruby>{}</ruby>", "summary": "<details>{}</details>",
}  # fmt: skip


@pytest.mark.parametrize("tag", sorted(KEPT_TAGS - {"a", "img"}))
def test_a_tag_of_an_articles_text_and_structure_is_kept(tag: str) -> None:
    bare = {"table", "colgroup", "thead", "tbody", "tfoot", "tr"}
    element = f"<{tag}>" if tag in VOID_TAGS else f"<{tag}>{'' if tag in bare else 'x'}</{tag}>"
    written = _CONTEXT.get(tag, "{}").format(element)
    assert clean(written) == written


@pytest.mark.parametrize(
    "tag",
    [
        "script", "style", "template", "object", "svg", "noscript", "title", "canvas", "audio", "video",
        "button", "select", "textarea", "datalist", "output", "progress", "meter", "noembed", "noframes", "applet",
    ],
)  # fmt: skip
def test_a_dangerous_or_useless_element_is_removed_with_its_content(tag: str) -> None:
    assert clean(f"<p>a</p><{tag}>secret</{tag}><p>b</p>") == "<p>a</p><p>b</p>"


@pytest.mark.parametrize("tag", ["link", "meta", "base", "embed", "input", "source", "track", "param"])
def test_a_void_element_of_machinery_is_removed(tag: str) -> None:
    assert clean(f'<p>a</p><{tag} href="https://x.example" content="x"><p>b</p>') == "<p>a</p><p>b</p>"


def test_an_iframe_of_nobody_we_know_is_removed_with_its_content() -> None:
    assert clean('<p>a</p><iframe src="https://ads.example/x">text</iframe>') == "<p>a</p>"


@pytest.mark.parametrize("tag", ["span", "font", "x-widget", "label", "wbr", "big", "tt", "nobr", "map"])
def test_any_other_tag_is_unwrapped(tag: str) -> None:
    assert clean(f"<p>a<{tag}>b</{tag}></p>").replace("</wbr>", "") == "<p>ab</p>"


@pytest.mark.parametrize("tag", ["aside", "main", "header", "footer", "nav", "form", "address", "center"])
def test_an_unwrapped_block_leaves_a_line_break_so_that_words_do_not_run_together(tag: str) -> None:
    assert clean(f"a<{tag}>b</{tag}>c").split() == ["a", "b", "c"]


# --- places within the article ------------------------------------------------------------------------------------------


def test_a_footnote_is_reached_within_the_article_and_leads_back() -> None:
    assert clean(
        '<p>Words<sup id="ref1"><a href="#fn1">1</a></sup></p><ol><li id="fn1">A note <a href="#ref1">↩</a></li></ol>'
    ) == (
        '<p>Words<sup id="k-ref1"><a href="#k-fn1">1</a></sup></p><ol><li id="k-fn1">A note <a href="#k-ref1">↩</a></li></ol>'
    )


@pytest.mark.parametrize("href", [f"{PAGE}#fn1", "/blog/post#fn1", "post#fn1", "#fn%31"])
def test_a_place_is_found_however_its_link_is_written(href: str) -> None:
    assert '<a href="#k-fn1">1</a>' in clean(f'<p><a href="{href}">1</a></p><p id="fn1">A note</p>')


def test_an_id_that_no_link_leads_to_is_dropped() -> None:
    assert clean('<p id="intro">Words</p>') == "<p>Words</p>"


def test_a_place_that_is_not_in_the_article_is_on_the_page_itself() -> None:
    assert clean('<p><a href="#comments">c</a></p>') == f'<p><a href="{PAGE}#comments"{LINK_GUARD}>c</a></p>'


@pytest.mark.parametrize("place", ['<a name="fn1"></a>', '<span id="fn1"></span>', '<a id="fn1"></a>'])
def test_a_place_on_an_element_that_is_not_kept_stays_where_it_was(place: str) -> None:
    assert clean(f'<p><a href="#fn1">1</a></p><p>{place}A note</p>') == (
        '<p><a href="#k-fn1">1</a></p><p><a id="k-fn1"></a>A note</p>'
    )


def test_the_first_of_two_ids_of_one_name_counts() -> None:
    assert clean('<p><a href="#x">1</a></p><p id="x">A</p><p id="x">B</p>').endswith('<p id="k-x">A</p><p>B</p>')


def test_a_link_to_a_place_that_is_lost_is_none() -> None:
    assert clean('<p><a href="#x">1</a></p><p><a href="https://x.example/">a <span id="x">b</span></a></p>').startswith(
        "<p>1</p>"
    )


@pytest.mark.parametrize("name", ["Überschrift 1", 'a"b', "<x>", "注1", "a.b", "javascript:x"])
def test_an_id_of_any_letters_becomes_one_that_every_format_allows(name: str) -> None:
    written = clean(f'<p><a href="#{escape(name)}">1</a></p><p id="{escape(name)}">A note</p>')
    found = re.fullmatch(r'<p><a href="#(k-[A-Za-z0-9_.-]+)">1</a></p><p id="(k-[A-Za-z0-9_.-]+)">A note</p>', written)
    assert found
    assert found[1] == found[2]


def test_different_ids_stay_different() -> None:
    written = clean('<p><a href="#a.b">1</a><a href="#a.2eb">2</a></p><p id="a.b">A</p><p id="a.2eb">B</p>')
    assert len(set(re.findall(r' id="([^"]+)"', written))) == 2


# --- formulas ---------------------------------------------------------------------------------------------------------


def test_a_formula_is_kept_as_mathml_with_what_its_author_typed() -> None:
    formula = (
        '<math display="block" xmlns="http://www.w3.org/1998/Math/MathML" class="x"><semantics><mrow><mi>x</mi><mo>=</mo>'
        '<mfrac><mn>1</mn><mn>2</mn></mfrac></mrow><annotation encoding="application/x-tex">x=\\frac12</annotation></semantics></math>'
    )
    assert clean(f"<p>{formula}</p>") == (
        '<p><math display="block" alttext="x=\\frac12"><mrow><mi>x</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></mrow></math></p>'
    )


@pytest.mark.parametrize(
    ("formula", "kept"),
    [
        (
            "<math><mi onclick=x mathvariant=normal href=//x.example>a</mi></math>",
            '<math><mi mathvariant="normal">a</mi></math>',
        ),
        ('<math>"<mtext>if "a"</mtext></math>', '<math><mtext>"</mtext><mtext>if "a"</mtext></math>'),
        (
            '<math><mfenced open="&quot;"><mi>a</mi></mfenced></math>',
            '<math><mrow><mo>"</mo><mi>a</mi><mo>)</mo></mrow></math>',
        ),
        ("<math><mtext>a<script>x</script><img src=x onerror=y></mtext></math>", "<math><mtext>a</mtext></math>"),
        (
            "<math><mtext><table><mglyph><style><!--</style><img title='--><img src=1 onerror=x>'></math>",
            "<math><mtext></mtext></math>",
        ),
        (
            "<math><annotation-xml encoding='text/html'><p>HTML</p></annotation-xml><mi>a</mi></math>",
            "<math><mi>a</mi></math>",
        ),
        (
            "<math><maction actiontype=statusline xlink:href='javascript:x'><mi>a</mi><mi>b</mi></maction></math>",
            "<math><mrow><mi>a</mi></mrow></math>",
        ),
        (
            "<math><mfenced open='['><mi>a</mi><mi>b</mi></mfenced></math>",
            "<math><mrow><mo>[</mo><mi>a</mi><mo>,</mo><mi>b</mi><mo>)</mo></mrow></math>",
        ),
        ("<math></math>", ""),
        ("<mi>a</mi>", "a"),
    ],
)
def test_nothing_but_the_formula_stands_in_a_formula(formula: str, kept: str) -> None:
    written = clean(f"<p>b</p><div>{formula}</div>")
    assert written.removeprefix("<p>b</p>") in (f"<div>{kept}</div>", kept), written


def test_a_formula_nested_without_end_is_cut_off() -> None:
    assert isinstance(sanitise("<p>a</p><math>" + "<mrow>" * 5_000 + "<mi>x</mi>"), SanitisedArticle)


# --- images in a line -------------------------------------------------------------------------------------------------


def test_an_image_in_a_line_of_text_says_so() -> None:
    assert clean('<p>Press <img src="/key.png" alt="K"> to go</p>').startswith("<p>Press <img ")
    assert ' alt="K" class="inline"> to go' in clean('<p>Press <img src="/key.png" alt="K"> to go</p>')
    assert 'class="inline"' in clean('<p>See <a href="/x"><img src="/key.png"></a></p>')


@pytest.mark.parametrize(
    "html",
    [
        '<p><img src="/a.png"></p>',
        '<p> <img src="/a.png"> <br>Words below</p>',
        '<figure><img src="/a.png"><figcaption>Words</figcaption></figure>',
    ],
)
def test_an_image_of_its_own_says_nothing(html: str) -> None:
    assert "inline" not in clean(html)


@pytest.mark.parametrize(
    ("element", "url", "words"),
    [
        ('<audio src="/talk.mp3" controls>No audio</audio>', "https://site.example/talk.mp3", "Listen to the recording"),
        ('<video poster="/p.jpg"><source src="clip.webm"></video>', "https://site.example/blog/clip.webm", "Watch the video"),
        ('<audio src="/a.mp3" title="Episode 7"></audio>', "https://site.example/a.mp3", "Episode 7"),
    ],
)  # fmt: skip
def test_a_recording_of_the_page_leaves_a_link(element: str, url: str, words: str) -> None:
    assert clean(f"<div>{element}</div>") == f'<div><p><a href="{url}"{LINK_GUARD}>{words}</a></p></div>'


@pytest.mark.parametrize("src", ["javascript:x", "data:audio/mp3;base64,AA", "blob:https://x.example/1", ""])
def test_a_recording_that_cannot_be_linked_leaves_nothing(src: str) -> None:
    assert clean(f'<p>a</p><audio src="{src}"></audio>') == "<p>a</p>"


def test_an_article_becomes_a_div() -> None:
    assert clean("<article><p>a</p></article>") == "<div><p>a</p></div>"


def test_a_section_is_kept() -> None:
    assert clean("<section><p>a</p></section>") == "<section><p>a</p></section>"


def test_a_picture_becomes_its_image() -> None:
    html = '<picture><source srcset="b.webp 2x"><img src="a.jpg" alt="A"></picture>'
    assert clean(html) == f'<img src="{image_src("https://site.example/blog/a.jpg")}" alt="A">'


def test_a_picture_whose_image_has_no_source_takes_its_best_candidate() -> None:
    html = '<picture><source srcset="s.webp 320w, l.webp 1280w"><img alt="A"></picture>'
    assert sanitise(html).images[0].origin_url == "https://site.example/blog/l.webp"


def test_comments_are_removed() -> None:
    assert clean("<p>a<!-- secret --><!-->b</p>") == "<p>ab</p>"


@pytest.mark.parametrize(
    "attribute",
    ["class=x", "id=x", "name=x", 'style="color:red"', "onclick=x", "data-x=1", "srcset=x", "tabindex=1"],
)
def test_no_attribute_that_is_not_listed_survives(attribute: str) -> None:
    assert clean(f"<p {attribute}>a</p>") == "<p>a</p>"
    assert attribute.split("=")[0] not in clean(f'<img src="a.png" {attribute}>').replace("api/images", "")
    assert attribute.split("=")[0] + "=" not in clean(f'<a href="/x" {attribute}>a</a>')


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<p lang="de" dir="rtl">a</p>', '<p lang="de" dir="rtl">a</p>'),
        ('<p lang="d&quot;e" dir="up">a</p>', "<p>a</p>"),
        (
            '<ol start="3" reversed><li value="-2">a</li></ol>',
            '<ol start="3" reversed=""><li value="-2">a</li></ol>',
        ),
        ('<ol start="x" type="a"><li value="1.5">a</li></ol>', "<ol><li>a</li></ol>"),
        ('<time datetime="2020-01-02">x</time>', '<time datetime="2020-01-02">x</time>'),
        ('<time datetime="' + "9" * 100 + '">x</time>', "<time>x</time>"),
        ('<abbr title="Hyper &amp; Text">H</abbr>', '<abbr title="Hyper &amp; Text">H</abbr>'),
        ('<p title="x">a</p>', "<p>a</p>"),
        ('<blockquote cite="/s">a</blockquote>', '<blockquote cite="https://site.example/s">a</blockquote>'),
        ('<q cite="javascript:alert(1)">a</q>', "<q>a</q>"),
        (
            '<del cite="/x" datetime="2020">a</del>',
            '<del cite="https://site.example/x" datetime="2020">a</del>',
        ),
    ],
)
def test_a_listed_attribute_is_kept_if_its_value_makes_sense(html: str, expected: str) -> None:
    assert clean(html) == expected


def test_cells_keep_their_spans_and_scope() -> None:
    html = '<table><tbody><tr><th colspan="2" rowspan="3" scope="row">a</th><td scope="all">b</td></tr></tbody></table>'
    assert clean(html) == html.replace(' scope="all"', "")


def test_a_span_that_would_blow_up_the_layout_is_dropped() -> None:
    html = '<table><tbody><tr><td colspan="100000" rowspan="0">a</td></tr></tbody></table>'
    assert clean(html) == "<table><tbody><tr><td>a</td></tr></tbody></table>"


def test_an_image_keeps_its_texts_and_its_size_in_pixels() -> None:
    html = '<img src="/a.png" alt="A &lt;b&gt;" title="T" width="640px" height="50%">'
    src = image_src("https://site.example/a.png")
    assert clean(html) == f'<img src="{src}" alt="A &lt;b&gt;" title="T" width="640">'


def test_a_link_is_made_absolute_and_guarded() -> None:
    guarded = ' target="_blank" rel="noopener noreferrer" referrerpolicy="no-referrer"'
    assert guarded == LINK_GUARD
    assert clean('<a href="../x?a=1&amp;b=2" rel="me" target="_top">a</a>') == (
        f'<a href="https://site.example/x?a=1&amp;b=2"{guarded}>a</a>'
    )


def test_links_are_relative_to_the_base_url() -> None:
    result = sanitise('<a href="x">a</a><img src="y.png">', base_url="https://cdn.example/deep/")
    assert 'href="https://cdn.example/deep/x"' in str(result.html)
    assert result.images[0].origin_url == "https://cdn.example/deep/y.png"


@pytest.mark.parametrize("href", ["https://a.example/", "http://a.example/", "mailto:a@b.example"])
def test_http_https_and_mailto_links_are_kept(href: str) -> None:
    assert clean(f'<a href="{href}">a</a>') == f'<a href="{href}"{LINK_GUARD}>a</a>'


@pytest.mark.parametrize(
    "href",
    [
        "javascript:alert(1)", "JaVa\tScRiPt:alert(1)", "&#1;javascript:alert(1)", "data:text/html,x", "vbscript:x",
        "file:///etc/passwd", "ftp://a.example", "blob:https://a.example/x", "about:blank", "tel:1", "http://", "",
        "view-source:https://a.example", "https://[::1", "intent://x", "mailto:",
    ],
)  # fmt: skip
def test_a_link_of_any_other_kind_is_unwrapped(href: str) -> None:
    assert clean(f'<p><a href="{href}">a</a></p>') == "<p>a</p>"


def test_an_anchor_without_an_address_is_unwrapped() -> None:
    assert clean('<p><a name="top">a</a><a>b</a></p>') == "<p>ab</p>"


def test_a_link_within_the_page_leads_to_the_page_itself_since_ids_are_not_kept() -> None:
    result = sanitise('<a href="#fn1">1</a>', base_url="https://cdn.example/", canonical_url=PAGE)
    assert str(result.html) == f'<a href="{PAGE}#fn1"{LINK_GUARD}>1</a>'


@pytest.mark.parametrize("href", ["#", "#top", "#Top"])
def test_a_link_to_the_top_of_the_page_is_unwrapped(href: str) -> None:
    assert clean(f'<p><a href="{href}">up</a></p>') == "<p>up</p>"


@pytest.mark.requirement("differs", "004 §12: images at `/media/image?url=` → opaque ids (002 §7)")
def test_an_image_shows_our_copy_under_an_id_made_of_media_and_origin() -> None:
    result = sanitise('<img src="/a b.png">')
    origin = "https://site.example/a%20b.png"
    assert str(result.html) == f'<img src="{image_src(origin)}">'
    assert [(image.id, image.origin_url) for image in result.images] == [(uuid5(MEDIA, origin), origin)]


def test_images_are_listed_once_in_the_order_they_appear() -> None:
    result = sanitise('<img src="b.png"><img src="a.png"><img src="b.png">')
    assert [image.origin_url[-5:] for image in result.images] == ["b.png", "a.png"]
    assert str(result.html).count("<img") == 3


@pytest.mark.parametrize(
    "img",
    [
        "<img>", '<img src="">', '<img alt="x">', '<img src="data:image/png;base64,AAAA">', '<img src="javascript:1">',
        '<img src="blob:x">', '<img src="cid:1">', '<img src="https://x.example/' + "a" * 2048 + '">',
    ],
)  # fmt: skip
def test_an_image_with_no_usable_source_is_dropped(img: str) -> None:
    result = sanitise(f"<p>a{img}b</p>")
    assert str(result.html) == "<p>ab</p>"
    assert result.images == ()


def test_an_image_with_only_candidates_takes_the_best() -> None:
    result = sanitise('<img srcset="a.jpg 320w, b.jpg 1600w, c.jpg 9000w">')
    assert result.images[0].origin_url == "https://site.example/blog/b.jpg"


def test_no_external_src_survives() -> None:
    html = clean(
        '<img src="https://t.example/p.gif"><video src="https://t.example/v"></video><input src="//t.example">'
    )
    assert "t.example" not in html.replace('<a href="https://t.example/v"', "")


@pytest.mark.parametrize(
    ("src", "page", "service"),
    [
        (
            "https://www.youtube.com/embed/dQw4w9WgXcQ?rel=0",
            "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
            "YouTube",
        ),
        (
            "//www.youtube-nocookie.com/embed/dQw4w9WgXcQ",
            "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
            "YouTube",
        ),
        (
            "https://www.youtube.com/embed/videoseries?list=PL1",
            "https://www.youtube.com/playlist?list=PL1",
            "YouTube",
        ),
        ("https://player.vimeo.com/video/76979871?h=1", "https://vimeo.com/76979871", "Vimeo"),
        (
            "https://www.dailymotion.com/embed/video/x7u5j",
            "https://www.dailymotion.com/video/x7u5j",
            "Dailymotion",
        ),
        ("https://open.spotify.com/embed/track/4uLU6h", "https://open.spotify.com/track/4uLU6h", "Spotify"),
        ("https://w.soundcloud.com/player/?url=x", "https://w.soundcloud.com/player/?url=x", "SoundCloud"),
        ("https://archive.org/embed/night_of", "https://archive.org/details/night_of", "Internet Archive"),
        (
            "https://geo.dailymotion.com/player/x.html",
            "https://geo.dailymotion.com/player/x.html",
            "Dailymotion",
        ),
    ],
)
def test_an_iframe_of_a_known_player_becomes_a_plain_link(src: str, page: str, service: str) -> None:
    link = f'<a href="{page}"{LINK_GUARD}>Watch on {service}</a>'
    assert clean(f'<div><iframe src="{src}" allow="autoplay"></iframe></div>') == f"<div><p>{link}</p></div>"


def test_a_player_in_running_text_does_not_break_the_line_and_keeps_its_title() -> None:
    html = '<p>See <iframe title="A &lt;talk&gt;" src="https://youtu.be/dQw4w9WgXcQ"></iframe> now</p>'
    link = f'<a href="https://www.youtube.com/watch?v=dQw4w9WgXcQ"{LINK_GUARD}>A &lt;talk&gt;</a>'
    assert clean(html) == f"<p>See {link} now</p>"


def test_a_video_of_a_known_player_becomes_a_plain_link() -> None:
    html = '<video><source src="https://archive.org/embed/x"></video>'
    assert clean(html) == f'<p><a href="https://archive.org/details/x"{LINK_GUARD}>Watch on Internet Archive</a></p>'


def test_the_newline_a_parser_would_drop_from_a_pre_is_dropped_once_and_for_all() -> None:
    assert clean("<pre>\n\n  a\n b</pre>") == "<pre>  a\n b</pre>"


def test_a_hard_space_and_special_characters_are_escaped() -> None:
    assert clean("<p>a\u00a0b &lt;script&gt; &amp;amp; \"'</p>") == "<p>a&nbsp;b &lt;script&gt; &amp;amp; \"'</p>"


# ---- mutation: markup that one parser reads as harmless and the next as a script -----------------------------------

MUTATIONS = [
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    "<template><s><template><s><img src=x onerror=alert(1)></s></template></s></template>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<p><svg><foreignObject><p><style><!--</style><img src=x onerror=alert(1)>-->",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    '<xmp><p title="</xmp><img src=x onerror=alert(1)>"></xmp>',
    "<plaintext><img src=x onerror=alert(1)>",
    "<select><template></select><img src=x onerror=alert(1)></template>",
    "<a href=x>1<table><tr><td><a href=y onclick=z>2</a></td></tr></table></a>",
    "<b><p><i></b>x</p></i><p>",
    "<table><a href='javascript:x'>a<tr><img src=x onerror=1></tr></table>",
    "<textarea></textarea><!--</textarea><img src=x onerror=alert(1)>-->",
]


@pytest.mark.parametrize("html", MUTATIONS)
def test_what_is_written_means_the_same_to_the_next_parser(html: str) -> None:
    once = clean(html)
    assert SafeHtml.admit(once) is not None
    again = sanitise_article(once, base_url=PAGE, canonical_url=PAGE, media_id=MEDIA)
    assert isinstance(again, SanitisedArticle)
    # Pictures get new ids, since their source is another; all else is the same text to the letter.
    assert str(again.html).split("/api/images/")[0] == once.split("/api/images/")[0]


# ---- bounds --------------------------------------------------------------------------------------------------------


def test_nesting_up_to_the_limit_is_kept() -> None:
    html = "<div>" * 400 + "x" + "</div>" * 400
    assert clean(html) == html


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<div>" * 50_000, "nested"),
        ("<li><dd>" * 8_000, "nested"),
        ("<p>" + "".join(f"<b id={n}>" for n in range(4000)) + "<p>x" * 4000, "multiply"),
        ("<div>" + "".join(f"<b id={n}></div><div>" for n in range(4000)), "multiply"),
        ("<p " + " ".join(f"a{n}=1" for n in range(100_000)) + ">", "attributes"),
        ("x" * (10 * 1024 * 1024 + 1), "longer"),
    ],
)
def test_markup_beyond_bounds_is_a_clear_failure(html: str, words: str) -> None:
    result = sanitise_article(html, base_url=PAGE, canonical_url=PAGE, media_id=MEDIA)
    assert isinstance(result, SanitiseFailed)
    assert words in result.reason


def test_formatting_that_would_multiply_without_end_is_a_clear_failure() -> None:
    formatting = "".join(f"<b id={n}>" for n in range(400))
    result = sanitise_article("<p>" + formatting + "<p>x" * 6000, base_url=PAGE, canonical_url=PAGE, media_id=MEDIA)
    assert isinstance(result, SanitiseFailed)
    assert "multiply" in result.reason


# ---- the value type ------------------------------------------------------------------------------------------------


def test_safe_html_cannot_be_constructed_or_changed() -> None:
    with pytest.raises(TypeError):
        SafeHtml()
    with pytest.raises(TypeError):
        SafeHtml("<p>a</p>")  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        sanitise("<p>a</p>").html._html = "<script>"


@pytest.mark.parametrize(
    "html",
    [
        "<script>alert(1)</script>", "<p onclick=x>a</p>", '<p class="x">a</p>', "<img src=x onerror=alert(1)>",
        '<a href="javascript:alert(1)">a</a>', f'<a href="javascript:alert(1)"{LINK_GUARD}>a</a>', "<p", "<", "<!-- -->",
        '<a href="https://x.example">a</a>', '<img src="https://x.example/a.png">', "<P>a</P>", "<iframe></iframe>",
        '<img src="/api/images/../../x">', '<abbr title="a" onclick="b">c</abbr>', "<p >a</p>", "<svg></svg>",
    ],
)  # fmt: skip
def test_stored_markup_that_sanitise_did_not_write_is_not_admitted(html: str) -> None:
    assert SafeHtml.admit(html) is None


def test_stored_markup_that_sanitise_wrote_is_admitted_as_it_is() -> None:
    safe = sanitise('<h2>T</h2><p>a <a href="/x">b</a><img src="i.png" alt="c"></p>').html
    assert SafeHtml.admit(str(safe)) == safe


def test_a_template_shows_safe_html_as_it_is_and_escapes_all_else() -> None:
    template = Environment(autoescape=True).from_string("{{ a }}|{{ b }}")
    assert template.render(a=sanitise("<p>x</p>").html, b="<p>x</p>") == "<p>x</p>|&lt;p&gt;x&lt;/p&gt;"


def test_nul_bytes_and_lone_surrogates_are_survived() -> None:
    assert clean("<p>a\0b\ud800c</p>") == "<p>ab\ufffdc</p>"


def test_a_frameset_cannot_take_the_place_of_the_article() -> None:
    assert clean("<frameset><frame src=x></frameset><p>a</p>") == "<p>a</p>"
