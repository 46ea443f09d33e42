"""The pruning rules, each on the smallest page that shows it, and what no rule may remove."""

import time

import pytest
from selectolax.lexbor import LexborHTMLParser

from kept.content.article.prune import Subject, prune
from kept.content.article.prune.boxes import remove_boxes, remove_linked_figures, remove_quoted_pointers
from kept.content.article.prune.ends import remove_date_after_lead, remove_opening

FIRST = (
    "<p>The council met on Tuesday to weigh a plan that would close the old bridge for two years, "
    "and the people of the valley came in numbers to say what they thought of it.</p>"
)
LAST = (
    "<p>Whatever is decided, the ferry will run again from the first of May, the mayor said, and nobody "
    "in the hall that evening believed that it would be the last word on the matter.</p>"
)
SUBJECT = Subject(titles=("The bridge that divides a valley",), byline="Ada Byron", host="news.example")


def pruned(middle: str, *, subject: Subject = SUBJECT) -> str:
    tree = LexborHTMLParser(f'<div class="page">{FIRST}{middle}{LAST}</div>')
    assert tree.body is not None
    prune(tree.body, subject)
    return tree.body.inner_html or ""


def pruned_whole(html: str) -> str:
    tree = LexborHTMLParser(html)
    assert tree.body is not None
    prune(tree.body, SUBJECT)
    return tree.body.inner_html or ""


