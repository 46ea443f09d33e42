"""PDFs as browsers print them: pages of the repository's own corpus, printed by Chromium and read again."""

from typing import Final

import pytest
from playwright.async_api import Browser
from selectolax.lexbor import LexborHTMLParser

from support.builders.documents import read_pdf_here, share_in_order
from support.builders.extraction_corpus import OwnPage, load_own

PAGES: Final = {page.key: page for page in load_own() if page.true_text}
TEN: Final = (
    "arabic",
    "code-listings",
    "div-soup",
    "footnotes",
    "german-typography",
    "interview",
    "live-blog",
    "numbered-list",
    "plain-article",
    "recipe",
)
# It shows nothing without its script.
NOT_PRINTED: Final = {"amp"}
# Of prose alone: where text is set in columns, so are captions, tables and listings.
IN_COLUMNS: Final = ("plain-article", "interview", "german-typography", "footnotes")
COLUMNS: Final = (
    "<style>body { columns: 2; column-gap: 24px; text-align: justify; hyphens: auto; font-size: 15px }</style>"
)


async def print_page(browser: Browser, page: OwnPage, style: str = "") -> bytes:
    opened = await browser.new_page(java_script_enabled=False)
    try:
        await opened.set_content(page.body.decode() + style, wait_until="domcontentloaded")
        return await opened.pdf(format="A4")
    finally:
        await opened.close()


def read_title(page: OwnPage) -> str:
    title = LexborHTMLParser(page.body).css_first("title")
    assert title is not None
    return " ".join(title.text().split())


async def require_printed(browser: Browser, page: OwnPage, least: float, style: str = "") -> None:
    document = read_pdf_here(await print_page(browser, page, style))
    assert document.article.title == read_title(page)
    share = share_in_order(page.true_text or "", document.article.text.text)
    print(f"{page.key}{' in columns' if style else ''}: {share:.4f}")
    assert share >= least, page.key


async def test_ten_printed_pages_are_read_word_for_word(browser: Browser) -> None:
    for key in TEN:
        await require_printed(browser, PAGES[key], 0.98)


@pytest.mark.long
async def test_every_printed_page_is_read(browser: Browser) -> None:
    for key in PAGES.keys() - NOT_PRINTED:
        await require_printed(browser, PAGES[key], 0.96 if key == "formulas" else 0.98)


async def test_pages_printed_in_two_columns_are_read_column_by_column(browser: Browser) -> None:
    for key in IN_COLUMNS:
        await require_printed(browser, PAGES[key], 0.95, COLUMNS)
