"""An article from the page to the database: read whole, joined from several pages, and stored."""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Self
from uuid import UUID

import structlog

from kept.config import Settings
from kept.content.article.article import Article, ExtractFailed, Page, is_repeated, lines_of
from kept.content.article.canonical import CANONICAL_VERSION
from kept.content.page.page_number import NextPage, has_same_title
from kept.domain.attempt import NO_FAILURE, AttemptRecord
from kept.domain.document import DocumentFacts
from kept.domain.job import ClaimedJob, JobKind
from kept.domain.joined_pages import MAX_JOINED, JoinedPages, MissingPages, note_pages
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus, deserves_fresh_attempt
from kept.domain.media import Media, MediaKind, needs_settling, wants_screenshot
from kept.fetch.outcome import FetchFailed
from kept.services.ingesting.attempts import AttemptEnd, EndedAttempt
from kept.services.ingesting.worker import Ingester, PageSource
from kept.services.pages.copies import promote_copy
from kept.services.pages.files import StoredFileImage
from kept.services.pages.identity import claim_canonical_url
from kept.services.pages.states import queue_anchoring, queue_follow_up, settle_card, wants_capture
from kept.storage import events, lifecycles
from kept.storage.database.engine import Connection
from kept.storage.images import page_images, record_blob
from kept.storage.media import (
    delete_snapshot,
    fill_card_gaps,
    find_media,
    has_images,
    insert_fragment,
    insert_image_assets,
    put_document,
    update_media,
)
from kept.storage.queue import queue
from kept.storage.search import index
from kept.urls.identity import is_same_site
from kept.urls.url import NormalisedUrl

# A visit for the screenshot, if there is one, brings the whole page too: it goes first.
AFTER_THE_SCREENSHOT: Final = timedelta(seconds=2)
log = structlog.get_logger("kept.ingest")
APPLIED: Final = "applied"
MATCHED_NOTHING: Final = "matched_nothing"


@dataclass(frozen=True, slots=True)
class ReadArticle:
    """An article as it comes from the page, and where the page was found."""

    article: Article
    canonical_url: NormalisedUrl | None
    """The URL that names the page, if this fetch may decide it; None leaves it as it is."""
    record: AttemptRecord
    fetched_at: datetime
    is_imported_copy: bool = False
    """Whether it came with the export of a Kept, which lists the other copies: it replaces no older one."""
    images: tuple[StoredFileImage, ...] = ()
    """The images that came with the page and are stored."""
    pages: JoinedPages | None = None
    """The pages, if the site shows the article on several."""
    document: "StoredDocument | None" = None
    """The document, if the article is the text of a file."""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    facts: DocumentFacts
    thumbnail_key: str | None


@dataclass(frozen=True, slots=True)
class FollowUps:
    """The jobs that follow once a page's article is stored."""

    store_images: bool
    screenshot: bool
    capture: Settings | None = None
    """The settings for whole pages, where a browser can visit the page; None otherwise."""

    @classmethod
    def after_fetch(cls, settings: Settings, *, can_render: bool) -> Self:
        return cls(settings.store_images, screenshot=can_render, capture=settings if can_render else None)


@dataclass(frozen=True, slots=True)
class SavedPage:
    """A page that was fetched, and the person it was fetched for."""

    page: Page
    saved_url: NormalisedUrl
    """The URL that a person saved; it decides which addresses may be fetched."""
    owner: UUID | None
    seconds: float
    """The time for everything that is fetched beside the page."""


@dataclass(frozen=True, slots=True)
class JoinedArticle:
    article: Article
    pages: JoinedPages | None = None
    """The pages; None for an article of one page."""


class _Pages:
    """The pages of one article, collected one after the other."""

    def __init__(self, source: PageSource, first: Article, saved: SavedPage) -> None:
        self.read = [first]
        self.missing: MissingPages | None = None
        self._source = source
        self._saved = saved
        self._seen = {saved.page.final_url, str(saved.saved_url)}
        self._lines = set(lines_of(first.text.text))
        self._bytes_left = source.settings.limits.fetch_max_bytes

    @property
    def last(self) -> int:
        """The highest page number that any of them names."""
        named = [page.next_page.last for page in self.read if page.next_page is not None]
        return max(len(self.read), *(number for number in named if number is not None), 0)

    def stop_short(self) -> None:
        """Record that the next page and everything after it are missing."""
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