CLUTTER = {
    "a share bar": '<div class="share-bar"><a href="/f">Facebook</a> <a href="/t">Twitter</a></div>',
    "related stories by class": '<div class="related"><p><a href="/x">Bridge opens</a> in June.</p></div>',
    "related stories by heading": '<h3>Related stories</h3><ul><li><a href="/x">Bridge opens</a></li></ul>',
    "a newsletter box": '<div class="newsletter-signup"><p>The valley in your inbox.</p></div>',
    "a newsletter sentence": "<p>Sign up for our weekly newsletter and never miss a bridge.</p>",
    "an offer of the rest": (
        "<div><h2>Continue reading with a subscription</h2><p>Every story for a coin a week.</p>"
        "<ul><li>On all devices</li></ul></div>"
    ),
    "an offer of the rest in German": "<div><h3>Weiterlesen mit Plus</h3><p>Alle Artikel für einen Euro.</p></div>",
    "what others bought": '<h2>Customers also bought</h2><ul><li><a href="/p/1">A lamp</a> € 19</li></ul>',
    "a cookie notice": "<p>This website uses cookies to improve your experience.</p>",
    "a cookie notice in French": (
        "<p>En poursuivant votre navigation, vous acceptez l'utilisation de cookies afin d'améliorer vos visites.</p>"
    ),
    "a cookie notice in German": "<p>Wir setzen Cookies ein, um unsere Seite für Sie zu verbessern.</p>",
    "an author card": '<div class="author-bio"><h4>Ada Byron</h4><p>Ada writes about engines.</p></div>',
    "an ad marker": "<p>Advertisement</p>",
    "an ad marker with its image": '<div>Advert <a href="https://ads.example/1"><img src="/ad.gif"></a></div>',
    "a request for scripts": "<p>This slideshow requires JavaScript.</p>",
    "arrows of a slide show": "<p>&lt;&lt;</p>",
    "an ad marker in another language": "<div>Anzeige</div>",
    "a read-more line": '<p>Read more: <a href="/x">Bridge opens tomorrow</a></p>',
    "a read-more line in French": '<p>À lire aussi : <a href="/x">Le pont est ouvert</a></p>',
    "a request to follow": "<p>Follow us on Twitter and Facebook.</p>",
    "text for screen readers": '<p>A photo.<span class="sr-only">Image copyright of somebody</span></p>',
    "a navigation": "<nav><ul><li><a href='/'>Home</a></li></ul></nav>",
    "a form's button": "<button>Subscribe</button>",
    "a stray headline": '<p><a href="https://www.news.example/b">Minister denies talk of tunnel</a></p>',
    "a list of stray headlines": (
        '<ul><li><a href="/1">Ten bridges to see</a></li><li><a href="/2">Why we love ferries</a></li></ul>'
    ),
    "an affiliate note": "<p>We may earn a commission when you buy through our links.</p>",
    "related articles in German": '<h3>Ähnliche Beiträge</h3><ul><li><a href="/x">Die Brücke</a></li></ul>',
    "a button's word in German": "<p>Kommentieren</p>",
    "the button of an image": "<p>Enlarge image</p>",
    "the button of a gallery": "<div>Show Captions</div>",
    "the button of a player": "<p><a href='#'>Watch the video</a></p>",
    "what becomes of comments": "<p>Comments are filtered for language, and their accuracy is not guaranteed.</p>",
    "what others watched": '<h2>Most watched/listened</h2><ul><li><a href="/x">Bridge opens</a></li></ul>',
    "data for a script": '<div>{ "modules": [{"name": "photo"}], "asset": "2552971", "section": "bridges" }</div>',
    "data with bare names": "<p>{ width: 312, height: 312, defaultImage: '000704665', layers: [] }</p>",
    "related articles in Thai": '<p>เรื่องที่เกี่ยวข้อง <a href="/x">สะพานเก่าเปิดให้ข้ามอีกครั้งแล้ว</a></p>',
    "the next article in Chinese": '<p>阅读下一篇：<a href="/x">桥梁重新开放了</a></p>',
    "related stories in a box, with summaries": (
        '<div class="x1"><h3>Related stories</h3><div><div><a href="/1">The mill is sold</a>'
        "<p>Nobody knows to whom, and the mayor says that she will not tell before the summer is over.</p></div>"
        '<div><a href="/2">The mill burns</a><p>Firemen came from four villages and could do nothing but look on, '
        "says a farmer.</p></div></div></div>"
    ),
    "another story in a box, in French": (
        '<div class="x1"><p>À lire aussi</p><a href="/1"><h4>Le moulin est vendu</h4></a>'
        "<p>Personne ne sait à qui, et la maire ne le dira pas avant la fin de l’été, dit-elle.</p></div>"
    ),
    "related stories in a box, in Chinese": '<div><p>相关阅读</p><div><a href="/1">旧磨坊已经卖出</a></div></div>',
    "a newsletter in a box": (
        "<div class='x1'><h4>Get our morning newsletter</h4><p>All that matters in the valley.</p>"
        "<p><a href='/n'>Yes, please</a></p></div>"
    ),
    "a newsletter in a box, in German": "<section><p>Der Newsletter am Morgen</p><p>Was wichtig wird.</p></section>",
    "a newsletter in a box, in Spanish": "<div><h3>Suscríbete al boletín</h3><p>Lo más importante del valle.</p></div>",
    "a newsletter in a box, in Chinese": "<div><h3>订阅我们的电子报</h3><p>每天早上发送到您的邮箱 。</p></div>",
    "a read-more line as a quotation": '<blockquote><p>Read also: <a href="/x">Bridge opens</a></p></blockquote>',
    "a teaser as a figure": (
        '<figure><a href="/x"><img src="/m.jpg"><figcaption><h3>Mill sold</h3><p>To whom?</p></figcaption></a></figure>'
    ),
    "more of the same": '<h3>More recipes</h3><ul><li><a href="/1">Rye</a></li><li><a href="/2">Oats</a></li></ul>',
    "an empty wrapper": '<div class="wrapper"><p> </p><span></span></div>',
}


@pytest.mark.parametrize("clutter", CLUTTER.values(), ids=CLUTTER.keys())
def test_clutter_between_paragraphs_goes_and_the_paragraphs_stay(clutter: str) -> None:
    result = pruned(clutter)
    assert "The council met" in result
    assert "Whatever is decided" in result
    words = LexborHTMLParser(clutter).text(separator=" ", strip=True).split()
    gone = words[-1] if words else "wrapper"
    assert gone not in result


