"""Highlights for tests: stored without a browser, and made by somebody who selects text in one."""

from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from playwright.async_api import Page
from sqlalchemy import select

from kept.clock import utc_now
from kept.content.article.highlights.anchoring import find_quote, quote_at
from kept.domain.highlight import Colour, Highlight, Quote
from kept.ids import new_id
from kept.storage import highlights, tables
from kept.storage.database.engine import Database
from kept.storage.search import index
from support.fixtures.transactions import writing

# Selects from the beginning of one text to the end of another, each inside one text node of the article.
SELECT = """([first, last]) => {
  const place = (text) => {
    const walker = document.createTreeWalker(document.querySelector("#prose"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const at = walker.currentNode.data.indexOf(text);
      if (at >= 0) return [walker.currentNode, at];
    }
    throw new Error(`no text node has ${text}`);
  };
  const [start, from] = place(first);
  const [end, to] = place(last);
  getSelection().setBaseAndExtent(start, from, end, to + last.length);
  return getSelection().toString();
}"""
# The corners of what would be selected, for a mouse.
CORNERS = """([first, last]) => {
  const range = getSelection().getRangeAt(0);
  const rects = [...range.getClientRects()];
  getSelection().removeAllRanges();
  const [start, end] = [rects[0], rects.at(-1)];
  return [start.left, start.top + start.height / 2, end.right, end.top + end.height / 2];
}"""
MIDDLE = """(mark) => {
  const { left, top, width, height } = [...mark.getClientRects()].at(-1);
  return [left + width / 2, top + height / 2];
}"""
MARKED = (
    """() => [...document.querySelectorAll("#prose mark[data-highlight]")].map((mark) => mark.textContent).join("")"""
)


async def select_text(page: Page, first: str, last: str) -> str:
    """What the browser says is selected."""
    return str(await page.evaluate(SELECT, [first, last]))


async def drag_over(page: Page, first: str, last: str) -> None:
    """Select with the mouse."""
    await select_text(page, first, last)
    await page.evaluate(
        "getSelection().anchorNode.parentElement.scrollIntoView({block: 'center', behavior: 'instant'})"
    )
    left, top, right, bottom = await page.evaluate(CORNERS, [first, last])
    await page.mouse.move(left + 1, top)
    await page.mouse.down()
    await page.mouse.move((left + right) / 2, (top + bottom) / 2)
    await page.mouse.move(right - 1, bottom)
    await page.mouse.up()


async def click_mark(page: Page, selector: str = "#prose mark") -> None:
    """On its last line: the middle of a mark that goes over two lines may be outside of it."""
    mark = page.locator(selector).first
    await mark.scroll_into_view_if_needed()
    x, y = await mark.evaluate(MIDDLE)
    await page.mouse.click(x, y)


async def marked_text(page: Page) -> str:
    return str(await page.evaluate(MARKED))


def squeeze(text: str) -> str:
    """Without white space, in which a selection and the text of elements differ."""
    return "".join(text.split())


def store_highlight(
    database: Database, user_id: UUID, item_id: UUID, exact: str, *, at: datetime | None = None, **others: Any
) -> Highlight:
    """As its owner would have made it; one whose text the article does not have is not found in this copy."""
    now = at or utc_now()
    with writing(database) as tx:
        media_id = tx.execute(select(tables.items.c.media_id).where(tables.items.c.id == item_id)).scalar_one()
        text = tx.execute(
            select(tables.fragments.c.canonical_text).where(tables.fragments.c.media_id == media_id)
        ).scalar_one()
        span = find_quote(text, Quote(exact))
        quote = quote_at(text, span) if span else Quote(exact)
        made = Highlight(new_id(), user_id, media_id, span, quote, Colour.YELLOW, None, 1, now, now)
        made = replace(made, **others)
        highlights.insert_highlights(tx, [made])
        index.index_highlights(tx, [made])
    return made