def store_article(
    tx: Connection, job: ClaimedJob, read: ReadArticle, follow_ups: FollowUps, *, now: datetime
) -> UUID | None:
    """Store article, images, state, card and job in one transaction: the last step of an ingestion.

    Returns the media that holds the article now, which is another one if this page was known already.
    """
    media = find_media(tx, job.subject_id, lock=True)  # before the job: see storage/queue/queue.py
    queue.finish(tx, job)
    if media is None or media.processing_status is not ProcessingStatus.EXTRACTING:
        return None
    claim = claim_canonical_url(tx, media, read.canonical_url, actor_user_id=job.actor_user_id, now=now)
    if claim.media_id != media.id:
        _give_winner_fresh_attempt(tx, job, claim.media_id, now)
        events.publish_event(tx, claim.media_id, "merged", now)
        return claim.media_id
    _write_article(tx, media, read, claim.canonical_url, now)
    if not read.is_imported_copy:
        promote_copy(tx, media.id, now=now)
    queue_anchoring(tx, media.id, now=now)
    _queue_follow_ups(tx, job, follow_ups, now)
    events.publish_event(tx, media.id, "article", now)
    return media.id


def _give_winner_fresh_attempt(tx: Connection, job: ClaimedJob, winner_id: UUID, now: datetime) -> None:
    """Queue another attempt at the winner if it failed before, because people were just attached to it."""
    winner = find_media(tx, winner_id)
    if winner is not None and deserves_fresh_attempt(winner.processing_status):
        queue_follow_up(tx, job, JobKind.INGEST, winner, now)


def _write_article(tx: Connection, media: Media, read: ReadArticle, canonical_url: str | None, now: datetime) -> None:
    article, page = read.article, read.article.metadata
    images = [(image.id, image.origin_url) for image in article.images]
    images += page_images(media.id, page.preview_image_url, page.favicon_url)
    insert_fragment(tx, media.id, article.html, article.text, CANONICAL_VERSION, now)
    insert_image_assets(tx, media.id, images, now)
    for stored in read.images:
        record_blob(tx, stored.asset_id, stored.blob_key, stored.content_type)
    delete_snapshot(tx, media.id)
    fill_card_gaps(tx, media.id, page, now, title=article.title, byline=article.byline)
    known = _fields_from_rule(article) | _fields_of_pages(read)
    if known:
        update_media(tx, media.id, now, **known)
    lifecycles.apply_move(
        tx,
        media.state,
        ProcessingStatus.READY_FOR_READING,
        at=now,
        record=read.record,
        canonical_url=canonical_url,
        word_count=article.word_count,
        fetched_at=read.fetched_at,
        processing_completed_at=now,
        **NO_FAILURE,
        **_write_document(tx, media, read),
    )
    index.index_page(tx, media.id)


def _fields_from_rule(article: Article) -> dict[str, object]:
    """Return the fields that the operator's site rule chose; they win over what the save read from the page."""
    use = article.rule_use
    chosen = {"title": use.title, "byline": use.byline} if use is not None else {}
    return {name: value for name, value in chosen.items() if value is not None}


def _fields_of_pages(read: ReadArticle) -> dict[str, object]:
    return {"metadata": note_pages(read.article.metadata.as_json(), read.pages)} if read.pages is not None else {}


def _write_document(tx: Connection, media: Media, read: ReadArticle) -> dict[str, object]:
    """Store what is known of a document, and return the media's fields; its own title replaces the file's name."""
    if read.document is None:  # whatever its site calls it
        return {"kind": MediaKind.WEB_ARTICLE}
    put_document(tx, media.id, read.document.facts)
    return {
        "kind": read.document.facts.type.kind,
        "title": read.article.title or media.title,
        "thumbnail_key": read.document.thumbnail_key or media.thumbnail_key,
    }


