"""`kept extract`: extracts the article of one file or URL, also by the site rules, and stores nothing."""

from __future__ import annotations

import asyncio
import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final
from uuid import NAMESPACE_URL, uuid5

import typer
from rich.console import Console

from kept.cli.output import show_waiting
from kept.cli.running import log_warnings
from kept.config import Settings, load_settings
from kept.domain.errors import OperatorError, UrlInvalid
from kept.domain.joined_pages import JoinedPages
from kept.fetch.outcome import Fetched, FetchFailed
from kept.urls.url import NormalisedUrl, parse_url

if TYPE_CHECKING:
    from kept.content.article.article import Article, ExtractFailed, Page
    from kept.fetch.gate import Gate
    from kept.services.ingesting.articles import JoinedArticle

STANDARD_INPUT: Final = "-"
# A file without a URL has this one, so that its relative links lead nowhere.
NOWHERE: Final = "https://page.invalid/"


class View(StrEnum):
    """Which part of the article is printed."""

    ALL = "all"
    HTML = "html"
    TEXT = "text"
    JSON = "json"


class NotExtracted(OperatorError):
    """There is no article; the message says why."""


def extract(
    source: Annotated[str, typer.Argument(metavar="FILE|URL", help="A file, - for standard input, or a URL.")],
    html: Annotated[bool, typer.Option("--html", help="Print only the sanitised HTML.")] = False,
    text: Annotated[bool, typer.Option("--text", help="Print only the plain text.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    url: Annotated[str | None, typer.Option(help="The URL of a file: its links and its site rule go by it.")] = None,
    rules: Annotated[Path | None, typer.Option(help="A site rule or a folder of them, instead of yours.")] = None,
) -> None:
    """Extract the article of a page and print it."""
    from kept.content.article.article import ExtractFailed

    log_warnings()
    view = choose_view(html, text, as_json)
    settings = load_settings()
    if rules is not None:
        require_rules(rules)
        settings = settings.model_copy(update={"site_rules": rules})
    found = find_saved_page(source, url or NOWHERE) or get_url(source)
    with show_waiting("reading"):
        outcome = asyncio.run(extract_from(found, settings))
    if isinstance(outcome, ExtractFailed):
        raise NotExtracted(f"{outcome.code}: {outcome.detail or outcome.message}")
    tell_of_rule(outcome.article, settings)
    tell_of_pages(outcome.pages)
    show(outcome.article, view)


class BadRules(OperatorError):
    """A site rule cannot be used; a line for each fault."""

    exit_code = 2


def require_rules(path: Path) -> None:
    from kept.wiring.stores import create_site_rules

    if not path.exists():
        raise BadRules(f"{path}: there is no such file or folder")
    read = create_site_rules(path).read()
    if read.faults:
        raise BadRules("\n".join(read.faults))
    if not read.rules:
        raise BadRules(f"{path}: there are no site rules (*.toml)")


def tell_of_rule(article: Article, settings: Settings) -> None:
    """Say on standard error, beside the article, which rule was applied."""
    from kept.wiring.stores import create_site_rules

    use = article.rule_use
    if use is None:
        return
    print(f"{use.file}: {'applied' if use.has_matched else 'take matched nothing on this page'}", file=sys.stderr)
    rules = create_site_rules(settings.site_rules_folder).read().rules
    if any(rule.file == use.file and rule.browser for rule in rules):
        print(f"{use.file}: a worker would open this page in a browser", file=sys.stderr)


def tell_of_pages(pages: JoinedPages | None) -> None:
    if pages is None:
        return
    missing = f"; missing: {pages.missing.first} to {pages.missing.last}" if pages.missing else ""
    print(f"pages: {pages.count}{missing}", file=sys.stderr)


def choose_view(html: bool, text: bool, as_json: bool) -> View:
    chosen = [view for view, wanted in ((View.HTML, html), (View.TEXT, text), (View.JSON, as_json)) if wanted]
    if len(chosen) > 1:
        raise typer.BadParameter("choose one of --html, --text and --json")
    return chosen[0] if chosen else View.ALL


def find_saved_page(source: str, url: str) -> Page | None:
    if source == STANDARD_INPUT:
        return as_page(sys.stdin.buffer.read(), url)
    return as_page(Path(source).read_bytes(), url) if Path(source).is_file() else None


async def extract_from(found: Page | NormalisedUrl, settings: Settings) -> JoinedArticle | ExtractFailed:
    """Extract an article. For a file nothing else is fetched."""
    from kept.content.article.article import ExtractFailed
    from kept.fetch.gate import Gate
    from kept.services.ingesting.articles import JoinedArticle, SavedPage, read_whole_article
    from kept.services.ingesting.worker import PageSource
    from kept.subprocesses.extraction import ExtractorPool
    from kept.wiring.stores import create_site_rules

    async with Gate.from_settings(settings) as gate:
        page = await fetch_page(gate, found, settings) if isinstance(found, NormalisedUrl) else found
        if isinstance(page, ExtractFailed):
            return page
        pool = ExtractorPool.from_settings(settings)
        source = PageSource(gate, pool, settings, create_site_rules(settings.site_rules_folder))
        try:
            if not isinstance(found, NormalisedUrl):
                extracted = await source.extract(page)
                return extracted if isinstance(extracted, ExtractFailed) else JoinedArticle(extracted)
            saved = SavedPage(page, found, None, settings.limits.job_seconds)
            return await read_whole_article(source, saved, may_use_alternate=True)
        finally:
            await pool.close()


def as_page(body: bytes, url: str, content_type: str | None = None, status: int | None = None) -> Page:
    from kept.content.article.article import Page

    return Page(body, url, uuid5(NAMESPACE_URL, url), content_type, status)


def get_url(source: str) -> NormalisedUrl:
    parsed = parse_url(source)
    if not isinstance(parsed, NormalisedUrl):
        raise UrlInvalid(f"{source}: no such file, and not a web URL.")
    return parsed


async def fetch_page(gate: Gate, url: NormalisedUrl, settings: Settings) -> Page | ExtractFailed:
    from kept.content.article.article import ExtractFailed
    from kept.fetch.limits import worker_limits

    match await gate.fetch(url, worker_limits(settings)):
        case FetchFailed() as failure:
            return ExtractFailed(failure.code, failure.message)
        case Fetched() as fetched:
            content_type = fetched.headers.get("content-type")
            return as_page(fetched.body, str(fetched.final_url), content_type, fetched.status)


def show(article: Article, view: View) -> None:
    match view:
        case View.HTML:
            print(article.html)
        case View.TEXT:
            print(article.text)
        case View.JSON:
            print(json.dumps(as_json_object(article), ensure_ascii=False, indent=2))
        case View.ALL:
            show_all(article)


def show_all(article: Article) -> None:
    facts = (article.byline, article.site_name, article.lang, f"{article.word_count} words")
    console = Console(highlight=False, soft_wrap=True)
    console.print(article.title or "(no title)", style="bold", markup=False)
    console.print(" · ".join(filter(None, facts)), style="dim", markup=False)
    console.print()
    console.print(article.text.text, markup=False)


def as_json_object(article: Article) -> dict[str, Any]:
    metadata = article.metadata
    return {
        "title": article.title,
        "byline": article.byline,
        "excerpt": article.excerpt,
        "site_name": article.site_name,
        "lang": article.lang,
        "dir": article.dir,
        "published_at": metadata.published_at.isoformat() if metadata.published_at else None,
        "preview_image_url": metadata.preview_image_url,
        "favicon_url": metadata.favicon_url,
        "word_count": article.word_count,
        "images": [image.origin_url for image in article.images],
        "metadata": metadata.as_json(),
        "html": str(article.html),
        "text": article.text.text,
    }