CONTENT = {
    "a word on cookies": "<p>La loi veut que chacun accepte les cookies avant qu'ils ne soient posés.</p>",
    "a figure": '<figure class="share"><img src="/a.jpg"><figcaption>Read more</figcaption></figure>',
    "a caption": '<figure><img src="/a.jpg"><figcaption>Follow us on Twitter</figcaption></figure>',
    "code": "<pre><code>subscribe to our newsletter</code></pre>",
    "code in a sentence": "<p>Subscribe to <code>our.updates</code> before you publish.</p>",
    "a table": '<table class="related"><tr><td>Read more</td></tr></table>',
    "a quotation": '<blockquote class="promo"><p>Sign up for our newsletter, they said.</p></blockquote>',
    "a footnote": '<div class="footnotes"><ol><li><a href="#1">Related work, same author</a></li></ol></div>',
    "a bibliography": '<section class="references"><p>See also <a href="/x">a long one</a></p></section>',
    "a definition list": '<dl class="menu"><dt>Soup</dt><dd>Tomato</dd></dl>',
    "a section named after its heading": (
        '<section id="related-work"><h2>Related work</h2><p>Others have built bridges before.</p></section>'
    ),
    "prose that shares words with clutter": "<p>They shared the menu, and he liked what she had to say.</p>",
    "an instruction": "<ol><li>Sign up for a ferry ticket at the pier before noon.</li></ol>",
    "a list announced": '<p>We recommend:</p><ul><li><a href="/1">The old iron bridge</a></li></ul>',
    "a link to another site": '<p><a href="https://other.example/a">The report that began it</a></p>',
    "a box about newsletters": (
        f"<div><h3>How newsletters began</h3>{LAST}<p>They were sent by post at first, on one sheet of paper that "
        "was folded twice, and who could not read had them read aloud in the inn on Sunday after church, for a "
        "penny, which went to the host; so the news of a week ago was new again, and the beer was paid for, and "
        "nobody thought that there would ever be a better way to know what the world was doing.</p></div>"
    ),
    "a quotation that links to its source": (
        '<blockquote><p>Read more books, she wrote, and fewer <a href="https://t.example/1">papers</a>.</p></blockquote>'
    ),
    "a linked figure with its caption": (
        '<figure><a href="/large"><img src="/a.jpg"><figcaption>The bridge in May</figcaption></a></figure>'
    ),
    "an offer that a link of the site leads to": '<p><a href="/go/1">Wooden mallet of lime tree, now $19.90</a></p>',
    "a part with a number of base 16 in its name": (
        '<div class="part-3ad91f7 part-7f0c1ad"><p>Nobody sells anything here.</p></div>'
    ),
    "more of what the article is about": "<h2>More bridge ideas</h2><p>Stone was too dear, and wood too weak.</p>",
    "a scene break": "<p>* * *</p>",
    "a heading in the middle": "<h2>What happens now</h2><p>Nobody knows for certain.</p>",
}


@pytest.mark.parametrize("content", CONTENT.values(), ids=CONTENT.keys())
def test_what_a_reader_came_for_stays(content: str) -> None:
    expected = LexborHTMLParser(content).text(separator=" ").split()
    result = LexborHTMLParser(pruned(content)).text(separator=" ").split()
    assert [word for word in expected if word not in result] == []


def test_a_section_that_leads_to_no_other_story_stays_whatever_its_heading_says() -> None:
    prose = "<p>There were more bridges once than there are now, and most of them were made of wood.</p>"
    assert prose in pruned(f"<section><h2>More</h2>{prose}</section>")


def test_a_figure_inside_clutter_outlives_the_clutter() -> None:
    result = pruned('<div class="promo"><p>Buy now.</p><figure><img src="/a.jpg"></figure></div>')
    assert "Buy now" not in result
    assert "<figure>" in result


def test_a_picture_of_the_article_outlives_the_share_box_it_is_wrapped_in() -> None:
    result = pruned('<div class="pic-share"><p>Share</p><p><img src="/valley.jpg" alt="The valley"></p></div>')
    assert "Share" not in result
    assert '<img src="/valley.jpg"' in result


@pytest.mark.parametrize(
    "image",
    [
        '<a href="/other"><img src="/other.jpg"></a>',
        '<img src="/ada.jpg" class="avatar">',
        '<img src="/icons/facebook.png">',
        '<img src="/f.png" width="32" height="32">',
    ],
)
def test_icons_portraits_and_thumbnails_go_with_the_clutter(image: str) -> None:
    assert "<img" not in pruned(f'<div class="related"><p>{image}</p></div>')


def test_a_hint_on_the_wrapper_of_the_whole_article_does_not_count() -> None:
    result = pruned_whole(f'<div class="newsletter-archive sidebar">{FIRST}{LAST}</div>')
    assert "The council met" in result


