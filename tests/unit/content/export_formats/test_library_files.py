"""Libraries as files: whatever people and pages wrote, a file is of its kind and nothing in it runs."""

import csv
import io
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4
from xml.etree import ElementTree

import pytest
from selectolax.lexbor import LexborHTMLParser

from kept.content.article.article import ARTICLE_BEGINS, ARTICLE_ENDS
from kept.content.article.canonical import canonical_text
from kept.content.article.sanitise import SanitisedArticle, sanitise_article
from kept.content.export_formats import bookmarks_file, csv_file, folder_index
from kept.content.export_formats.article_file import (
    ArticleFile,
    EmbeddedImage,
    make_file_name,
)
from kept.content.export_formats.epub_file import Book, BookCover
from kept.content.export_formats.kept_file import write_article
from kept.content.export_formats.zip_stream import ZipStream
from kept.content.images.format import ImageFormat
from kept.domain.item import Card, Item, ReadingState
from kept.domain.library import Library
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus
from kept.domain.media import Media
from support.builders.extraction_corpus import load_articles
from support.builders.pictures import picture

AT = datetime(2026, 5, 4, 12, tzinfo=UTC)
LIBRARY = Library(UUID(int=1), "Team", UUID(int=2), is_default=False, created_at=AT, updated_at=AT)
HOSTILE = [
    "../../etc/passwd",
    "..\\..\\windows\\system32",
    "/absolute",
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "x" * 300,
    "日" * 300,
    "𐐀" * 300,
    "\u202egnp.exe",
    "مرحبا بالعالم",
    "con",
    "nul.html",
    "",
    "\x00\x07\ud800",
    ".hidden",
    "]]>&<!--",
    "a\nb\r\nc",
]


def make_card(**words: Any) -> Card:
    fields: dict[str, Any] = dict.fromkeys(Media.__dataclass_fields__)
    fields |= {"id": uuid4(), "site_name": words.pop("site_name", None)}
    fields |= {"processing_status": ProcessingStatus.PENDING, "enrichment_status": EnrichmentStatus.PENDING}
    media = Media(**fields)
    tags = words.pop("tags", ())
    url = words.pop("url", "https://e.org/a?b=1&c=2")
    said = {"title": None, "excerpt": None, "note": None} | words
    item = Item(uuid4(), LIBRARY.id, media.id, url, None, created_at=AT, updated_at=AT, **said)
    return Card(item, media, tags, ReadingState())


# --- CSV ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cell",
    ["=1+1", "+1", "-1", "@SUM(A1)", "|cmd", "%0", "\t=1", " =1", "\n=1", "\r=1", "＝1", "＠x", '=HYPERLINK("x")'],
)
def test_a_cell_that_begins_like_a_formula_is_text(cell: str) -> None:
    rows = csv_file.write_rows([(LIBRARY, make_card(title=cell, note=cell, tags=(cell,), site_name=cell))])
    [row] = csv.reader(io.StringIO(rows, newline=""))
    told = [row[csv_file.COLUMNS.index(name)] for name in ("title", "note", "tags", "site")]
    assert told == [f"'{cell}"] * 4


@pytest.mark.parametrize("cell", ["plain", "a=b", "1 + 1", "https://e.org/?a=-1", "日本"])
def test_an_ordinary_cell_stays_as_it_is(cell: str) -> None:
    assert csv_file.neutralise(cell) == cell


def test_a_table_has_one_line_an_item_whatever_stands_in_it() -> None:
    cards = [make_card(title=text, note=f'{text}"\n;=1,2') for text in HOSTILE]
    text = csv_file.write_heading() + csv_file.write_rows((LIBRARY, card) for card in cards)
    rows = list(csv.DictReader(io.StringIO(text.removeprefix(csv_file.BYTE_ORDER_MARK), newline="")))
    assert len(rows) == len(HOSTILE)
    assert {row["url"] for row in rows} == {"https://e.org/a?b=1&c=2"}
    assert {row["library"] for row in rows} == {"Team"}
    assert all(None not in row for row in rows)


# --- bookmarks ----------------------------------------------------------------------------------------------------


def test_bookmarks_are_links_with_dates_tags_and_notes() -> None:
    card = make_card(title="A & B", note="Mine <b>", tags=("one", "two"))
    parsed = parse_bookmarks(card)
    [link] = parsed.css("a")
    assert link.attributes["href"] == "https://e.org/a?b=1&c=2"
    assert (link.text(), link.attributes["tags"], link.attributes["toread"]) == ("A & B", "one,two", "1")
    assert link.attributes["add_date"] == str(int(AT.timestamp()))
    [note] = parsed.css("dd")
    assert note.text().strip() == "Mine <b>"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_in_bookmarks_are_words(text: str) -> None:
    parsed = parse_bookmarks(make_card(title=text or None, note=text or None, tags=(text,) if text else ()))
    assert not parsed.css("script, img")
    assert len(parsed.css("a")) == 1


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,<script>", "mailto:a@b", "file:///etc/passwd"])
def test_what_is_not_of_the_web_is_never_a_link(url: str) -> None:
    card = make_card(url=url)
    assert parse_bookmarks(card).css("a") == []
    assert "<a " not in folder_index.write_entry(card, None)
    assert url.partition(":")[0] in bookmarks_file.write_bookmark(card)


def parse_bookmarks(*cards: Card) -> LexborHTMLParser:
    body = "".join(map(bookmarks_file.write_bookmark, cards))
    return LexborHTMLParser(
        bookmarks_file.BEGINNING
        + bookmarks_file.begin_folder(LIBRARY)
        + body
        + bookmarks_file.FOLDER_END
        + bookmarks_file.END
    )


# --- names and the first page of a folder -------------------------------------------------------------------------