def _queue_follow_ups(tx: Connection, job: ClaimedJob, follow_ups: FollowUps, now: datetime) -> None:
    media = find_media(tx, job.subject_id)
    assert media is not None
    if follow_ups.store_images and has_images(tx, media.id):
        queue_follow_up(tx, job, JobKind.STORE_IMAGES, media, now)
    if follow_ups.capture is not None and wants_capture(tx, media, follow_ups.capture):
        queue_follow_up(tx, job, JobKind.CAPTURE, media, now + AFTER_THE_SCREENSHOT)
    if wants_screenshot(media, can_render=follow_ups.screenshot):
        queue_follow_up(tx, job, JobKind.RENDER, media, now)
        if media.enrichment_status is EnrichmentStatus.FAILED:  # an earlier attempt stored it
            lifecycles.apply_move(tx, media.state, EnrichmentStatus.PENDING, at=now, enrichment_error=None)
    elif needs_settling(media):
        settle_card(tx, media, media.state, error=None, now=now)


async def finish_article(ingester: Ingester, job: ClaimedJob, read: ReadArticle, follow_ups: FollowUps) -> EndedAttempt:
    """Store an article and wake those who do what follows; ingest and render both finish here."""
    stays = await ingester.database.write(store_article, job, read, follow_ups, now=ingester.now())
    if stays is None:
        return EndedAttempt(AttemptEnd.GONE)
    ingester.notifier.notify(JobKind.STORE_IMAGES, stays)
    ingester.notifier.notify(JobKind.RENDER, stays)
    ingester.notifier.notify(JobKind.CAPTURE, stays)
    ingester.notifier.notify(JobKind.ANCHOR_HIGHLIGHTS, stays)
    return EndedAttempt(AttemptEnd.READY if stays == job.subject_id else AttemptEnd.MERGED)


async def join_pages(source: PageSource, first: Article, saved: SavedPage) -> JoinedArticle:
    """Fetch and join the further pages of an article, as long as each is certain to follow.

    This never fails an article: the pages before stay, and the missing ones are recorded.
    """
    if first.next_page is None or first.next_page.number not in {None, 2}:  # whoever saved page 3 wants page 3
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


async def read_whole_article(
    source: PageSource, saved: SavedPage, *, may_use_alternate: bool
) -> JoinedArticle | ExtractFailed:
    """Read the article of a page, with its further pages, or from another version of the page.

    `may_use_alternate`: a page without an article is looked for in its AMP or printing version, once.
    """
    extracted = await source.extract(saved.page, saved.owner)
    if isinstance(extracted, Article):
        return await join_pages(source, extracted, saved)
    if not may_use_alternate or extracted.alternate_url is None:
        return extracted
    article = await _read_alternate(source, saved, extracted.alternate_url)
    return JoinedArticle(article) if article is not None else extracted


async def _read_alternate(source: PageSource, saved: SavedPage, alternate_url: str) -> Article | None:
    """Read an article from an alternate version; it remains the article of the saved page, whose URL names it."""
    url = source.find_another(alternate_url, saved.page)
    if url is None:
        return None
    fetched = await source.fetch_another(url, saved.saved_url, source.settings.limits.fetch_max_bytes)
    if isinstance(fetched, FetchFailed) or not is_same_site(url, fetched.final_url):
        return None
    return await source.extract_another(fetched, saved.page, saved.owner)


def describe_article(record: AttemptRecord, joined: JoinedArticle) -> AttemptRecord:
    """Return the record with an article's pages and what a site rule did, for the history."""
    pages, use = joined.pages, joined.article.rule_use
    missing = pages.missing if pages is not None else None
    return replace(
        record,
        pages=pages.count if pages is not None else None,
        missing_pages=(missing.first, missing.last) if missing is not None else None,
        site_rule=(APPLIED if use.has_matched else MATCHED_NOTHING) if use is not None else None,
    )
