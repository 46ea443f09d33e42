"""Markdown as an article: CommonMark with tables and strikethrough; HTML in it is shown as text."""

import re
from collections.abc import Mapping
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kept.content.article.article import Article
from kept.content.documents.composing import FileDetails, clean_language, clean_name, clean_title, compose_article
from kept.content.documents.document import Document, DocumentFailed
from kept.content.documents.plain_text import decode_text
from kept.content.page.dates import parse_moment
from kept.content.page.description import PageMetadata
from kept.domain.document import DocumentType

# Lines between two of dashes at a file's beginning, in which static site generators have the title.
_FRONT_MATTER: Final = re.compile(r"---[ \t]*+\n((?:(?!---[ \t]*+(?:\n|\Z))[^\n]*+\n){0,200}+)---[ \t]*+(?:\n|\Z)")
_FIELD: Final = re.compile(r"([a-z_]{1,30})[ \t]*+:[ \t]*+([^\n]{1,500})", re.IGNORECASE)


def read_markdown(data: bytes, details: FileDetails) -> Document | DocumentFailed:
    text, is_cut = decode_text(data, details.content_type)
    fields, body = split_front_matter(text)
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    tokens = parser.parse(body)
    heading = _find_first_heading(tokens)
    title = clean_title(fields.get("title")) or heading
    if heading and heading == title:
        tokens = _without_first_heading(tokens)
    metadata = _make_metadata(fields, title or details.name_as_title, details.url)
    article = compose_article(parser.renderer.render(tokens, parser.options, {}), metadata, details)
    if not isinstance(article, Article):
        return article
    return Document(DocumentType.MARKDOWN, article, has_text=bool(article.text.text), is_cut=is_cut)


def split_front_matter(text: str) -> tuple[Mapping[str, str], str]:
    """What the file says of itself, and the rest. Values on one line; of anything else YAML can say, nothing."""
    found = _FRONT_MATTER.match(text)
    if found is None:
        return {}, text
    fields = (_FIELD.fullmatch(line.strip()) for line in found[1].split("\n"))
    return {field[1].lower(): field[2].strip("\"' ") for field in fields if field}, text[found.end() :]


def _make_metadata(fields: Mapping[str, str], title: str | None, url: str) -> PageMetadata:
    return PageMetadata(
        title=title,
        byline=clean_name(fields.get("author") or fields.get("authors")),
        lang=clean_language(fields.get("lang") or fields.get("language")),
        published_at=parse_moment(fields.get("date")),
        base_url=url,
    )


def _find_first_heading(tokens: list[Token]) -> str | None:
    """The heading that the file begins with, if it is one of the highest level."""
    if len(tokens) < 3 or tokens[0].type != "heading_open" or tokens[0].tag != "h1":
        return None
    return clean_title("".join(child.content for child in tokens[1].children or ()))


def _without_first_heading(tokens: list[Token]) -> list[Token]:
    """It is shown as the article's title."""
    return tokens[3:]
