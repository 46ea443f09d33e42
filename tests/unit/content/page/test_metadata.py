# ruff: noqa: E501 (markup reads better unbroken)
from datetime import UTC, datetime

import pytest

from kept.content.page.description import PageMetadata
from kept.content.page.metadata import read_metadata

pytestmark = [
    pytest.mark.requirement("000", "FR-003"),
    pytest.mark.requirement("003", "§3.4 metadata shape"),
    pytest.mark.requirement("Kept", "title, byline, date, site, language, lead image (`./bench metadata`)"),
]

URL = "https://site.example/blog/post"
SITE = '<meta property="og:site_name" content="Evening Echo">'
PROSE = "The harbour was quiet that morning, and the boats lay still on the water while the town slept on."


def read(html: str, url: str = URL) -> PageMetadata:
    return read_metadata(html, url)


def meta(**properties: str) -> str:
    return "".join(
        f'<meta property="{name.replace("_", ":")}" content="{value}">' for name, value in properties.items()
    )


# ---- title ---------------------------------------------------------------------------------------------------------


def test_the_title_is_og_title_then_the_title_element_then_the_first_heading() -> None:
    og, element, heading = (
        meta(og_title="Open"),
        "<title>Element</title>",
        "<body><h1>Heading <b>one</b></h1><h1>Two</h1>",
    )
    assert read(og + element + heading).title == "Open"
    assert read(element + heading).title == "Element"
    assert read(heading).title == "Heading one"
    assert read("<p>nothing</p>").title is None


def test_an_empty_og_title_is_passed_over() -> None:
    assert read('<meta property="og:title" content=" "><title>T</title>').title == "T"


def test_twitter_and_json_ld_titles_are_last_resorts_behind_the_heading() -> None:
    twitter = '<meta name="twitter:title" content="Card">'
    linked = '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Linked"}</script>'
    assert read(f"<head>{twitter}</head><body><h1>Heading</h1>").title == "Heading"
    assert read(f"<head>{twitter}{linked}</head><body><p>x").title == "Card"
    assert read(f"<head>{linked}</head><body><p>x").title == "Linked"


def test_entities_are_decoded_once() -> None:
    """A page about HTML has "&amp;lt;" in its title, and means "&lt;", as every browser shows it."""
    assert read("<title>Tom &amp; Jerry&#8217;s</title>").title == "Tom & Jerry’s"
    assert read("<title>How to write &amp;lt;b&amp;gt; in HTML</title>").title == "How to write &lt;b&gt; in HTML"
    assert read(meta(og_title="&amp;amp; and &amp;#38;")).title == "&amp; and &#38;"
    assert read(meta(og_description="What &amp;lt;p&amp;gt; is for")).excerpt == "What &lt;p&gt; is for"
    assert read("<h1>The &amp;nbsp; entity</h1>").title == "The &nbsp; entity"


def test_what_a_site_escaped_twice_is_decoded_twice_where_the_page_shows_it() -> None:
    assert read(meta(og_title="Don&amp;#8217;t panic")).title == "Don’t panic"
    title = "<title>Bed &amp; breakfast | Site</title>"
    assert read(title + meta(og_title="Bed &amp;amp; breakfast")).title == "Bed & breakfast"
    said = '<meta name="description" content="Milk &amp; honey">'
    assert read(said + meta(og_description="Milk &amp;amp; honey")).excerpt == "Milk & honey"


def test_an_excerpt_has_spaces_where_the_page_has_them() -> None:
    """Words that a line break parts are two."""
    said = "A project of <a href=/n>members of Netscape</a>. It began in <b>1998</b>, and goes on<br>to this day, they say."
    found = read(f"<body><p>{said}</p>").excerpt
    assert found == "A project of members of Netscape. It began in 1998, and goes on to this day, they say."


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("<h1>Writing a lexer in C</h1>", "Writing a lexer in C"),
        ("<h1>Writing a <em>lexer</em> in C</h1>", "Writing a lexer in C"),
        ("<h1><a href=/>Writing a lexer in C</a></h1>", "Writing a lexer in C — Ada's blog"),
        ("<h1>Another heading</h1>", "Writing a lexer in C — Ada's blog"),
        ("<h1>Writing a lexer in C", "Writing a lexer in C — Ada's blog"),
    ],
)
def test_a_title_ends_where_the_heading_of_the_page_does(body: str, title: str) -> None:
    head = "<head><title>Writing a lexer in C — Ada's blog</title><meta name=description content=D></head>"
    assert read(f"{head}<body>{body}<p>x").title == title


