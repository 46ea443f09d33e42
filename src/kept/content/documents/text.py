"""Plain text and Markdown as articles."""

import re
from collections.abc import Mapping
from html import escape
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kept.content.article.article import Article
from kept.content.documents.composing import (
    MAX_CHARACTERS,
    FileDetails,
    clean_language,
    clean_name,
    clean_title,
    compose_article,
)
from kept.content.documents.document import Document, DocumentFailed
from kept.content.page.dates import parse_page_date
from kept.content.page.decode import clean_unicode, decode_html
from kept.content.page.description import PageMetadata
from kept.domain.document import DocumentType

# A file that is wrapped has lines of about this length; shorter ones are verses, addresses or a list.
WRAPPED: Final = 45
MAX_TITLE_LINE: Final = 100
_BREAKS: Final = re.compile(r"\r\n?|[\f\v\x85\u2028\u2029]")
_CONTROLS: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_EMPTY_LINES: Final = re.compile(r"\n(?:[^\S\n]*+\n)++")
# Lines between two of dashes at a file's beginning, in which static site generators have the title.
_FRONT_MATTER: Final = re.compile(r"---[ \t]*+\n((?:(?!---[ \t]*+(?:\n|\Z))[^\n]*+\n){0,200}+)---[ \t]*+(?:\n|\Z)")
_FIELD: Final = re.compile(r"([a-z_]{1,30})[ \t]*+:[ \t]*+([^\n]{1,500})", re.IGNORECASE)


def read_plain_text(data: bytes, details: FileDetails) -> Document | DocumentFailed:
    """Read plain text as an article: paragraphs between empty lines, and listings as they are."""
    text, is_cut = decode_text(data, details.content_type)
    blocks = [block.strip("\n") for block in _EMPTY_LINES.split(text)]
    blocks = [block for block in blocks if block.strip()]
    title = _find_title(blocks)
    html = "".join(map(_write_block, blocks[1:] if title else blocks))
    metadata = PageMetadata(title=title or details.name_as_title, base_url=details.url)
    article = compose_article(html, metadata, details)
    if not isinstance(article, Article):
        return article
    return Document(DocumentType.TEXT, article, has_text=bool(article.text.text), is_cut=is_cut)


def decode_text(data: bytes, content_type: str | None) -> tuple[str, bool]:
    """Return the text with plain line ends, and whether it was cut."""
    decoded = decode_html(data, content_type).text
    text = _CONTROLS.sub("", _BREAKS.sub("\n", clean_unicode(decoded[:MAX_CHARACTERS])))
    return text, len(decoded) > MAX_CHARACTERS


def _find_title(blocks: list[str]) -> str | None:
    """Find a first line that stands alone; a file that is one paragraph has none."""
    if len(blocks) < 2 or "\n" in blocks[0] or len(blocks[0]) > MAX_TITLE_LINE:
        return None
    return clean_title(blocks[0].strip("#=*- ")) if not blocks[0].startswith((" " * 4, "\t")) else None


def _write_block(block: str) -> str:
    lines = block.split("\n")
    if _is_listing(lines):
        return f"<pre>{escape(block, quote=False)}</pre>"
    is_wrapped = all(len(line) >= WRAPPED for line in lines[:-1])
    between = "\n" if is_wrapped else "<br>"
    return f"<p>{between.join(escape(line.strip(), quote=False) for line in lines)}</p>"


def _is_listing(lines: list[str]) -> bool:
    """Return whether most lines are indented or have gaps within: program code, tables and drawings."""
    indented = sum(line.startswith(("\t", "    ")) for line in lines)
    gaps = sum("   " in line.strip() or "\t" in line.strip() for line in lines)
    return indented * 2 > len(lines) or (len(lines) > 1 and gaps * 2 > len(lines))


def read_markdown(data: bytes, details: FileDetails) -> Document | DocumentFailed:
    """Read Markdown as an article: CommonMark with tables and strikethrough; HTML in it is shown as text."""
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
    """Return the file's front matter, of which only values on one line are read, and the rest."""
    match = _FRONT_MATTER.match(text)
    if match is None:
        return {}, text
    fields = (_FIELD.fullmatch(line.strip()) for line in match[1].split("\n"))
    return {field[1].lower(): field[2].strip("\"' ") for field in fields if field}, text[match.end() :]


def _make_metadata(fields: Mapping[str, str], title: str | None, url: str) -> PageMetadata:
    return PageMetadata(
        title=title,
        byline=clean_name(fields.get("author") or fields.get("authors")),
        lang=clean_language(fields.get("lang") or fields.get("language")),
        published_at=parse_page_date(fields.get("date")),
        base_url=url,
    )


def _find_first_heading(tokens: list[Token]) -> str | None:
    """Find the heading that the file begins with, if it is one of the highest level."""
    if len(tokens) < 3 or tokens[0].type != "heading_open" or tokens[0].tag != "h1":
        return None
    return clean_title("".join(child.content for child in tokens[1].children or ()))


def _without_first_heading(tokens: list[Token]) -> list[Token]:
    """Remove the first heading, which is shown as the article's title."""
    return tokens[3:]
