"""Highlights in a real browser: select, mark, note, change, undo; on a phone, in print, without scripts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from playwright.async_api import Browser, Page, expect

from kept.clock import utc_now
from kept.domain.account import Scope, User, Viewer
from kept.domain.highlight import Colour
from kept.domain.library import Role
from kept.services.libraries.libraries import create_library
from kept.services.libraries.members import add_member
from support.builders.demo import PAGES, put, stock
from support.builders.highlighting import click_mark, drag_over, marked_text, select_text, squeeze, store_highlight
from support.fixtures.transactions import writing
from support.servers.desk import Desk, sit_down
from support.servers.serving import RunningKept

pytestmark = pytest.mark.requirement("Kept", "highlighting on pages, in any selection, on phones and by keyboard")

ESSAY, ARABIC, JAPANESE = 0, 3, 5
PASSAGES = {
    "a sentence": (ESSAY, "nobody looks at it", "nobody looks at it"),
    "paragraphs": (ESSAY, "only last winter", "He was not making"),
    "emphasis": (ESSAY, "He was not making", "keeping"),
    "a heading and a figure": (ESSAY, "What a joint", "by the north window"),
    "list items": (ESSAY, "shoulders close", "that one has had lunch"),
    "table cells": (ESSAY, "Oak", "690"),
    "code": (ESSAY, "one per cent", "return width_mm"),
    "a part of a link": (ESSAY, "report on the wells", "report on the wells"),
    "a link and what is around it": (ESSAY, "they still fit", "for drawings"),
    "the whole article": (ESSAY, "There is a kind", "thick for that."),
    "Arabic": (ARABIC, "كان جدّي", "الرفّ الأول"),
    "Japanese": (JAPANESE, "紙と埃と", "旅の本"),
}
# Those that `./test` tries; each takes some seconds.
SOON = ("paragraphs", "list items", "table cells", "a link and what is around it", "Arabic")


# Counts what the page is told of from now on.
HEAR = """() => {
  let heard = 0;
  const source = new EventSource(`/events?after=${document.querySelector("main").dataset.eventsAfter}`);
  source.addEventListener("highlights", () => { document.body.dataset.heard = heard += 1; });
}"""


@asynccontextmanager
async def sit_down_with(
    running: RunningKept, browser: Browser, page: int = ESSAY, **options: Any
) -> AsyncIterator[tuple[Desk, UUID, User]]:
    """Ann at the reader, with one article."""
    ann = running.make_user("ann")
    [item_id] = await stock(running.kept.database, running.kept.blobs, ann.id, PAGES[page : page + 1])
    async with sit_down(browser, running.address, **options) as desk:
        await desk.sign_in("ann")
        if options.get("java_script_enabled", True):
            await desk.go_ready(f"/read/{item_id}")
        yield desk, item_id, ann


async def highlight(page: Page, first: str, last: str, colour: str = "yellow") -> None:
    await select_text(page, first, last)
    await page.get_by_role("button", name=f"Highlight in {colour}").click()
    await expect(page.locator("#selection-bar")).to_be_hidden()
    await expect(page.locator(f"#prose mark.h-{colour}").first).to_be_attached()


@pytest.mark.parametrize(
    "passage", [name if name in SOON else pytest.param(name, marks=pytest.mark.long) for name in PASSAGES]
)
async def test_what_was_selected_is_marked_and_still_is_after_a_reload(
    running: RunningKept, browser: Browser, passage: str
) -> None:
    number, first, last = PASSAGES[passage]
    async with sit_down_with(running, browser, number) as (desk, _, _):
        page = desk.page
        selected = await select_text(page, first, last)
        await page.keyboard.press("h")
        entry = page.locator("#highlights li")
        await expect(entry).to_have_count(1)
        assert squeeze(await marked_text(page)) == squeeze(selected)
        before = await page.locator("#prose").inner_text()
        await page.reload()
        await page.wait_for_selector("html[data-ready]", state="attached")
        assert squeeze(await marked_text(page)) == squeeze(selected)
        assert await page.locator("#prose").inner_text() == before
        await expect(entry).to_have_count(1)


async def test_a_mouse_selects_and_the_bar_marks_in_the_chosen_colour(running: RunningKept, browser: Browser) -> None:
    async with sit_down_with(running, browser) as (desk, _, _):
        page = desk.page
        await drag_over(page, "A plane takes", "oak board")
        bar = page.get_by_role("toolbar", name="Selected text")
        await expect(bar).to_be_visible()
        await bar.get_by_role("button", name="Highlight in green").click()
        await expect(bar).to_be_hidden()
        mark = page.locator("#prose mark")
        await expect(mark).to_have_class("h-green")
        assert squeeze(await marked_text(page)).startswith("Aplanetakes")
        # what is not in the article cannot be highlighted
        await page.evaluate("getSelection().selectAllChildren(document.querySelector('.article-footer'))")
        await page.keyboard.press("h")
        await expect(page.get_by_text("Select some text of the article first.")).to_be_visible()
        await expect(bar).to_be_hidden()
        await expect(mark).to_have_count(1)


async def test_a_selection_that_leaves_the_article_is_cut_to_it(running: RunningKept, browser: Browser) -> None:
    async with sit_down_with(running, browser) as (desk, _, _):
        page = desk.page
        await page.evaluate(
            """() => getSelection().setBaseAndExtent(document.querySelector(".article h1"), 0,
                 document.querySelector("#prose p").firstChild, 12)"""
        )
        await page.keyboard.press("h")
        await expect(page.locator("#prose mark")).to_have_text("There is a k")


async def test_a_highlight_is_noted_recoloured_removed_and_brought_back(running: RunningKept, browser: Browser) -> None:
    async with sit_down_with(running, browser) as (desk, item_id, _):
        page = desk.page
        await highlight(page, "A plane takes", "oak board")
        mark, box = page.locator("#prose mark"), page.get_by_role("dialog", name="Highlight")
        await click_mark(page)
        await box.get_by_label("Note").fill("Compare https://example.org/planes\nand <b>this</b>.")
        await box.get_by_role("button", name="Save").click()
        await expect(box).to_be_hidden()
        await expect(mark).to_be_focused()
        entry = page.locator("#highlights li")
        await expect(entry).to_contain_text("and <b>this</b>.")
        await expect(entry.get_by_role("link", name="https://example.org/planes")).to_have_attribute("target", "_blank")
        # a colour is saved as soon as it is chosen, the note beside it too
        await page.keyboard.press("Enter")
        await box.get_by_label("Blue").check()
        await expect(mark).to_have_class("h-blue")
        await page.keyboard.press("Escape")
        await expect(box).to_be_hidden()
        await expect(entry).to_contain_text("Blue")
        await expect(entry).to_contain_text("and <b>this</b>.")
        # removed from its entry in the list, and brought back
        await entry.get_by_role("link", name="Edit").click()
        await box.get_by_role("button", name="Remove").click()
        await expect(page.locator("#prose mark")).to_have_count(0)
        await expect(page.locator("#highlights")).to_be_hidden()
        await page.get_by_role("button", name="Undo").click()
        await expect(mark).to_have_class("h-blue")
        await desk.go_ready(f"/read/{item_id}")
        await expect(entry).to_contain_text("and <b>this</b>.")


async def test_a_note_is_not_lost_by_clicking_beside_it(running: RunningKept, browser: Browser) -> None:
    async with sit_down_with(running, browser) as (desk, _, _):
        page = desk.page
        await highlight(page, "A plane takes", "oak board")
        await click_mark(page)
        await page.get_by_label("Note").fill("Half a thought")
        await page.locator(".article h1").click()
        await expect(page.locator("#highlights li")).to_contain_text("Half a thought")


async def test_what_could_not_be_saved_is_still_there_to_be_saved(running: RunningKept, browser: Browser) -> None:
    async with sit_down_with(running, browser) as (desk, _, _):
        page = desk.page
        await page.route("**/api/v1/media/*/highlights", lambda route: route.abort())
        selected = await select_text(page, "A plane takes", "oak board")
        await page.keyboard.press("h")
        await expect(page.get_by_text("Kept can't be reached.")).to_be_visible()
        assert await page.evaluate("getSelection().toString()") == selected
        await page.unroute_all()
        await page.keyboard.press("h")
        await click_mark(page)
        await page.get_by_label("Note").fill("A thought")
        await page.route("**/highlights/*", lambda route: route.abort())
        await page.get_by_role("button", name="Save").click()
        await page.locator(".article h1").click()
        await expect(page.get_by_label("Note")).to_have_value("A thought")
        await page.unroute_all()
        await page.get_by_role("button", name="Save").click()
        await expect(page.locator("#highlights li")).to_contain_text("A thought")


async def test_the_keyboard_marks_notes_and_changes(running: RunningKept, browser: Browser) -> None:
    async with sit_down_with(running, browser) as (desk, _, _):
        page = desk.page
        await page.get_by_text("There is a kind of patience").dblclick(position={"x": 12, "y": 10})
        await page.keyboard.press("Shift+ArrowRight")
        await expect(page.locator("#selection-bar")).to_be_visible()
        await page.keyboard.press("n")
        note = page.get_by_label("Note")
        await expect(note).to_be_focused()
        await page.keyboard.type("by hand, with h and n")
        await page.keyboard.press("Control+Enter")
        mark = page.locator("#prose mark")
        await expect(mark).to_be_focused()
        await expect(page.locator("#highlights li")).to_contain_text("by hand, with h and n")
        await page.keyboard.press("n")
        await expect(note).to_be_focused()
        await page.keyboard.press("Escape")
        await expect(mark).to_be_focused()
        await page.keyboard.press("?")
        await expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("highlight the selected")
        await page.keyboard.press("Escape")
        await page.locator(".article h1").click()
        await page.keyboard.press("n")
        await expect(page).to_have_url(f"{running.address}/add")


async def test_the_list_and_the_article_lead_to_each_other(running: RunningKept, browser: Browser) -> None:
    async with sit_down_with(running, browser, viewport={"width": 1440, "height": 700}) as (desk, item_id, ann):
        page, database = desk.page, running.kept.database
        first = store_highlight(database, ann.id, item_id, "A plane takes a shaving")
        last = store_highlight(database, ann.id, item_id, "It has sixteen seats and no screws")
        await desk.go_ready(f"/read/{item_id}")
        entries = page.locator("#highlights li")
        await expect(entries).to_have_count(2)
        side, article = await page.locator("#highlights").bounding_box(), await page.locator("#prose").bounding_box()
        assert side is not None
        assert article is not None
        assert side["x"] > article["x"] + article["width"]
        assert side["x"] + side["width"] <= 1440
        await page.get_by_role("link", name="It has sixteen seats and no screws", exact=True).click()
        await expect(page.locator(f"#h-{last.id}")).to_be_in_viewport()
        await expect(page.locator(f"#h-{last.id}")).to_be_focused()
        await click_mark(page, f"#h-{last.id}")
        await expect(page.locator(f"#l-{last.id}")).to_have_class("h-yellow current")
        await page.get_by_role("link", name="Show in the list").click()
        await expect(page.locator(f"#l-{last.id}")).to_be_in_viewport()
        await desk.go_ready(f"/read/{item_id}#h-{first.id}")
        await expect(page.locator(f"#h-{first.id}")).to_be_in_viewport()


async def test_what_is_not_in_this_copy_is_listed_apart(running: RunningKept, browser: Browser) -> None:
    async with sit_down_with(running, browser) as (desk, item_id, ann):
        database = running.kept.database
        store_highlight(database, ann.id, item_id, "A sentence of an older copy", note="Where did it go?")
        store_highlight(database, ann.id, item_id, "A sentence of a file", anchored_version=None)
        await desk.go_ready(f"/read/{item_id}")
        lost = desk.page.get_by_role("list", name="Not found in this copy")
        await expect(lost).to_contain_text("A sentence of an older copy")
        await expect(lost).to_contain_text("Where did it go?")
        await expect(lost).not_to_contain_text("A sentence of a file")
        await expect(desk.page.get_by_role("list", name="Being placed")).to_contain_text("A sentence of a file")
        await lost.get_by_role("link", name="Edit").click()
        await desk.page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        await expect(lost).to_have_count(0)


async def test_a_phone_has_the_bar_at_its_lower_edge_and_the_list_below_the_article(
    running: RunningKept, browser: Browser
) -> None:
    phone: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    async with sit_down_with(running, browser, **phone) as (desk, _, _):
        page = desk.page
        await select_text(page, "A plane takes", "oak board")
        bar = page.locator("#selection-bar")
        await expect(bar).to_be_visible()
        box = await bar.bounding_box()
        assert box is not None
        assert (round(box["x"]), round(box["y"] + box["height"]), round(box["width"])) == (0, 844, 390)
        await bar.get_by_role("button", name="Highlight in red").tap()
        mark = page.locator("#prose mark")
        await expect(mark).to_have_class("h-red")
        await click_mark(page)
        await page.get_by_label("Note").fill("On the train")
        await page.get_by_role("button", name="Save").tap()
        await expect(page.locator("#highlights li")).to_contain_text("On the train")
        prose, listed = await page.locator("#prose").bounding_box(), await page.locator("#highlights").bounding_box()
        assert prose is not None
        assert listed is not None
        assert listed["y"] >= prose["y"] + prose["height"]
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390


async def test_print_has_the_marks_and_the_notes_and_no_buttons(running: RunningKept, browser: Browser) -> None:
    async with sit_down_with(running, browser) as (desk, item_id, ann):
        page = desk.page
        store_highlight(running.kept.database, ann.id, item_id, "A plane takes a shaving", note="Read aloud")
        await desk.go_ready(f"/read/{item_id}")
        await page.emulate_media(media="print")
        mark = page.locator("#prose mark")
        await expect(mark).to_have_css("text-decoration-style", "solid")
        await expect(mark).to_have_css("print-color-adjust", "exact")
        await expect(page.locator("#highlights")).to_contain_text("Read aloud")
        await expect(page.locator("#highlights")).to_have_css("position", "static")
        await expect(page.get_by_role("link", name="Edit")).to_have_count(0)
        assert (await page.pdf()).startswith(b"%PDF")


@pytest.mark.requirement("Kept", "two people mark one article and see only their own")
async def test_two_people_mark_one_article_and_see_only_their_own(running: RunningKept, browser: Browser) -> None:
    item_id = await share_an_article(running)
    async with sit_down(browser, running.address) as anns, sit_down(browser, running.address) as bobs:
        await anns.sign_in("ann")
        await anns.go_ready(f"/read/{item_id}")
        await highlight(anns.page, "A plane takes", "oak board")
        await bobs.sign_in("bob")
        await bobs.go_ready(f"/read/{item_id}")
        await expect(bobs.page.locator("#prose mark")).to_have_count(0)
        await highlight(bobs.page, "nobody looks", "looks at it", "blue")
        await expect(bobs.page.locator("#highlights li")).to_have_count(1)
        await bobs.go_ready("/highlights")
        await expect(bobs.page.locator(".highlight-list li")).to_contain_text("nobody looks at it")
        await anns.page.reload()
        assert squeeze(await marked_text(anns.page)) == "Aplanetakesashavingfromanoakboard"
        await expect(anns.page.locator("#highlights li")).to_have_count(1)


async def share_an_article(running: RunningKept) -> UUID:
    """In a library of Ann's that Bob may read."""
    database, now = running.kept.database, running.kept.now()
    viewer, bob = Viewer(running.make_user("ann"), frozenset(Scope)), running.make_user("bob")
    team = await database.write(create_library, viewer, name="Reading group", now=now)
    await database.write(add_member, viewer, team.id, user_name=bob.name, role=Role.MEMBER, now=now)
    with writing(database) as tx:
        item_id, _ = put(tx, team.id, viewer.user_id, PAGES[ESSAY], now, has_picture=False)
    return item_id


