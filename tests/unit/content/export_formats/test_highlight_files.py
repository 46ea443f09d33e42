"""Files of highlights: whatever stands in a quote or a note, a file is of its kind and says what was marked."""

import csv
import io
import json
from typing import Any

import pytest
import yaml
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from kept.content.export_formats import highlight_files
from kept.content.export_formats.highlight_files import write_markdown
from kept.content.import_formats.prepare_rows import PreparedLink, prepare_rows
from kept.content.import_formats.registry import Unrecognised, find_reader
from kept.content.import_formats.uploaded_file import UploadedFile
from kept.domain.highlight import Colour, Highlight, NewHighlight, Span
from kept.domain.imported import FolderUse
from support.builders.highlighted import AT, make_highlight, make_highlighted_page

pytestmark = pytest.mark.requirement("Kept", "highlights as files: Markdown, Readwise's CSV, W3C annotations")

HOSTILE = [
    "plain words",
    "---\ntitle: forged\n---",
    "# heading\n- list\n1. number\n> quote\n```\ncode",
    "<script>alert(1)</script> <b>bold</b> &amp; &lt;",
    "[link](javascript:alert(1)) ![image](https://e.org/x.png) [[note]] ![[embed]]",
    "*a* _b_ `c` ~~d~~ ==e== %%hidden%% $x^2$ #tag",
    "=HYPERLINK(1)",
    "-5\n\n\n+6",
    "a\\b \\# \\$ ====\n===",
    '"quoted", comma; semicolon\ttab',
    "日本語の文、مرحبا 𐐀",
    "x" * 20_000,
]


# --- Markdown -----------------------------------------------------------------------------------------------------


def render(markdown: str) -> LexborHTMLParser:
    return LexborHTMLParser(MarkdownIt("commonmark").render(markdown.partition("\n---\n")[2]))


def shown(text: str) -> list[str]:
    return text.split()


@pytest.mark.parametrize("text", HOSTILE)
def test_a_quote_is_shown_as_it_was_marked(text: str) -> None:
    parsed = render(write_markdown(make_highlighted_page(make_highlight(text))))
    [quote] = parsed.css("blockquote")
    assert shown(quote.text()) == shown(text)
    assert not quote.css("script, b, a, img, em, code, h1, h2, ul, ol, blockquote blockquote")


@pytest.mark.parametrize("text", HOSTILE)
def test_a_note_is_shown_as_it_was_written(text: str) -> None:
    parsed = render(write_markdown(make_highlighted_page(make_highlight(note=text))))
    words = shown(parsed.body.text() if parsed.body else "")
    assert " ".join(shown(text)) in " ".join(words)
    assert not parsed.css("script, b, img, em, code, ul, ol")


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_it_is_taken_for_a_tag_a_highlight_a_comment_or_a_formula(text: str) -> None:
    page = make_highlighted_page(make_highlight(text, note=text))
    body = write_markdown(page).partition("\n---\n")[2]
    for mark in ("==", "%%", " #tag", "[["):
        assert mark not in body
    assert "$" not in body.replace("\\$", "")


@pytest.mark.parametrize("text", [text[:500] for text in HOSTILE])
def test_the_properties_are_yaml_whatever_a_page_is_called(text: str) -> None:
    page = make_highlighted_page(make_highlight(), title=text, byline=text, site_name=text, tags=("two words", "a/b"))
    properties = yaml.safe_load(write_markdown(page).split("---\n")[1])
    assert properties["title"] == properties["author"] == properties["site"] == " ".join(text.split())
    assert (properties["url"], properties["tags"]) == ("https://e.org/a?b=1&c=2", ["two-words", "a/b"])
    assert str(properties["saved"]) == "2026-05-04"


