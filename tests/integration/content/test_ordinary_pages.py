"""Ordinary pages that look in places like what our rules remove: nothing of them goes, and nothing else comes."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from kept.content.article.article import Article, Page
from kept.subprocesses.extraction import ExtractorLimits, ExtractorPool
from support.fixtures.extraction import MEDIA_ID, require_node

pytestmark = pytest.mark.requirement(
    "Kept", "an article's text, figures, images, code and tables, and little else (`./bench extract`)"
)

LINE = (
    "The council met on Tuesday to weigh a plan that would close the old bridge for two years, and, as the mayor said, "
    "nobody knows what will come after it. "
)
PROSE = f"<p>{LINE * 2}</p>"
ARTICLE = '<meta property="og:type" content="article">'
HEADLINES = [
    "记者走访多地了解春耕备耕进展情况",
    "新规将于下月起施行涉及多个行业",
    "专家解读今年高考改革主要变化内容",
    "多部门联合发布暑期出行安全提示",
    "城市公园改造工程即将全面完工开放",
    "科研团队公布最新深海探测成果",
]


def repeat(template: str, times: int) -> str:
    return "".join(template.replace("{i}", str(number)) for number in range(1, times + 1))


@dataclass(frozen=True)
class Ordinary:
    name: str
    body: str
    kept: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    head: str = ARTICLE
    images: int = 0


PAGES = [
    Ordinary(
        "paragraphs after a list of links to help",
        f"""<article><h1>Where to find help</h1>{PROSE * 3}<p>These pages of ours may be of use:</p>
        <ul><li><a href=/faq>FAQ</a></li><li><a href=/help>Help</a></li><li><a href=/contact>Contact us</a></li></ul>
        <p>{LINE}</p><p>And this is the very last word of the author on the matter.</p></article>""",
        ("the very last word of the author",),
    ),
    Ordinary(
        "a section after a list of links of a museum",
        f"""<article><h1>The museum</h1>{PROSE * 3}<h2>Visit</h2><ul><li><a href=/a>About the museum</a></li>
        <li><a href=/h>Help</a></li><li><a href=/c>Contact</a></li><li><a href=/t>Tickets</a></li></ul>
        <h2>Our thanks</h2><p>Many people gave their time to it, and we owe them all of this.</p></article>""",
        ("Visit", "Our thanks", "we owe them all of this"),
    ),
    Ordinary(
        "a menu before the text of a firm",
        f"""<main><h1>About the firm</h1><ul><li><a href=/about>About us</a></li><li><a href=/contact>Contact</a></li>
        <li><a href=/jobs>Careers</a></li></ul>{PROSE * 2}</main>""",
        ("nobody knows what will come after it",),
        head="",
    ),
    Ordinary(
        "short news in Chinese beside a list of links",
        """<div class="wrap"><div class="content"><h1>市议会讨论关闭旧桥</h1>
        <p>市议会周二开会讨论关闭旧桥的计划，工程将持续两年时间，市长表示各方意见尚未统一。</p>
        <p>居民担心施工期间的交通问题，商户则希望得到补偿，专家建议分阶段推进。</p>
        <p>会议最后决定将方案提交下次会议表决，并公开征求意见。</p></div><div class="right"><h3>最新文章列表</h3><ul>"""
        + "".join(f'<li><a href="/n/{at}.html">{line}</a></li>' for at, line in enumerate(HEADLINES * 4))
        + "</ul></div></div>",
        ("市议会周二开会讨论关闭旧桥的计划", "并公开征求意见"),
        (HEADLINES[0],),
        head="",
    ),
    Ordinary(
        "a section of a firm that promises to unlock something",
        f"""<main><section><h1>Tools for teams</h1>{PROSE * 2}</section><section><h2>Unlock the full potential of your
        team</h2><p>Teams that plan together finish sooner.</p>{PROSE}</section><section><h2>Made for people</h2>{PROSE}
        </section></main>""",
        ("Unlock the full potential", "Teams that plan together finish sooner."),
        head="",
    ),
    Ordinary(
        "sections of a manual on registering and signing in",
        f"""<main><article><h1>Getting started</h1>{PROSE}<section><h2>Register your application to access the API</h2>
        <p>Open the console, choose New application, and give it a name that people will know.</p>
        <ol><li>Choose a name for it.</li><li>Choose who may use it.</li></ol></section>
        <section><h2>Make your first call</h2>{PROSE}</section><section><h2>Sign in to access the dashboard</h2>
        <p>Open the page of the dashboard and enter the name that you were given by
        mail.</p></section></article></main>""",
        ("Open the console", "Choose who may use it.", "enter the name that you were given by mail"),
        head="",
    ),
    Ordinary(
        "a box on the settings of a router",
        f"""<article><h1>Guide</h1>{PROSE * 2}<div><p>Log in to your router to access its settings.</p>
        <p>Type the address of the router in the browser.</p><p>Then choose Network.</p></div>{PROSE * 2}</article>""",
        ("Log in to your router", "Then choose Network."),
    ),
    Ordinary(
        "a summary of a report that can be read in full",
        f"""<article><h1>Report</h1>{PROSE * 3}<div class="summary"><p><a href="/r.pdf">Read the full report</a></p>
        <p>Its three findings: the bridge is old, the river is high, and the money is gone.</p></div>{
            PROSE * 2
        }</article>""",
        ("Its three findings",),
    ),
    Ordinary(
        "a lead that says for whom a story is",
        f"""<article><div class="intro"><p>This story is for readers who know the sea.</p><p>They will smile.</p></div>
        {PROSE * 4}</article>""",
        ("This story is for readers who know the sea.", "They will smile."),
    ),
    Ordinary(
        "programs and parameters that are called as buttons are",
        f"""<article><h1>The best tools of the year</h1>{PROSE * 2}<h2>Zoom</h2>{PROSE}<h2>Skype</h2><p>{LINE}</p>
        <ul><li>Zoom</li><li>Skype</li><li>Teams</li></ul><h3>autoplay</h3><p>{LINE}</p><h3>Full
        screen</h3><p>{LINE}</p>
        </article>""",
        ("\n\nZoom\n\n", "Zoom\nSkype\nTeams", "autoplay", "Full screen"),
    ),
    Ordinary(
        "notes of editors in brackets",
        f"""<article><h1>The bridge</h1>{PROSE * 2}<p>[Update: 10 May 2024: the council has since withdrawn the
        plan.]</p>
        <p>[Spoiler: "Rosebud" is the sled he had as a boy, and the film never says so aloud.]</p>{
            PROSE * 2
        }</article>""",
        ("the council has since withdrawn the plan", "Rosebud"),
    ),
    Ordinary(
        "cookies of the law, of browsers and of an aunt",
        f"""<article><h1>Cookies</h1>{PROSE * 2}<p>Under the directive the site must ask its visitors before it sets any
        cookies that it could do without, and they must agree of their own will.</p><p>If cookies have no SameSite
        attribute, browsers accept them only for the site that set them.</p><p>I found these cookies on the site of my
        aunt, and improved the dough with a spoon of honey.</p>{PROSE * 2}</article>""",
        ("Under the directive", "SameSite", "a spoon of honey"),
    ),
    Ordinary(
        "films with their posters and taglines",
        "<article><h1>Best films</h1>"
        + PROSE
        + repeat(
            '<h2>{i}. Film</h2><div class="poster"><img src="/f{i}.jpg" width=300 height=450></div>'
            f'<p class="tagline">The line on the poster of film {{i}} is this one.</p>{PROSE}',
            5,
        )
        + "</article>",
        ("The line on the poster of film 5",),
        images=5,
    ),
    Ordinary(
        "a list of films on a page that says nothing of itself",
        "<div id=page><h1>Best films</h1>"
        + PROSE
        + repeat(
            '<h2>{i}. Film</h2><div class="poster"><img src="/f{i}.jpg" width=300 height=450></div>'
            f'<p class="tagline">A story about the sea, and those who love it.</p>{PROSE}',
            5,
        )
        + "</div>",
        ("A story about the sea",),
        head="",
        images=5,
    ),
    Ordinary(
        "entries of a live report with heads",
        "<article><h1>Live</h1>"
        + PROSE
        + repeat(
            '<div class="post"><div class="post-head"><h3>Entry {i}: what happened then at the bridge</h3></div>'
            f"<p>{LINE}</p></div>",
            5,
        )
        + "</article>",
        ("Entry 1: what", "Entry 5: what"),
    ),
    Ordinary(
        "people of a team in cards",
        f"<article><h1>Our team</h1>{PROSE}<div class=grid>"
        + repeat(
            '<div class="user-card"><img src="/p{i}.jpg" width=300 height=300><h3>Person {i} Name</h3>'
            "<p>Heads the work on bridge number {i} and has been with us since the beginning.</p></div>",
            6,
        )
        + "</div></article>",
        ("Person 1 Name", "Heads the work on bridge number 6"),
        head="",
        images=6,
    ),
    Ordinary(
        "a first sentence that tells the reader where they are",
        f"""<article><h1>Bread</h1><p>You are here because you want to learn how to bake bread, and you are not alone: a
        million people began last year.</p>{PROSE * 3}</article>""",
        ("You are here because",),
    ),
    Ordinary(
        "first sentences that begin like breadcrumbs",
        f"""<article><h1>Desks</h1><p>Home/office desks differ in height and in price.</p>
        <p>Estás aquí porque quieres aprender a hornear pan.</p>{PROSE * 3}</article>""",
        ("Home/office desks", "Estás aquí porque"),
    ),
    Ordinary(
        "short news beside teasers, with nothing said about the page",
        """<div class=wrap><div class=content><h1>The bridge</h1><p>The council met on Tuesday to weigh a plan that "
        "would
        close the old bridge for two years, and, as the mayor said, nobody knows.</p><p>People by the river, and the
        shops
        beside it, wait for word of what is to come, and hope for the best of it, whatever happens in the end.</p><p>A
        second meeting will be held in May, when the engineers have finished, and the money for it has been
        found.</p></div>
        <div class=list>"""
        + repeat(
            '<div class="item"><h3><a href="/n/{i}.html">Two reporters looked into the matter of number {i} and found '
            "it "
            "wanting</a></h3><p>A short summary of story {i}, which says what it is about, and why one should read it "
            "now.</p></div>",
            10,
        )
        + "</div></div>",
        ("The council met on Tuesday", "A second meeting will be held"),
        head="",
    ),
    Ordinary(
        "headings of a shop's article with prose below them",
        f"""<article><h1>Ladders</h1>{PROSE * 2}<h2>Similar products</h2>{PROSE}
        <h2>People also ask</h2>{PROSE}</article>""",
        ("Similar products", "People also ask"),
    ),
    Ordinary("a page that calls its body a footer", f"<h1>The bridge</h1>{PROSE * 3}", ("The council met",)),
]


@pytest.fixture(scope="module")
async def pool() -> AsyncIterator[ExtractorPool]:
    opened = ExtractorPool(require_node(), ExtractorLimits(processes=1, seconds=30))
    yield opened
    await opened.close()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
async def test_an_ordinary_page_keeps_what_is_its_own(pool: ExtractorPool, page: Ordinary) -> None:
    role = ' role="contentinfo"' if page is PAGES[-1] else ""
    head = f"<title>A page of ours</title>{page.head}"
    html = f"<!doctype html><html{role}><head>{head}</head><body{role}>{page.body}</body>"
    outcome = await pool.extract(Page(html.encode(), "https://site.example/page", MEDIA_ID, "text/html; charset=utf-8"))
    assert isinstance(outcome, Article), outcome
    for text in page.kept:
        assert text in outcome.text.text
    for text in page.left_out:
        assert text not in outcome.text.text
    assert str(outcome.html).count("<img") == page.images