async def test_without_scripts_highlights_show_and_can_be_noted_and_removed(
    running: RunningKept, browser: Browser
) -> None:
    async with sit_down_with(running, browser, java_script_enabled=False) as (desk, item_id, ann):
        page = desk.page
        store_highlight(running.kept.database, ann.id, item_id, "A plane takes a shaving")
        await desk.go(f"/read/{item_id}")
        await expect(page.locator("#prose mark")).to_have_text("A plane takes a shaving")
        await page.get_by_role("link", name="Edit “A plane").click()
        await page.get_by_label("Note").fill("In plain HTML")
        await page.get_by_label("Green").check()
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_text("Highlight saved.")).to_be_visible()
        await expect(page.locator("#highlights li")).to_contain_text("In plain HTML")
        await expect(page.locator("#prose mark")).to_have_class("h-green")
        await page.get_by_role("link", name="Edit “A plane").click()
        await page.get_by_role("button", name="Remove").click()
        await expect(page.locator("#prose mark")).to_have_count(0)
        await page.get_by_role("button", name="Undo").click()
        await expect(page.locator("#highlights li")).to_contain_text("In plain HTML")


async def test_a_quote_is_copied_with_its_source(running: RunningKept, browser: Browser) -> None:
    async with sit_down_with(running, browser, permissions=["clipboard-read", "clipboard-write"]) as (desk, _, _):
        page = desk.page
        await select_text(page, "nobody looks", "looks at it")
        await page.get_by_role("button", name="Copy as quote").click()
        await expect(page.get_by_text("Quote copied.")).to_be_visible()
        copied = await page.evaluate("navigator.clipboard.readText()")
        assert copied == ("“nobody looks at it”\n— The patience of workshops\nhttps://longafternoon.example/patience")


