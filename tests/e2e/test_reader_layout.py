"""How an article is set: lines of about 66 characters, and tables that scroll in their own box."""

from playwright.async_api import Browser, expect

from support.builders.demo import Page as DemoPage
from support.builders.demo import stock
from support.servers.desk import sit_down
from support.servers.serving import RunningKept

SENTENCE = "He was not making tables; he was keeping the way his teacher had cut a joint, and how it sounds. "
LONG = f"<p>{SENTENCE * 40}</p>"
COLUMNS = 8
WORDS = "A sentence that says what is in this cell"
WIDE = (
    "<table><thead><tr>"
    + "".join(f"<th>Column {number}</th>" for number in range(COLUMNS))
    + "</tr></thead><tbody><tr>"
    + f"<td>{WORDS}</td>" * (COLUMNS - 1)
    + "<td>7</td></tr></tbody></table>"
)
SET = DemoPage("A page to set", "Site", "https://example.org/set", html=LONG + WIDE + LONG)

COUNT_LINES = """paragraph => {
    const range = document.createRange();
    range.selectNodeContents(paragraph);
    return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
}"""


async def test_a_line_has_about_66_characters_and_a_wide_table_scrolls_with_readable_columns(
    running: RunningKept, browser: Browser
) -> None:
    ann = running.make_user("ann")
    [item] = await stock(running.kept.database, running.kept.blobs, ann.id, (SET,))
    async with sit_down(browser, running.address, viewport={"width": 1280, "height": 800}) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready(f"/read/{item}")
        paragraph = page.locator("#prose p").first
        characters = len(await paragraph.inner_text()) / await paragraph.evaluate(COUNT_LINES)
        assert 60 <= characters <= 72, characters

        await page.set_viewport_size({"width": 390, "height": 844})
        await page.reload()
        await page.wait_for_selector("html[data-ready]", state="attached")
        table = page.get_by_role("table", name="Table")
        await expect(table).to_have_attribute("tabindex", "0")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert await table.evaluate("table => table.scrollWidth > table.clientWidth && table.clientWidth <= innerWidth")
        cell = table.get_by_role("cell", name=WORDS).first
        # three lines of some 16 characters, not one word each
        assert await cell.evaluate("cell => cell.clientHeight / parseFloat(getComputedStyle(cell).lineHeight)") < 5
        short = table.get_by_role("cell", name="7")
        assert (await short.evaluate("cell => cell.offsetWidth")) < (await cell.evaluate("cell => cell.offsetWidth"))
        await table.focus()
        await page.keyboard.press("ArrowRight")
        await page.wait_for_function("() => document.querySelector('#prose table').scrollLeft > 0")
