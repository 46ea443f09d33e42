"""Join an article that its site shows on several pages: fetch and read each page it leads to, while that is certain.

Nothing of this fails an article: what came before is kept, and what is missing is told.
"""

import asyncio
from dataclasses import dataclass, replace
from uuid import UUID

from kept.content.article.article import Article, Page
from kept.content.article.joining import is_repeated, lines_of
from kept.content.page.following_page import NextPage, has_same_title
from kept.domain.joined_pages import MAX_JOINED, JoinedPages, MissingPages
from kept.fetch.outcome import FetchFailed
from kept.logs import structlog
from kept.services.ingesting.page_source import PageSource
from kept.urls.identity import is_same_site
from kept.urls.url import NormalisedUrl

log = structlog.get_logger("kept.ingest")


@dataclass(frozen=True, slots=True)
class SavedPage:
    """A page that was fetched, and for whom."""

    page: Page
    saved_url: NormalisedUrl
    """What a person saved: it says which addresses may be fetched."""
    owner: UUID | None
    seconds: float
    """For all that is fetched beside it."""


@dataclass(frozen=True, slots=True)
class JoinedArticle:
    article: Article
    pages: JoinedPages | None = None
    """None for an article of one page."""


async def join_pages(source: PageSource, first: Article, saved: SavedPage) -> JoinedArticle:
    if first.next_page is None or first.next_page.number not in {None, 2}:  # who saved page 3 means page 3
        return JoinedArticle(first)
    pages = _Pages(source, first, saved)
    try:
        async with asyncio.timeout(saved.seconds):
            await pages.collect()
    except TimeoutError:
        pages.stop_short()
    return await _join(source, pages, saved.owner)


async def _join(source: PageSource, pages: "_Pages", owner: UUID | None) -> JoinedArticle:
    first = pages.read[0]
    if len(pages.read) == 1:
        return JoinedArticle(first, JoinedPages(1, pages.missing) if pages.missing else None)
    joined = await source.extractors.join([page.html for page in pages.read], owner)
    if joined is None:
        return JoinedArticle(first, JoinedPages(1, MissingPages(2, pages.last)))
    images = {image.id: image for page in pages.read for image in page.images}
    whole = replace(
        first, html=joined.html, text=joined.text, word_count=joined.word_count, images=tuple(images.values())
    )
    return JoinedArticle(whole, JoinedPages(len(pages.read), pages.missing))


class _Pages:
    """The pages of one article, as they come."""

    def __init__(self, source: PageSource, first: Article, saved: SavedPage) -> None:
        self.read = [first]
        self.missing: MissingPages | None = None
        self._source = source
        self._saved = saved
        self._seen = {saved.page.final_url, str(saved.saved_url)}
        self._lines = set(lines_of(first.text.text))
        self._bytes_left = source.settings.fetch_max_bytes

    @property
    def last(self) -> int:
        """The highest page number that any of them names."""
        named = [page.next_page.last for page in self.read if page.next_page is not None]
        return max(len(self.read), *(number for number in named if number is not None), 0)

    def stop_short(self) -> None:
        """With the page that comes next, everything after it is missing."""
        number = len(self.read) + 1
        self.missing = MissingPages(number, max(number, self.last))

    async def collect(self) -> None:
        while (following := self._find_following()) is not None:
            if len(self.read) == MAX_JOINED:
                self.stop_short()
                return
            page = await self._read_page(following)
            if page is None:
                if following.is_sure or len(self.read) > 1:
                    self.stop_short()
                return
            if not self._continues(page, following):
                return
            self.read.append(page)
            self._lines.update(lines_of(page.text.text))

    def _find_following(self) -> NextPage | None:
        following = self.read[-1].next_page
        if following is None or following.url in self._seen:
            return None
        return following if following.number in {None, len(self.read) + 1} else None

    async def _read_page(self, following: NextPage) -> Article | None:
        url = self._source.find_another(following.url, self._saved.page)
        self._seen.add(following.url)
        if url is None or self._bytes_left <= 0:
            return None
        fetched = await self._source.fetch_another(url, self._saved.saved_url, self._bytes_left)
        if isinstance(fetched, FetchFailed) or not is_same_site(url, fetched.final_url):
            reason = fetched.label if isinstance(fetched, FetchFailed) else "another site"
            log.info("ingest.page_missing", host=url.host, page=len(self.read) + 1, reason=reason)
            return None
        self._seen.add(str(fetched.final_url))
        self._bytes_left -= len(fetched.body)
        return await self._source.extract_another(fetched, self._saved.page, self._saved.owner)

    def _continues(self, page: Article, following: NextPage) -> bool:
        is_same_article = following.is_sure or has_same_title(self.read[0].title, page.title)
        return is_same_article and not is_repeated(lines_of(page.text.text), self._lines)