async def test_a_quote_is_copied_over_plain_http_too(running: RunningKept, browser: Browser) -> None:
    """There is no clipboard interface in a page of a home network without TLS."""
    async with sit_down_with(running, browser) as (desk, _, _):
        page = desk.page
        await page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
        await select_text(page, "nobody looks", "looks at it")
        await page.get_by_role("button", name="Copy as quote").click()
        await expect(page.get_by_text("Quote copied.")).to_be_visible()


@pytest.mark.requirement("Kept", "lists of highlights by words, colour, site and date")
async def test_the_page_of_highlights_is_searched_and_narrowed(running: RunningKept, browser: Browser) -> None:
    ann, database = running.make_user("ann"), running.kept.database
    essay, tides, *_ = await stock(database, running.kept.blobs, ann.id, PAGES[:2])
    then = utc_now() - timedelta(days=40)
    store_highlight(database, ann.id, essay, "A plane takes a shaving", note="Tools")
    store_highlight(database, ann.id, essay, "the board is a hair thinner", colour=Colour.BLUE)
    store_highlight(database, ann.id, tides, "It has sixteen seats and no screws", at=then)
    async with sit_down(browser, running.address) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready("/")
        await page.get_by_text("Menu").click()
        await page.get_by_role("link", name="Highlights").click()
        entries = page.locator(".highlight-list li")
        await expect(entries).to_have_count(3)
        await expect(page.get_by_role("heading", level=2)).to_have_count(2)
        await page.get_by_label("Search").fill("shaving")
        await page.keyboard.press("Enter")
        await expect(entries).to_have_count(1)
        await page.get_by_label("Search").fill("tools")
        await page.keyboard.press("Enter")
        await expect(entries).to_contain_text("A plane takes a shaving")
        await page.get_by_role("link", name="Clear").click()
        await page.get_by_label("Colour").select_option("Blue")
        await page.get_by_role("button", name="Search").click()
        await expect(entries).to_contain_text("the board is a hair thinner")
        await page.get_by_role("link", name="Clear").click()
        await page.get_by_label("Site").fill("harbour.example")
        await page.get_by_role("button", name="Search").click()
        await expect(entries).to_contain_text("sixteen seats")
        await page.get_by_role("link", name="Clear").click()
        await page.get_by_label("To").fill((then + timedelta(days=2)).date().isoformat())
        await page.get_by_role("button", name="Search").click()
        await expect(entries).to_have_count(1)
        await page.get_by_role("link", name="It has sixteen seats and no screws", exact=True).click()
        await expect(page.locator("#prose mark")).to_be_in_viewport()


