"""The pages of a document: where each begins in its text, and how the reader shows them."""

from uuid import UUID

from kept.content.article.article import find_page_starts
from kept.content.article.canonical import canonical_text
from kept.content.article.presenting import PageImages, Pages, present_article
from kept.content.article.safe_html import SafeHtml
from kept.domain.document import DocumentFacts, DocumentType, PageSize

EMPTY = "<section></section>"
HTML = f"<section><p>One.</p><p>More.</p></section>{EMPTY}<section><p>Three e\u0301.</p></section>{EMPTY}"
ITEM = UUID(int=7)


def admit(html: str) -> SafeHtml:
    admitted = SafeHtml.admit(html)
    assert admitted is not None
    return admitted


def test_each_page_begins_where_its_text_does_and_an_empty_one_where_the_next_does() -> None:
    text, starts = canonical_text(admit(HTML)).text, find_page_starts(admit(HTML))
    assert text == "One.\n\nMore.\n\nThree é."
    assert starts == (0, 13, 13, len(text))


def test_a_place_of_the_text_is_on_the_page_that_holds_it() -> None:
    sizes = (PageSize(600, 800),) * 4
    facts = DocumentFacts(DocumentType.PDF, 4, sizes, (0, 13, 13, 21), (), "", has_text=True, is_cut=False)
    assert [facts.find_page(at) for at in (0, 6, 13, 20, 21)] == [1, 1, 3, 3, 4]
    book = DocumentFacts(DocumentType.EPUB, 0, (), (0, 13), (), "", has_text=True, is_cut=False)
    assert book.find_page(13) is None


def test_pages_have_places_and_marks_and_chapters_have_places_alone() -> None:
    shown = str(present_article(admit(HTML), Pages()).html)
    assert '<section id="page-1" data-page="1"><p>One.</p>' in shown
    assert '<section id="page-4" data-page="4"></section>' in shown
    chapters = str(present_article(admit(HTML), Pages(are_chapters=True)).html)
    assert '<section id="page-3"><p>Three' in chapters
    assert present_article(admit(HTML)).html == admit(HTML)


def test_images_of_pages_stand_before_their_text_in_their_proportions() -> None:
    images = PageImages(ITEM, (PageSize(600, 800), PageSize(0, 0), PageSize(800, 400)))
    shown = str(present_article(admit(HTML), Pages(images=images)).html)
    source = f"/api/v1/items/{ITEM}/document/pages"
    assert f'<img class="page" src="{source}/1.webp" alt="" width="1200" height="1600" loading="lazy"><p>One' in shown
    assert f'src="{source}/3.webp" alt="" width="1200" height="600"' in shown
    assert f"{source}/4.webp" not in shown
    alone = str(present_article(admit(HTML), Pages(images=PageImages(ITEM, (PageSize(6, 8),), are_alone=True))).html)
    assert 'alt="1"' in alone