def test_an_account_as_the_name_of_a_site_is_a_name() -> None:
    assert read('<meta property="og:site_name" content="@gazette">').site_name == "gazette"


@pytest.mark.requirement("Kept", "odd scripts, entities and encodings")
def test_a_paragraph_of_26_chinese_characters_is_an_excerpt() -> None:
    paragraph = "议会在星期二开会讨论将旧桥关闭两年的计划，人们都来了。"
    html = f"<body><p>图片由作者提供，二〇二一年五月</p><p>{paragraph}</p><p>{paragraph * 3}</p>"
    assert read(html).excerpt == paragraph


def test_json_ld_which_no_parser_decodes_is_decoded_once() -> None:
    script = (
        '<script type="application/ld+json">{"@type": "Article", "headline": "Tom &amp; &amp;lt;b&amp;gt;"}</script>'
    )
    assert read(script).title == "Tom & &lt;b&gt;"


def test_white_space_is_cleaned_and_the_invisible_removed() -> None:
    assert read("<title>\n  A\u00a0 b\t\u200bc\u00ad </title>").title == "A b c"


def test_a_long_title_is_cut_after_a_word_at_500_characters() -> None:
    title = read("<title>" + "word " * 300 + "</title>").title
    assert title is not None
    assert len(title) <= 500
    assert title.endswith("word…")


def test_the_title_of_a_drawing_is_not_the_pages() -> None:
    assert read("<svg><title>Menu</title></svg><body><svg><title>Icon</title></svg><h1>H</h1>").title == "H"


# ---- excerpt -------------------------------------------------------------------------------------------------------


def test_the_excerpt_is_og_description_then_meta_description_then_a_meaningful_paragraph() -> None:
    og, description = meta(og_description="Open"), '<meta name="Description" content="Plain">'
    body = f"<body><p>Short.</p><p>{PROSE}</p>"
    assert read(og + description + body).excerpt == "Open"
    assert read(description + body).excerpt == "Plain"
    assert read(body).excerpt == PROSE


@pytest.mark.parametrize(
    "before",
    [
        "<nav><p>" + PROSE.upper() + "</p></nav>",
        "<p>We use cookies to improve our site, and so do our three hundred partners all over the world.</p>",
        "<p><a href=/a>A very long menu entry number one</a> <a href=/b>A very long menu entry number two</a> and</p>",
        "<noscript><p>This is what you see without scripts, and it is long enough to be a paragraph.</p></noscript>",
        "<p>1 ........................................................ 2 ..........................................</p>",
        "<script>var text = 'a script that is long enough to be taken for a paragraph of some article or other';</script>",
        "<p>By A. Writer, Monday</p>",
    ],
)
def test_what_is_around_the_article_is_no_meaningful_paragraph(before: str) -> None:
    assert read(f"<body>{before}<div><p>{PROSE}</p></div>").excerpt == PROSE


def test_the_main_part_comes_before_the_rest_of_the_page() -> None:
    html = f"<body><p>{PROSE.upper()}</p><article><p>{PROSE}</p></article>"
    assert read(html).excerpt == PROSE


def test_text_without_paragraphs_is_found_in_other_blocks() -> None:
    assert read(f"<body><div><div>{PROSE}<br>More.</div></div>").excerpt == f"{PROSE} More."


@pytest.mark.parametrize(
    "text",
    [
        "这座古老的小镇坐落在河边，每年春天都会吸引许多游客前来参观和拍照。",
        "昨日、東京の中心部で大きな会議が開かれ、多くの人が集まりました。",
        "서울에서 열린 큰 회의에 많은 사람들이 모였습니다 그리고 이야기했다.",
    ],
)
def test_a_paragraph_in_a_script_without_spaces_says_as_much_in_fewer_characters(text: str) -> None:
    menu = "<p>首页</p><p>登录</p><p>2026年1月1日</p>"
    assert (
        read(f"<title>T</title><body>{menu}<p>{text}</p><p>{'A longer paragraph in English. ' * 5}</p>").excerpt == text
    )