@pytest.mark.requirement("Kept", "lists of highlights by words, colour, site and date")
async def test_on_this_day_shows_what_was_marked_in_earlier_years(running: RunningKept, browser: Browser) -> None:
    ann, database = running.make_user("ann"), running.kept.database
    [essay] = await stock(database, running.kept.blobs, ann.id, PAGES[:1])
    noon = utc_now().replace(hour=12)
    store_highlight(database, ann.id, essay, "A plane takes a shaving", at=noon.replace(year=noon.year - 4))
    store_highlight(database, ann.id, essay, "the board is a hair thinner", at=noon)
    async with sit_down(browser, running.address, timezone_id="Etc/UTC") as desk:
        await desk.sign_in("ann")
        await desk.go_ready("/highlights")
        await desk.page.get_by_role("link", name="On this day").click()
        await expect(desk.page.locator(".highlight-list li")).to_have_count(1)
        await expect(desk.page.locator(".highlight-list li")).to_contain_text("A plane takes a shaving")


async def test_changing_a_highlight_leaves_the_rest_of_the_article_alone(
    running: RunningKept, browser: Browser
) -> None:
    async with sit_down_with(running, browser) as (desk, _, _):
        page = desk.page
        await page.evaluate("document.querySelector('#prose img').isTheSame = true")
        await page.evaluate("document.querySelector('#prose pre').isTheSame = true")
        await highlight(page, "A plane takes", "oak board")
        await highlight(page, "one per cent", "one per cent", "red")
        assert await page.evaluate("document.querySelector('#prose img').isTheSame")
        assert await page.evaluate("document.querySelector('#prose pre').isTheSame")


