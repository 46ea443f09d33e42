"""Save a page whose content came with the request: nothing is fetched, and nobody else is led to it.

By the rules of an import of one link that brought its page (docs/decisions/0086): a library that has the page's article
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
from kept.domain.item import Card, UserFields
from kept.domain.job import JobKind, NewJob, Priority
from kept.ids import new_id
from kept.services.pages.cards import get_card
from kept.services.saving.look_up_batch import look_up_batch
from kept.services.saving.plan_import_batch import plan_import_batch
from kept.services.saving.save_link import LinkSaver
from kept.services.saving.write_import_batch import write_import_batch
from kept.storage import events, libraries
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue


@dataclass(frozen=True, slots=True)
class PageToSave:
    url: str
    html: str
    fields: UserFields


async def save_content(saver: LinkSaver, viewer: Viewer, page: PageToSave) -> Card:
    """Its item in the viewer's own library."""
    if len(page.html) > MAX_CONTENT_CHARACTERS:
        raise TooLarge
    now = saver.now()
    card = await saver.database.write(_save, viewer, _prepare(page, now), now)
    saver.notifier.notify(JobKind.INGEST, card.media.id)
    return card


def _prepare(page: PageToSave, now: datetime) -> PreparedLink:
    imported = ImportedLink(
        url=page.url,
        title=page.fields.title,
        excerpt=page.fields.excerpt,
        note=page.fields.note,
        tags=page.fields.tags,
        content=ImportedPage(page.html),
    )
    [row] = prepare_rows([imported], first=0, folder_use=FolderUse.TAGS, now=now)
    if not isinstance(row, PreparedLink):
        raise UrlInvalid(row.reason)
    return row


def _save(tx: Connection, viewer: Viewer, link: PreparedLink, now: datetime) -> Card:
    library_id = libraries.get_default_library_id(tx, viewer.user_id)
    batch = look_up_batch(tx, _one_row_import(viewer, library_id, now), [link], now)
    [outcome] = plan_import_batch(batch, [link])
    write_import_batch(tx, batch)
    if outcome.item_id is None:
        raise InvalidRequest(outcome.reason)
    card = get_card(tx, viewer, outcome.item_id)
    if card.media.id in batch.new_pages:  # a person waits for it, unlike for an import
        job = NewJob(JobKind.INGEST, card.media.id, None, Priority.PERSON, now, viewer.user_id, None)
        queue.enqueue(tx, job, now=now)
    events.publish_event(tx, card.media.id, "added", now)
    return card


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