@pytest.mark.parametrize(
    "text",
    [
        "यह पुराना शहर नदी के किनारे बसा है और हर साल वसंत में बहुत से पर्यटक यहाँ घूमने और तस्वीरें खींचने आते हैं।",
        "เมืองเก่าแห่งนี้ตั้งอยู่ริมแม่น้ำและมีนักท่องเที่ยวมากมายมาเยี่ยมชมทุกปีในฤดูใบไม้ผลิเพื่อถ่ายภาพและพักผ่อนหย่อนใจ",
    ],
)
def test_a_paragraph_of_letters_with_vowel_signs_reads_like_prose(text: str) -> None:
    assert read(f"<title>T</title><body><p>{text}</p>").excerpt == text


def test_a_short_sentence_in_a_script_without_spaces_will_do_where_there_is_no_longer_one() -> None:
    assert (
        read("<title>T</title><body><p>春天来了，河边的花都开了，很美。</p>").excerpt
        == "春天来了，河边的花都开了，很美。"
    )


def test_a_caption_in_a_script_without_spaces_is_no_excerpt() -> None:
    assert read("<title>T</title><body><p>图片：新华社记者</p><p>责任编辑：王伟</p>").excerpt is None


def test_a_short_paragraph_will_do_where_there_is_no_longer_one() -> None:
    assert read("<body><p>Hi.</p><p>This sentence is all that the page has to say.</p>").excerpt == (
        "This sentence is all that the page has to say."
    )


def test_twitter_and_json_ld_descriptions_are_last_resorts() -> None:
    twitter = '<meta name="twitter:description" content="Card">'
    assert read(f"<head>{twitter}</head><body><p>{PROSE}</p>").excerpt == PROSE
    assert read(f"<head>{twitter}</head><body><p>x</p>").excerpt == "Card"


# ---- image ---------------------------------------------------------------------------------------------------------


def test_the_image_is_the_secure_one_then_og_then_twitter() -> None:
    secure = '<meta property="og:image:secure_url" content="https://i.example/s.jpg">'
    og = '<meta property="og:image" content="http://i.example/o.jpg">'
    url = '<meta property="og:image:url" content="http://i.example/u.jpg">'
    twitter = '<meta name="twitter:image" content="http://i.example/t.jpg">'
    source = '<meta name="twitter:image:src" content="http://i.example/ts.jpg">'
    order = [secure, og, url, twitter, source]
    found = [read("".join(reversed(order[at:]))).preview_image_url or "" for at in range(5)]
    assert [address.rpartition("/")[2] for address in found] == ["s.jpg", "o.jpg", "u.jpg", "t.jpg", "ts.jpg"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("/i.jpg", "https://site.example/i.jpg"),
        ("i.jpg", "https://site.example/blog/i.jpg"),
        ("//cdn.example/i.jpg", "https://cdn.example/i.jpg"),
        (" https://cdn.example/a b.jpg ", "https://cdn.example/a%20b.jpg"),
        ("https://cdn.example/i.jpg?a=1&amp;amp;b=2", "https://cdn.example/i.jpg?a=1&b=2"),
        ("data:image/png;base64,AAAA", None),
        ("javascript:alert(1)", None),
        ("ftp://cdn.example/i.jpg", None),
        ("https://", None),
        ("https://cdn.example/" + "a" * 2048, None),
    ],
)
def test_the_image_is_absolute_http_and_of_bounded_length(content: str, expected: str | None) -> None:
    assert read(meta(og_image=content)).preview_image_url == expected


def test_an_unusable_image_gives_way_to_the_next() -> None:
    html = meta(og_image="data:x") + '<meta name="twitter:image" content="/t.jpg">'
    assert read(html).preview_image_url == "https://site.example/t.jpg"


def test_addresses_are_relative_to_the_base_element() -> None:
    html = '<base href="/deep/"><meta property="og:image" content="i.jpg"><link rel=canonical href=c>'
    found = read(html)
    assert found.base_url == "https://site.example/deep/"
    assert found.preview_image_url == "https://site.example/deep/i.jpg"
    assert found.declared_canonical == "https://site.example/deep/c"


# ---- the rest ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<meta name="author" content="Jane Doe">', "Jane Doe"),
        (
            '<meta property="article:author" content="https://facebook.example/jane"><meta name=author content="J.">',
            "J.",
        ),
        ('<meta property="article:author" content="https://facebook.example/jane">', None),
        ('<script type="application/ld+json">{"@type":"Article","author":{"name":"A"}}</script>', "A"),
        (
            '<script type="application/ld+json">{"@type":"Article","author":[{"name":"A"},"B"]}</script>',
            "A, B",
        ),
        (
            '<script type="application/ld+json">{"@graph":[{"@type":["X","BlogPosting"],"author":"A"}]}</script>',
            "A",
        ),
    ],
)
def test_the_byline_is_a_name(html: str, expected: str | None) -> None:
    assert read(html).byline == expected