async def test_what_is_marked_elsewhere_appears_in_an_open_reader_and_leaves_a_selection_alone(
    running: RunningKept, browser: Browser
) -> None:
    async with sit_down_with(running, browser) as (desk, item_id, _):
        page, other = desk.page, await desk.context.new_page()
        await expect(page.locator("main[data-live]")).to_be_attached()
        await other.goto(f"{running.address}/read/{item_id}")
        await other.wait_for_selector("html[data-ready]", state="attached")
        await page.evaluate("scrollTo({top: 400, behavior: 'instant'})")
        scrolled = await page.evaluate("scrollY")
        await highlight(other, "A plane takes", "oak board", "green")
        await expect(page.locator("#prose mark.h-green")).to_be_attached()
        await expect(page.locator("#highlights li")).to_have_count(1)
        assert await page.evaluate("scrollY") == scrolled
        # while text is selected, nothing changes under one's hands
        selected = await select_text(page, "nobody looks", "looks at it")
        await expect(page.locator("#selection-bar")).to_be_visible()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        await page.evaluate(HEAR)
        await highlight(other, "one per cent", "one per cent", "red")
        await expect(other.locator("#highlights li")).to_have_count(2)
        await click_mark(other, "#prose mark.h-green")
        await other.get_by_role("button", name="Remove").click()
        await expect(other.locator("#prose mark.h-green")).to_have_count(0)
        await expect(page.locator("body[data-heard='2']")).to_be_attached()
        assert await page.evaluate("getSelection().toString()") == selected
        assert [url for url in asked if "/read/" in url] == []
        await page.evaluate("getSelection().removeAllRanges()")
        await expect(page.locator("#prose mark.h-red")).to_be_attached()
        await expect(page.locator("#prose mark.h-green")).to_have_count(0)


async def test_a_quote_that_is_too_long_or_gone_is_told(running: RunningKept, browser: Browser) -> None:
    async with sit_down_with(running, browser) as (desk, _, _):
        page = desk.page
        await page.evaluate(
            "document.querySelector('#prose p').firstChild.data = 'Words nobody wrote in this article.'"
        )
        await select_text(page, "Words nobody wrote", "in this article.")
        await page.keyboard.press("h")
        await expect(page.locator("#toast .notice")).to_be_visible()
        await page.evaluate("document.querySelector('#prose p').firstChild.data = 'x'.repeat(30000)")
        await select_text(page, "xxx", "x" * 30000)
        await page.keyboard.press("h")
        await expect(page.locator("#toast .notice")).to_contain_text("at most 20000 characters")
        await expect(page.locator("#prose mark")).to_have_count(0)
