"""The article of a document, from markup of our own or of a book: sanitised like any page, with its canonical text."""

import re
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from kept.content.article.article import Article, ImageRef, count_words
from kept.content.article.canonical import CanonicalText
from kept.content.article.extract import find_text
from kept.content.article.sanitise import SafeHtml, SanitisedArticle, SanitiseFailed, sanitise_article
from kept.content.documents.document import DocumentFailed
from kept.content.documents.scripts import runs_from_right_to_left
from kept.content.page.description import MAX_NAME, MAX_TITLE, PageMetadata
from kept.content.page.text_cleaning import clean_line, shorten
from kept.domain.document import DocumentProblem, is_upload_url

# The most text that is read: three thousand pages of a book.
MAX_CHARACTERS: Final = 5_000_000
COULD_NOT_BE_READ: Final = "The file is damaged and cannot be read."
TOO_LARGE: Final = "Reading the file would take too much memory."
TOO_LONG: Final = "The file has more text than can be shown."
_EXCERPT: Final = 300
# Headings and names of authors are shorter than what says something.
_MEANINGFUL: Final = 80
_LOOKED_AT: Final = 20_000
_LANGUAGE: Final = re.compile(r"[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{1,8}){0,3}")


@dataclass(frozen=True, slots=True)
class FileDetails:
    """What is known of a file beside its bytes."""

    url: str
    """The URL that it came from, to which its links are relative."""
    media_id: UUID
    file_name: str | None = None
    content_type: str | None = None

    @property
    def name_as_title(self) -> str | None:
        """The file's name without its suffix: a title of last resort."""
        name = clean_line((self.file_name or "").rpartition("/")[2])
        stem, dot, suffix = name.rpartition(".")
        title = stem if dot and stem and len(suffix) <= 8 else name
        return shorten(title.replace("_", " ").strip(), MAX_TITLE) or None


def compose_article(html: str, metadata: PageMetadata, details: FileDetails) -> Article | DocumentFailed:
    # Relative URLs in an uploaded file lead nowhere, and are left out.
    url = "" if is_upload_url(details.url) else details.url
    made_safe = sanitise_article(html, base_url=url, canonical_url=url, media_id=details.media_id)
    match made_safe:
        case SanitiseFailed(reason):
            return DocumentFailed(DocumentProblem.TOO_LARGE, reason)
        case SanitisedArticle(safe, images):
            text = find_text(safe)
            if text is None:
                return DocumentFailed(DocumentProblem.BROKEN, COULD_NOT_BE_READ)
            return _write_article(safe, text, images, metadata)


def _write_article(
    safe: SafeHtml, text: CanonicalText, images: tuple[ImageRef, ...], metadata: PageMetadata
) -> Article:
    metadata = replace(metadata, excerpt=metadata.excerpt or find_excerpt(text.text))
    return Article(
        title=metadata.title,
        byline=metadata.byline,
        excerpt=metadata.excerpt,
        site_name=None,
        lang=metadata.lang,
        dir="rtl" if runs_from_right_to_left(text.text) else None,
        word_count=count_words(text.text),
        html=safe,
        text=text,
        images=images,
        metadata=metadata,
    )


def find_excerpt(text: str) -> str | None:
    """Return the first paragraph that is long enough to say something, else the text's beginning."""
    paragraphs = (clean_line(part) for part in text[:_LOOKED_AT].split("\n\n"))
    found = next((part for part in paragraphs if len(part) >= _MEANINGFUL), None)
    return shorten(found or clean_line(text[:_EXCERPT]), _EXCERPT) or None


def clean_title(text: str | None) -> str | None:
    return shorten(clean_line(text), MAX_TITLE) or None


def clean_name(text: str | None) -> str | None:
    return shorten(clean_line(text), MAX_NAME) or None


def clean_language(text: str | None) -> str | None:
    """Return a language tag such as `pt-BR`; None for anything else."""
    tag = clean_line(text).replace("_", "-")
    return tag if _LANGUAGE.fullmatch(tag) else None
