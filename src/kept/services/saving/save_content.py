"""Save a page whose content came with the request: nothing is fetched, and nobody else is led to it.

The way of a row of an import that brought its page (docs/decisions/0086). A library that has the page's article
keeps the one it has.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from kept.content.import_formats.prepare_rows import MAX_CONTENT_CHARACTERS, PreparedLink, prepare_rows
from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest, TooLarge, UrlInvalid
from kept.domain.imported import FolderUse, ImportedLink, ImportedPage
from kept.domain.importing import Import, ImportState
from kept.domain.item import UserFields
from kept.domain.job import JobKind
from kept.ids import new_id
from kept.services.importing.look_up_batch import look_up_batch
from kept.services.importing.plan_import_batch import plan_import_batch
from kept.services.importing.write_import_batch import write_import_batch
from kept.services.saving.save_link import LinkSaver
from kept.storage import events, items, libraries
from kept.storage.database.engine import Connection


@dataclass(frozen=True, slots=True)
class PageToSave:
    url: str
    html: str
    title: str | None
    """Of the page; the library's own is in `fields`."""
    fields: UserFields


async def save_content(saver: LinkSaver, viewer: Viewer, page: PageToSave) -> UUID:
    """The id of its item in the viewer's own library."""
    if len(page.html) > MAX_CONTENT_CHARACTERS:
        raise TooLarge
    now = saver.now()
    link = _prepare(page, now)
    item_id, media_id = await saver.database.write(_save, viewer, link, now)
    saver.notifier.notify(JobKind.INGEST, media_id)
    return item_id


def _prepare(page: PageToSave, now: datetime) -> PreparedLink:
    imported = ImportedLink(
        url=page.url,
        title=page.fields.title or page.title,
        excerpt=page.fields.excerpt,
        note=page.fields.note,
        tags=page.fields.tags,
        content=ImportedPage(page.html),
    )
    [row] = prepare_rows([imported], first=0, folder_use=FolderUse.TAGS, now=now)
    if not isinstance(row, PreparedLink):
        raise UrlInvalid(row.reason)
    return row


def _save(tx: Connection, viewer: Viewer, link: PreparedLink, now: datetime) -> tuple[UUID, UUID]:
    library_id = libraries.get_default_library_id(tx, viewer.user_id)
    batch = look_up_batch(tx, _one_row_import(viewer, library_id, now), [link], now)
    [outcome] = plan_import_batch(batch, [link])
    write_import_batch(tx, batch)
    card = items.find_card(tx, outcome.item_id, viewer.user_id) if outcome.item_id else None
    if card is None:
        raise InvalidRequest(outcome.reason)
    events.publish_event(tx, card.media.id, "added", now)
    return card.item.id, card.media.id


def _one_row_import(viewer: Viewer, library_id: UUID, now: datetime) -> Import:
    """Only the plan of a batch knows it; it is not stored."""
    return Import(
        id=new_id(),
        user_id=viewer.user_id,
        library_id=library_id,
        format="",
        file_name="",
        blob_key="",
        state=ImportState.RUNNING,
        rows_total=1,
        options={},
        report=None,
        problem=None,
        created_at=now,
        updated_at=now,
    )