def test_the_site_name_comes_from_open_graph_then_the_publisher() -> None:
    linked = '<script type="application/ld+json">{"@type":"Article","publisher":{"name":"Paper"}}</script>'
    assert read(meta(og_site_name="x").replace("og:site:name", "og:site_name") + linked).site_name == "x"
    assert read(linked).site_name == "Paper"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<html lang='en-GB'>", "en-GB"),
        ("<html xml:lang=de>", "de"),
        ('<meta property="og:locale" content="pt_BR">', "pt-BR"),
        ("<html lang='{{ lang }}'>", None),
        ("<html>", None),
    ],
)
def test_the_language_is_a_tag_that_makes_sense(html: str, expected: str | None) -> None:
    assert read(html).lang == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2020-01-02T03:04:05Z", datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2020-01-02T03:04:05+02:00", datetime(2020, 1, 2, 1, 4, 5, tzinfo=UTC)),
        ("2020-01-02T03:04:05.1234567+0200", datetime(2020, 1, 2, 1, 4, 5, 123456, tzinfo=UTC)),
        ("2020-01-02", datetime(2020, 1, 2, tzinfo=UTC)),
        ("2020-01-02 03:04:05", datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("Thu, 02 Jan 2020 03:04:05 GMT", datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("1577934245", datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("1577934245000", datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("yesterday", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-14:00", None),
        ("2020-13-45", None),
        ("", None),
    ],
)
def test_the_date_of_publication_is_a_moment_with_a_zone_or_nothing(text: str, expected: datetime | None) -> None:
    assert read(f'<meta property="article:published_time" content="{text}">').published_at == expected


def test_the_date_also_comes_from_json_ld_and_from_time_elements() -> None:
    moment = datetime(2020, 1, 2, tzinfo=UTC)
    linked = '<script type="application/ld+json">{"@type":"Article","datePublished":"2020-01-02"}</script>'
    assert read(linked).published_at == moment
    head = "<title>T</title><meta name=description content=D>"
    assert read(f'<head>{head}</head><body><time datetime="2020-01-02">').published_at == moment


def test_the_date_in_microdata_comes_before_other_times() -> None:
    marked = '<span itemprop="datePublished" content="2020-01-02">2 January</span>'
    found = read(f'<title>T</title><body><time datetime="2021-05-03">Today</time>{marked}')
    assert found.published_at == datetime(2020, 1, 2, tzinfo=UTC)


def test_the_date_of_a_review_is_not_that_of_the_page() -> None:
    review = '<div itemprop="review" itemscope><p><span itemprop="datePublished" content="2023-09-09">9 Sept</span></p></div>'
    found = read(f'<title>T</title><body><time datetime="2015-03-04">4 March</time>{review}')
    assert found.published_at == datetime(2015, 3, 4, tzinfo=UTC)


def test_the_declared_canonical_is_only_remembered() -> None:
    found = read('<link rel="shortlink canonical" href="/c#x">')
    assert found.declared_canonical == "https://site.example/c#x"
    assert found.as_json()["declared_canonical"] == "https://site.example/c#x"


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ('<link rel="shortcut icon" href="/f.ico">', "/f.ico"),
        ('<link rel=icon sizes=16x16 href=/s.png><link rel=icon sizes="96x96" href=/l.png>', "/l.png"),
        ('<link rel=icon type="image/svg+xml" href=/v.svg><link rel=icon href=/f.png>', "/f.png"),
        ('<link rel="apple-touch-icon" href=/a.png><link rel=icon href="data:image/png,x">', "/a.png"),
        ("", "/favicon.ico"),
    ],
)
def test_the_favicon_is_the_best_icon_or_the_usual_address(links: str, expected: str) -> None:
    assert read(links).favicon_url == f"https://site.example{expected}"


def test_the_stored_shape_holds_open_graph_twitter_and_the_declared_canonical() -> None:
    html = (
        meta(og_title="T", og_type="article", og_url="u", og_video="v") + '<meta name="twitter:card" content="summary">'
    )
    assert read(html).as_json() == {
        "opengraph": {"title": "T", "type": "article", "url": "u"},
        "twitter": {"card": "summary"},
        "declared_canonical": None,
    }


# ---- broken markup -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "html",
    [
        '<meta name="og:title" content="T">',
        '<META PROPERTY="OG:TITLE" CONTENT="T">',
        '<meta property="dc:title og:title" content="T">',
        '<meta property="og:title" content="T"><meta property="og:title" content="U">',
        '<body><p>x</p><meta property="og:title" content="T">',
        '<head><noscript><img src=pixel></noscript><meta property="og:title" content="T"></head>',
        "<meta property=og:title content=T",
        '<meta property="og:title" content="T"/><title>Unclosed',
        '<div><meta content="T" property="og:title"',
    ],
)
def test_a_title_is_found_in_broken_markup(html: str) -> None:
    assert read(html + ">" if html.endswith(("T", '"')) else html).title == "T"