@pytest.mark.parametrize("title", HOSTILE)
def test_a_file_name_is_good_on_every_file_system(title: str) -> None:
    name = make_file_name(title)
    assert name
    assert len(name.encode()) <= 120
    assert all(character.isalnum() or character == "-" for character in name)
    assert not name.startswith("-")


@pytest.mark.parametrize("title", HOSTILE)
def test_the_first_page_of_a_folder_shows_hostile_words_as_words(title: str) -> None:
    entry = folder_index.write_entry(make_card(title=title or None), "team/000001-100%-x?.html")
    page = LexborHTMLParser(folder_index.BEGINNING + folder_index.begin_list(LIBRARY) + entry + folder_index.END)
    assert not page.css("script, img")
    [link] = page.css("a")
    assert link.attributes["href"] == "team/000001-100%25-x%3F.html"


# --- the book -----------------------------------------------------------------------------------------------------


def make_articles() -> Iterator[ArticleFile]:
    for number, title in enumerate(HOSTILE):
        media_id = UUID(int=number + 1)
        html = f'<p>Number {number} &amp; more.</p><img src="/{number}.png" alt="{number}">'
        made = sanitise_article(html, base_url="https://e.org/", canonical_url="https://e.org/", media_id=media_id)
        assert isinstance(made, SanitisedArticle)
        pictures = {image.id: EmbeddedImage(picture(), ImageFormat.PNG) for image in made.images}
        origins = {image.id: image.origin_url for image in made.images}
        text, lang = str(canonical_text(made.html)), 'e"<n' if number % 2 else "en"
        yield ArticleFile(media_id, title, made.html, text, title, lang=lang, images=pictures, origins=origins)


def make_book(articles: Iterator[ArticleFile]) -> zipfile.ZipFile:
    book, archive = Book(BookCover(uuid4(), HOSTILE[3], AT), io.BytesIO), ZipStream(io.BytesIO(), AT)
    members = [*book.begin(), *(member for article in articles for member in book.add(article)), *book.end()]
    return zipfile.ZipFile(
        io.BytesIO(b"".join([*(chunk for member in members for chunk in archive.add(member)), *archive.end()]))
    )


def test_a_book_of_many_articles_names_every_file_and_every_file_is_well_formed() -> None:
    check_book(make_book(make_articles()), articles=len(HOSTILE), images=len(HOSTILE))


def test_a_book_of_nothing_is_still_a_book() -> None:
    check_book(make_book(iter(())), articles=1, images=0)


def check_book(book: zipfile.ZipFile, *, articles: int, images: int) -> None:
    """What EPUB 3 asks of a container, a package and a navigation document."""
    names = book.namelist()
    assert len(names) == len(set(names))
    assert (names[0], book.infolist()[0].compress_type, book.infolist()[0].extra) == ("mimetype", 0, b"")
    pages = {
        name: ElementTree.fromstring(book.read(name)) for name in names if name.endswith((".xhtml", ".opf", ".xml"))
    }
    opf, xhtml = "{http://www.idpf.org/2007/opf}", "{http://www.w3.org/1999/xhtml}"
    package = pages["EPUB/package.opf"]
    listed = {item.get("id"): item for item in package.iter(f"{opf}item")}
    assert len(listed) == len(list(package.iter(f"{opf}item")))
    hrefs = {f"EPUB/{item.get('href')}" for item in listed.values()}
    assert hrefs == set(names) - {"mimetype", "META-INF/container.xml", "EPUB/package.opf"}
    spine = [item.get("idref") for item in package.iter(f"{opf}itemref")]
    assert len(spine) == articles
    assert all(listed[idref].get("media-type") == "application/xhtml+xml" for idref in spine)
    links = [link.get("href") for link in pages["EPUB/nav.xhtml"].iter(f"{xhtml}a")]
    assert links == [listed[idref].get("href") for idref in spine]
    assert all("".join(link.itertext()).strip() for link in pages["EPUB/nav.xhtml"].iter(f"{xhtml}a"))
    shown = [image.get("src") for name in links for image in pages[f"EPUB/{name}"].iter(f"{xhtml}img")]
    assert len(shown) == images
    assert {f"EPUB/{source}" for source in shown} <= hrefs
    for page in pages.values():
        assert not list(page.iter(f"{xhtml}script"))


# --- Kept's own format --------------------------------------------------------------------------------------------


def test_an_article_in_an_export_is_the_same_once_it_is_made_safe_again() -> None:
    for article in make_articles():
        text = write_article(article).decode()
        inside = text.partition(ARTICLE_BEGINS)[2].rpartition(ARTICLE_ENDS)[0]
        again = sanitise_article(
            inside, base_url="https://other.org/", canonical_url="https://other.org/", media_id=article.id, is_copy=True
        )
        assert isinstance(again, SanitisedArticle)
        assert again.html == article.html
        assert {image.id: image.origin_url for image in again.images} == article.origins
        assert str(canonical_text(again.html)) == article.text


def test_real_articles_are_the_same_once_they_are_made_safe_again() -> None:
    compared = 0
    for source in load_articles()[:80]:
        html, media_id = source.body.decode(errors="replace"), uuid4()
        page = "https://e.org/a/b?c=1"
        made = sanitise_article(html, base_url=page, canonical_url=page, media_id=media_id)
        if isinstance(made, SanitisedArticle):
            origins = {image.id: image.origin_url for image in made.images}
            file = ArticleFile(media_id, "t", made.html, "", origins=origins)
            inside = write_article(file).decode().partition(ARTICLE_BEGINS)[2].rpartition(ARTICLE_ENDS)[0]
            again = sanitise_article(inside, base_url=page, canonical_url=page, media_id=media_id, is_copy=True)
            assert again == made, source.key
            compared += 1
    assert compared > 30