def test_a_hint_on_every_section_of_the_article_does_not_count() -> None:
    html = "".join(f'<div class="body paywall">{paragraph}</div>' for paragraph in (FIRST, LAST, FIRST, LAST))
    assert pruned_whole(html).count("<p>") == 4


def test_a_hint_on_most_links_counts_though_they_are_longer_than_the_article() -> None:
    teaser = '<div class="related-item"><a href="/x">Minister denies talk of a tunnel below the old bridge</a></div>'
    result = pruned_whole(f"<div>{FIRST}{LAST}</div>{teaser * 9}")
    assert "Minister" not in result
    assert "ferry" in result


def test_the_repeated_title_the_byline_and_the_date_before_the_text_go() -> None:
    labels = (
        "<h2>The bridge that divides a valley</h2><p>By Ada Byron</p>"
        "<p>Published: 10:48, Tue, Nov 19, 2019</p>"
        '<p class="kicker">Local affairs</p><p><a href="/c">Transport</a></p>'
    )
    result = pruned_whole(f"<div>{labels}{FIRST}{LAST}</div>")
    assert result.startswith("<div><p>The council met")


def test_a_date_that_stands_loose_beside_the_title_goes() -> None:
    title = "<h2>The bridge that divides a valley</h2><p>By Ada Byron</p>"
    result = pruned_whole(
        f"<div><div>{title}<span>Published <time>4:00 am CST, May 4, 2021</time></span></div>{FIRST}{LAST}</div>"
    )
    assert result == f"<div>{FIRST}{LAST}</div>"


def test_a_date_between_the_lead_and_the_first_paragraph_goes_and_a_time_of_day_stays() -> None:
    assert "2021" not in pruned("<p><time>May 4, 2021</time></p>")
    assert "10:42" in pruned("<p>10:42 am</p>")


def test_a_byline_without_a_name_goes() -> None:
    assert "By" not in pruned_whole(f"<div><p>By</p>{FIRST}{LAST}</div>")


def test_the_last_words_on_where_to_find_the_author_go() -> None:
    bio = "<p>A senior editor with a weakness for ferries. You can keep up with me on <a href='/s'>this page</a>.</p>"
    assert "senior editor" not in pruned_whole(f"<div>{FIRST}{LAST}{bio}</div>")


def test_a_repeated_title_in_chinese_goes() -> None:
    paragraph = (
        "<p>一月二日的风暴过后，磨坊上游的河水比下游高出一掌，没有人说得出原因。"
        "闸门开着，栅栏干净，十一年来一直是同一位妇人在读水位尺。</p>"
    )
    tree = LexborHTMLParser(f"<div><h2>没有人修的堰</h2>{paragraph}{paragraph}</div>")
    assert tree.body is not None
    prune(tree.body, Subject(titles=("没有人修的堰",)))
    assert tree.body.inner_html == f"<div>{paragraph}{paragraph}</div>"


def test_a_first_heading_that_is_not_the_title_stays() -> None:
    assert "<h2>Summary</h2>" in pruned_whole(f"<div><h2>Summary</h2>{FIRST}{LAST}</div>")


def test_a_telephone_number_before_the_text_is_not_taken_for_a_date() -> None:
    assert "03-584-7231" in pruned_whole(f"<div><p>電話：03-584-7231 行動: 0937-141993</p>{FIRST}{LAST}</div>")


def test_a_caption_before_the_text_does_not_end_the_opening() -> None:
    caption = f'<div class="photo-caption">{FIRST}</div>'
    result = pruned_whole(f"<div>{caption}<p>Photo: Ada Byron, Evening Echo</p><p>May 4, 2021</p>{LAST}</div>")
    assert "Photo:" not in result
    assert "2021" not in result
    assert "council" in result


def test_what_follows_the_pages_own_article_goes_and_its_lead_stays() -> None:
    html = f"<div><p>Two years without a bridge.</p><article>{FIRST}{LAST}</article><p>Loading the next story</p></div>"
    result = pruned_whole(html)
    assert "Loading" not in result
    assert "Two years" in result


