"""Our own pass over a page before Readability reads it: what would mislead it goes, what it would lose is made plain.

General rules only, each in a file by what it is about: decision 15.
"""

from selectolax.lexbor import LexborHTMLParser

from kept.content.article.prepare.callouts import unwrap_callouts
from kept.content.article.prepare.comments import remove_comments
from kept.content.article.prepare.entries import remove_labels_of_entries
from kept.content.article.prepare.forms import remove_sign_up_boxes
from kept.content.article.prepare.headings import keep_headings
from kept.content.article.prepare.layout_names import remove_layout_names
from kept.content.article.prepare.menu_cells import remove_menu_cells
from kept.content.article.prepare.panels import open_panels
from kept.content.article.prepare.products import make_products_sections
from kept.content.article.prepare.quotations import unwrap_quotations
from kept.content.article.prepare.streams import remove_streams
from kept.content.article.prepare.tables import remove_live_tables


def prepare_page(page: LexborHTMLParser, url: str, *, is_listing: bool = False) -> None:
    """Prepare in place. `url`: where the page is; `is_listing`: whether a list is what it is about."""
    if page.body is None:
        return
    open_panels(page)
    remove_layout_names(page.body)
    unwrap_callouts(page)
    unwrap_quotations(page.body)
    remove_sign_up_boxes(page.body)
    remove_comments(page.body)
    remove_labels_of_entries(page)
    remove_menu_cells(page.body)
    if not is_listing:  # its rows look like tables and teasers that stand beside an article
        remove_live_tables(page.body, url)
        remove_streams(page, url)
    make_products_sections(page.body)
    keep_headings(page)
