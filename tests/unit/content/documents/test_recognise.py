"""What a file is, and what it is called: by its bytes first, and by what its site says only of text."""

import pytest

from kept.content.documents.recognise import find_file_name, make_title, recognise, recognise_type
from kept.content.images.format import ImageFormat
from kept.domain.document import DocumentType, is_upload_url, make_upload_url, type_of
from support.builders.pictures import picture

EPUB = b"PK\x03\x04" + b"\0" * 26 + b"mimetypeapplication/epub+zip"


@pytest.mark.parametrize(
    ("head", "content_type", "name", "kind"),
    [
        (b"%PDF-1.7\n", "text/html", "a.html", DocumentType.PDF),
        (b"\xef\xbb\xbf\r\n%PDF-1.7\n", None, "", DocumentType.PDF),
        (b"<html>%PDF-1.7", "text/html", "a.pdf", None),
        (b"\0\0junk%PDF-1.7", "application/pdf", "a", DocumentType.PDF),
        (b"junk%PDF-1.7", "text/html", "a", None),
        (EPUB, "application/octet-stream", "a", DocumentType.EPUB),
        (b"PK\x03\x04docx", "application/epub+zip", "a.epub", None),
        (picture(ImageFormat.PNG, (8, 8)), "text/plain", "a.txt", DocumentType.IMAGE),
        (b"\0\0\1\0icon", "image/x-icon", "favicon.ico", None),
        (b"# Words", "text/markdown; charset=utf-8", "a", DocumentType.MARKDOWN),
        (b"# Words", "text/plain", "README.MD", DocumentType.MARKDOWN),
        (b"Words", "text/plain", "a.html", DocumentType.TEXT),
        (b"Words", "application/octet-stream", "a.txt", DocumentType.TEXT),
        (b"Words", "application/octet-stream", "a.exe", None),
        (b"Words", "text/html", "a.txt", None),
        (b"Words", "text/csv", "a.csv", None),
        (b"\n <!DOCTYPE html><p>x", "text/plain", "a.txt", None),
        (b"wor\0ds", "text/plain", "a.txt", None),
        ("Größe".encode("utf-16"), "text/plain", "a.txt", DocumentType.TEXT),
        (b"\xfe\xff" + "# Größe".encode("utf-16-be"), "", "a.md", DocumentType.MARKDOWN),
        (b"", None, "", None),
    ],
)
def test_a_file_is_what_its_first_bytes_say(
    head: bytes, content_type: str | None, name: str, kind: DocumentType | None
) -> None:
    assert recognise(head, content_type, name) is kind


def test_a_type_alone_tells_of_files_that_are_no_text() -> None:
    told = {name: recognise_type(name) for name in ("application/pdf", "application/epub+zip", "image/png")}
    assert list(told.values()) == [DocumentType.PDF, DocumentType.EPUB, DocumentType.IMAGE]
    assert recognise_type("image/svg+xml") is None
    assert recognise_type("text/plain") is None


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        (None, "The report.pdf"),
        ('attachment; filename="a b.pdf"', "a b.pdf"),
        ("inline; filename=x.pdf; filename*=UTF-8''%E6%B5%B7.pdf", "海.pdf"),
        ('attachment; filename="../../etc/passwd"', "passwd"),
        ('attachment; filename="C:\\files\\x.pdf"', "x.pdf"),
        ("attachment", "The report.pdf"),
        ('attachment; filename=""', "The report.pdf"),
    ],
)
def test_a_file_is_called_what_came_with_it_else_what_its_url_says(disposition: str | None, name: str) -> None:
    assert find_file_name("https://e.org/files/The%20report.pdf?x=1", disposition) == name


def test_a_title_is_the_name_without_its_suffix() -> None:
    assert make_title("annual_report_2026.pdf") == "annual report 2026"
    assert make_title("Version 1.final words.pdf") == "Version 1.final words"
    assert make_title("README") == "README"
    assert make_title("") is None


def test_the_url_of_an_upload_is_one_that_nobody_can_fetch() -> None:
    url = make_upload_url("ab" * 32, "a/b ?#.pdf")
    assert url == f"https://uploads.invalid/{'ab' * 16}/a%2Fb%20%3F%23.pdf"
    assert is_upload_url(url)
    assert not is_upload_url("https://example.org/")
    assert find_file_name(url) == "b ?#.pdf"


def test_a_stored_file_is_known_by_its_type() -> None:
    stored = {"application/pdf": "pdf", "text/markdown": "markdown", "image/webp": "image", "text/plain": "text"}
    assert {name: type_of(name).value for name in stored} == stored