@pytest.mark.parametrize("name", ["field field--label-hidden", "hidden-print", "hide-on-mobile"])
def test_a_class_that_hides_a_label_or_on_some_screens_hides_no_text(name: str) -> None:
    assert "ferries" in pruned(f'<div class="{name}"><p>And nobody had asked the ferries.</p></div>')


JSON = '{"name": "bridge", "length": 312, "spans": [{"name": "first"}]}'


@pytest.mark.parametrize(
    "shown",
    [
        f"<pre>{JSON}</pre>",
        f"<p><code>{JSON}</code></p>",
        f'<div class="highlight-source"><div>{JSON}</div></div>',
        f"<p>The answer is {JSON}</p>",
        "<p>[Note: the bridge was closed when this was written, and has been opened again since.]</p>",
    ],
    ids=["preformatted", "code", "named code", "in a sentence", "a remark in brackets"],
)
def test_data_that_is_shown_to_the_reader_stays(shown: str) -> None:
    assert shown in pruned(shown)


@pytest.mark.parametrize(
    "trail",
    [
        '<p>You are here: <a href="/">Home</a> / <a href="/n">News</a> / The bridge</p>',
        f'<p><a href="/">Home</a> » <a href="/n">News</a> » {"A long title " * 8}</p>',
        '<div>Sie sind hier: <a href="/">Start</a> › Die Brücke</div>',
    ],
)
def test_the_way_to_the_page_before_the_text_goes(trail: str) -> None:
    assert pruned_whole(f"<div>{trail}{FIRST}{LAST}</div>") == f"<div>{FIRST}{LAST}</div>"


def test_a_home_in_the_first_sentence_is_no_way_to_the_page() -> None:
    home = FIRST.replace("The council met", "Home is where the council met")
    assert pruned_whole(f"<div>{home}{LAST}</div>") == f"<div>{home}{LAST}</div>"


def footer(*names: str) -> str:
    return "<ul>" + "".join(f'<li><a href="/{at}">{name}</a></li>' for at, name in enumerate(names)) + "</ul>"


def test_the_links_and_the_rights_of_the_site_below_the_text_go() -> None:
    links = footer("Mobile site", "Terms of Use", "Our other papers", "Privacy", "Contact us")
    end = f"{links}<p>The Valley Echo © 2013. We are not responsible for the content of other sites.</p>"
    assert pruned_whole(f"<div>{FIRST}{LAST}<h2>World</h2>{end}</div>") == f"<div>{FIRST}{LAST}</div>"
    impressum = footer("Impressum", "Datenschutz", "AGB")
    assert pruned_whole(f"<div>{FIRST}{LAST}{impressum}</div>") == f"<div>{FIRST}{LAST}</div>"


def test_links_at_the_end_of_an_article_are_no_footer() -> None:
    sources = footer("Terms of the contract", "The council's own account", "Help", "Contact us by ferry", "A map")
    assert sources in pruned_whole(f"<div>{FIRST}{LAST}<h2>Sources</h2>{sources}</div>")


def test_a_footer_takes_no_longer_list_of_links_with_it() -> None:
    towns = "".join(f'<li><a href="/town/{at}">The town of Lower Valley {at}</a></li>' for at in range(20))
    whole = pruned_whole(f"<div>{FIRST}<ul>{towns}</ul>{footer('Help', 'Privacy', 'Imprint')}</div>")
    assert "Lower Valley 4" in whole
    assert "Privacy" not in whole


def test_credits_and_headings_without_content_at_the_end_go() -> None:
    result = pruned_whole(f"<div>{FIRST}{LAST}<p>Additional reporting by Charles Babbage</p><h3>Latest</h3></div>")
    assert "Babbage" not in result
    assert "Latest" not in result
    assert "Whatever is decided" in result


def test_small_articles_beside_the_large_one_go() -> None:
    teaser = '<article><h2><a href="/k">Koala rescued from a fire</a></h2><p>You must see it.</p></article>'
    result = pruned_whole(f"<div><article>{FIRST}{LAST}{FIRST}</article>{teaser}{teaser}</div>")
    assert "Koala" not in result
    assert "The council met" in result