def test_a_highlight_has_its_note_its_colour_its_day_and_a_link_back() -> None:
    found, lost = (
        make_highlight(note="see https://e.org/x_y_z).", colour=Colour.RED),
        make_highlight("lost", span=None),
    )
    page = make_highlighted_page(found, lost, read_url="https://kept.example/read/1", byline="Ann", tags=("a b",))
    text = write_markdown(page)
    assert "Ann  \n<https://e.org/a?b=1&c=2>  \n#a-b  \n" in text
    assert "> marked words\n\nsee <https://e.org/x_y_z>).\n\n" in text
    assert f"— [Open in Kept](https://kept.example/read/1#h-{found.id}) · red · 2026-05-04\n" in text
    assert "> lost\n\n— [Open in Kept]" in text
    assert text.endswith(" · yellow · 2026-05-04 · not found in this copy\n")


def test_lines_and_paragraphs_of_a_quote_stay_apart() -> None:
    text = write_markdown(make_highlighted_page(make_highlight("one\ntwo\n\nthree")))
    assert "> one  \n> two\n>\n> three\n\n— yellow" in text


# --- CSV and JSON -------------------------------------------------------------------------------------------------


def read_back(data: bytes) -> tuple[NewHighlight, ...]:
    file = UploadedFile.of(data)
    reader = find_reader(file)
    assert not isinstance(reader, Unrecognised)
    [row] = prepare_rows(reader.read(file), first=0, folder_use=FolderUse.TAGS, now=AT)
    assert isinstance(row, PreparedLink)
    assert row.given_url == "https://e.org/a?b=1&c=2"
    return row.highlights


def as_new(highlight: Highlight) -> NewHighlight:
    start = highlight.span.start if highlight.span else None
    return NewHighlight(
        *(highlight.quote, highlight.colour, highlight.note),
        *(start, highlight.created_at, highlight.updated_at),
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_annotations_come_back_without_loss(text: str) -> None:
    marked = [
        make_highlight(text, note=text, colour=Colour.BLUE),
        make_highlight(text[:19_000] + " again", span=None, created_at=AT.replace(year=2020)),
    ]
    assert read_back(highlight_files.write_collection(make_highlighted_page(*marked))) == tuple(map(as_new, marked))


def test_annotations_are_what_the_model_says() -> None:
    page = make_highlighted_page(make_highlight(note="why"), make_highlight("more", span=None))
    collection: Any = json.loads(highlight_files.write_collection(page))
    assert collection["@context"] == "http://www.w3.org/ns/anno.jsonld"
    assert (collection["type"], collection["first"]["type"]) == ("AnnotationCollection", "AnnotationPage")
    first, second = collection["first"]["items"]
    assert first["body"] == {"type": "TextualBody", "value": "why", "format": "text/plain", "purpose": "commenting"}
    assert first["target"]["source"] == "https://e.org/a?b=1&c=2"
    assert first["target"]["selector"] == [
        {"type": "TextQuoteSelector", "exact": "marked words", "prefix": "the ", "suffix": " here"},
        {"type": "TextPositionSelector", "start": 4, "end": 16},
    ]
    assert (first["motivation"], first["created"]) == ("commenting", "2026-05-04T12:30:15.250001Z")
    assert ("body" in second, second["motivation"], len(second["target"]["selector"])) == (False, "highlighting", 1)


def test_no_highlights_are_an_empty_collection() -> None:
    empty: Any = json.loads(highlight_files.write_collection(make_highlighted_page()))
    assert empty["first"]["items"] == []


@pytest.mark.parametrize("text", HOSTILE)
def test_readwises_table_has_the_words_and_nothing_in_it_is_a_formula(text: str) -> None:
    page = make_highlighted_page(make_highlight(text, note=text, span=Span(7, 8)), title=text[:300], byline="Ann")
    written = highlight_files.write_heading() + highlight_files.write_rows(page)
    heading, row = csv.reader(io.StringIO(written, newline=""))
    assert heading == ["Highlight", "Title", "Author", "URL", "Note", "Location", "Date"]
    assert (row[0].removeprefix("'"), row[4].removeprefix("'")) == (text, text)
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)
    assert row[5:] == ["7", "2026-05-04 12:30:15+00:00"]
    [back] = read_back(written.encode())
    assert (back.quote.exact, back.note, back.hint) == (text, text, 7)
