"""Hand in a page to be kept as an article: nothing is fetched here, a worker does it all."""

from dataclasses import dataclass
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import UrlInvalid
from kept.services.pages.cards import SeenMedia, view_media
from kept.services.saving.save_link import LinkSaver, LinkToSave, save_link
from kept.urls.given import UrlNotice, parse_given_url
from kept.urls.messages import explain_rejection
from kept.urls.url import OtherSchemeUrl, RejectedUrl


@dataclass(frozen=True, slots=True)
class Submitted:
    seen: SeenMedia
    is_new_media: bool
    is_enqueued: bool
    notices: tuple[UrlNotice, ...]


async def submit_article(
    saver: LinkSaver, viewer: Viewer, url: str, *, library_id: UUID | None = None, request_id: str | None
) -> Submitted:
    """An article has a web URL: what saving keeps as mere text is refused here."""
    given = parse_given_url(url)
    if isinstance(given, RejectedUrl):
        raise UrlInvalid(explain_rejection(given.reason))
    if isinstance(given.url, OtherSchemeUrl):
        raise UrlInvalid
    link = LinkToSave(url, library_id=library_id, wait=False, request_id=request_id, accepts_documents=False)
    saved = await save_link(saver, viewer, link)
    seen = await saver.database.read(view_media, viewer, saved.card.media)
    return Submitted(seen, saved.is_new_media, saved.is_enqueued, saved.notices)
