"""Save a link with its page, as somebody's own program sent it: nothing is fetched, and nobody else is led to it.

By the rules of an import of one link.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from kept.content.import_formats.prepare_rows import PreparedLink, prepare_rows
from kept.domain.account import Viewer
from kept.domain.errors import UrlInvalid
from kept.domain.imported import FolderUse, ImportedLink, ImportedPage
from kept.domain.importing import Import, ImportState
from kept.domain.item import Card, UserFields
from kept.domain.job import JobKind, NewJob, Priority
from kept.ids import new_id
from kept.services.importing.look_up_batch import look_up_batch
from kept.services.importing.plan_import_batch import plan_import_batch
from kept.services.importing.write_import_batch import write_import_batch
from kept.services.items.get_card import get_card
from kept.services.saving.save_link import LinkSaver
from kept.storage import events, libraries
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue


@dataclass(frozen=True, slots=True)
class GivenPage:
    url: str
    html: str
    fields: UserFields


async def save_given_page(saver: LinkSaver, viewer: Viewer, page: GivenPage) -> Card:
    """A page that the library has already keeps its article, unless there is none."""
    now = saver.now()
    link = ImportedLink(
        page.url,
        page.fields.title,
        page.fields.excerpt,
        page.fields.note,
        page.fields.tags,
        content=ImportedPage(page.html),
    )
    [prepared] = prepare_rows([link], first=1, folder_use=FolderUse.TAGS, now=now)
    if not isinstance(prepared, PreparedLink):
        raise UrlInvalid(prepared.reason)
    card = await saver.database.write(_write, viewer, prepared, now)
    saver.notifier.notify(JobKind.INGEST, card.media.id)
    return card


def _write(tx: Connection, viewer: Viewer, link: PreparedLink, now: datetime) -> Card:
    library_id = libraries.get_default_library_id(tx, viewer.user_id)
    options: Mapping[str, Any] = {}
    owner = Import(
        new_id(), viewer.user_id, library_id, "page", "", "", ImportState.RUNNING, 1, options, None, None, now, now
    )
    batch = look_up_batch(tx, owner, [link], now)
    [outcome] = plan_import_batch(batch, [link])
    write_import_batch(tx, batch)
    item_id: UUID | None = outcome.item_id
    assert item_id is not None
    card = get_card(tx, viewer, item_id)
    if card.media.id in batch.new_pages:
        queue.enqueue(
            tx, NewJob(JobKind.INGEST, card.media.id, None, Priority.PERSON, now, viewer.user_id, None), now=now
        )
    events.publish_event(tx, card.media.id, "added", now)
    return card