def test_a_short_article_among_many_teasers_is_all_that_stays() -> None:
    teaser = '<div><h3><a href="/{}">A headline</a></h3><p>What happened in the valley, in a sentence or two.</p></div>'
    teasers = "".join(teaser.format(number) for number in range(20))
    result = pruned_whole(f"<div><div>{FIRST}{LAST}</div><div>{teasers}</div></div>")
    assert "headline" not in result
    assert "ferry" in result
    assert "headline" in pruned_whole(f"<article>{FIRST}{LAST}<div>{teasers}</div></article>")
    assert "headline" in pruned_whole(f"<div><p>Twenty things.</p><div>{teasers}</div></div>")


def test_a_round_up_of_headlines_is_left_alone() -> None:
    links = "".join(f'<p><a href="/{n}">Headline number {n} of the whole week</a></p>' for n in range(9))
    assert pruned_whole(f"<div>{FIRST}{links}</div>").count("<a ") == 9


def test_a_caption_said_twice_is_said_once() -> None:
    caption = '<div class="caption"><p>A long row of unsold cars in Littleton, Colorado.</p></div>'
    assert pruned(f"{caption}{caption}").count("unsold cars") == 1


def test_pruning_twice_changes_nothing_more() -> None:
    once = pruned("".join([*CLUTTER.values(), *CONTENT.values()]))
    assert pruned_whole(once) == once


HOSTILE = {
    "headings": "<div>" + "<p>Related</p><p><a href='/x'>Another story of ours</a></p>" * 10_000 + "</div>",
    "headings in boxes in boxes": "<div><p>Related</p>" * 1_000,
    "teasers as figures in figures": "<figure><a href='/x'><h3>Another story</h3></a>" * 1_000,
    "quotations in quotations": "<blockquote><p>Read also <a href='/x'>this</a></p>" * 1_000,
    "dates": "<p>May 4, 2021</p>" * 20_000,
}


@pytest.mark.parametrize("html", HOSTILE.values(), ids=HOSTILE)
def test_the_rules_for_boxes_and_labels_end_in_time(html: str) -> None:
    root = LexborHTMLParser(f"<body>{FIRST}{html}").body
    assert root is not None
    started_at = time.process_time()
    remove_boxes(root, "news.example")
    remove_linked_figures(root, "news.example")
    remove_quoted_pointers(root, "news.example")
    remove_opening(root, ("The bridge",), "")
    remove_date_after_lead(root)
    assert time.process_time() - started_at < 3


def post(number: int) -> str:
    return (
        f"<div><div>Senior Member</div><div>Join Date: Feb 200{number}</div><div>Location: Lower Valley</div>"
        f"<div>Posts: 1,{number}26</div></div>{FIRST}<div>Bosun{number} is offline</div>"
    )


def test_what_stands_beside_every_post_of_a_discussion_goes() -> None:
    posts = pruned("".join(map(post, range(3))))
    assert FIRST in posts
    for text in ("Member", "Join Date", "Location", "Posts", "offline"):
        assert text not in posts


@pytest.mark.parametrize(
    "rows",
    [
        "".join(f"<div><h3>Board {at}</h3><p>Topics: {at}</p><p>Posts: 1{at}</p></div>" for at in range(4)),
        "".join(f"<div><h3>Cook {at}</h3><p>Location: Lower Valley</p><p>Age: 4{at}</p></div>" for at in range(4)),
        post(1),
    ],
    ids=["boards of a forum", "other rows", "one post"],
)
def test_labels_alike_on_other_pages_stay(rows: str) -> None:
    assert pruned(rows).count("<p>") + pruned(rows).count("<div>") >= rows.count("<p>") + rows.count("<div>")


def test_people_that_a_page_is_about_stay() -> None:
    people = "".join(f'<div><h3>{name}</h3><p class="bio">{name} repairs boats.</p></div>' for name in "ABCD")
    assert pruned(people).count("repairs boats") == 4
    assert "repairs boats" not in pruned(people[: people.index("</div>") + 6])


def test_a_list_of_teasers_stays_where_it_is_longer_than_the_rest_of_a_page_that_is_no_article() -> None:
    teasers = "".join(
        f"<div><h3><a href='/{at}'>Museum {at}</a></h3><p>{'Ships, ropes. ' * 9}</p></div>" for at in range(9)
    )
    assert "Museum" not in pruned(f"<div>{teasers}</div>")
    assert "Museum" in pruned(f"<div>{teasers}</div>", subject=Subject(host="news.example", may_be_article=False))