@pytest.mark.parametrize(
    "script",
    [
        "{",
        "[{]",
        "null",
        '"x"',
        "[" * 100_000,
        '{"@type": 5, "author": {"name": {}}}',
        '{"@type":"Article","author":[null]}',
    ],
)
def test_malformed_json_ld_is_passed_over(script: str) -> None:
    found = read(f'<title>T</title><script type="application/ld+json">{script}</script>')
    assert (found.title, found.byline) == ("T", None)


def test_json_ld_with_raw_newlines_comments_and_lone_surrogates_is_read() -> None:
    script = '<!-- \n{"@type":"Article","headline":"a\nb \\ud800","author":"A"}\n// -->'
    found = read(f'<script type="application/ld+json">{script}</script>')
    assert found.byline == "A"
    assert found.title == "a b \ufffd"


@pytest.mark.parametrize("html", ["", "\0", "<", "\ud800", "<frameset>", "<svg>", "plain text", "<!--", "<title>"])
def test_any_text_gives_metadata(html: str) -> None:
    assert isinstance(read(html), PageMetadata)


def test_a_page_whose_address_is_odd_still_has_metadata() -> None:
    assert read_metadata('<title>T</title><meta property="og:image" content="/i">', "http://[").title == "T"


@pytest.mark.parametrize(
    ("title", "told"),
    [
        ("The bridge closes | Evening Echo", "The bridge closes"),
        ("The bridge closes – EVENING ECHO", "The bridge closes"),
        ("Evening Echo: The bridge closes", "Evening Echo: The bridge closes"),
        ("Evening Echo | The bridge closes", "The bridge closes"),
        ("What became of the Evening Echo", "What became of the Evening Echo"),
        ("FAQ - Evening Echo", "FAQ - Evening Echo"),
    ],
)
def test_the_sites_name_is_no_part_of_a_title(title: str, told: str) -> None:
    assert read(SITE + meta(og_title=title)).title == told


def test_a_title_that_goes_on_with_the_sites_name_tells_it() -> None:
    assert read("<title>The bridge closes - Evening Echo</title>" + meta(og_title="The bridge closes")).site_name == (
        "Evening Echo"
    )
    assert read("<title>The bridge closes</title>" + meta(og_title="The bridge closes")).site_name is None


def test_a_person_comes_before_the_site_in_a_byline() -> None:
    author = '<meta name="author" content="Evening Echo">'
    linked = '<script type="application/ld+json">{"@type": "Article", "author": {"name": "By Ada Byron"}}</script>'
    assert read(author + SITE + linked).byline == "Ada Byron"
    assert read(author + SITE).byline == "Evening Echo"
    assert read('<meta name="author" content="admin">').byline is None


def test_whom_structured_data_calls_a_person_comes_before_who_owns_the_site() -> None:
    owner = '<meta name="author" content="Large Media Holding">'
    person = '{"@type": "Article", "author": [{"@type": "Person", "name": "Ada Byron"}]}'
    linked = f'<script type="application/ld+json">{person}</script>'
    assert read(owner + SITE + linked).byline == "Ada Byron"
    organisation = linked.replace("Person", "Organization")
    assert read(owner + SITE + organisation).byline == "Large Media Holding"


@pytest.mark.parametrize(
    "written",
    [
        "2019-11-20 08:00:58 GMT",
        "2019-11-20 08:00:58 UTC",
        "Wed Nov 20 2019 08:00:58 GMT+0000 (Coordinated Universal Time)",
    ],
)
def test_dates_with_a_zone_in_letters_are_read(written: str) -> None:
    found = read(f'<time datetime="{written}">').published_at
    assert found is not None
    assert found.isoformat() == "2019-11-20T08:00:58+00:00"
