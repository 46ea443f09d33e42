"""A save that does not wait and an import of one row leave the same rows, whatever was there before."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import Table, select

from kept.config import Settings
from kept.content.import_formats.prepare_rows import PreparedLink, prepare_rows
from kept.domain.account import Viewer
from kept.domain.failures import FailureCode
from kept.domain.imported import FolderUse, ImportedLink
from kept.domain.item import UserFields
from kept.domain.job import Priority, ingest_job
from kept.domain.lifecycle import ProcessingStatus
from kept.ids import new_id
from kept.services.pages.attaching import insert_item, new_item
from kept.services.saving.batches import BatchOrder, look_up_batch, plan_import_batch, write_import_batch
from kept.services.saving.links import LinkToSave, create_or_attach_item
from kept.storage import media, tables
from kept.storage.database.engine import Connection, Database
from kept.storage.queue import queue
from kept.urls.given import parse_given_url
from kept.urls.url import RejectedUrl
from support.builders import rows
from support.builders.libraries import Owner, make_owner
from support.fixtures.databases import copy_postgres

URL = "https://example.org/a"
NOW = rows.AT + timedelta(days=1)
Write = Callable[[Connection, Viewer, UUID, UserFields], None]
COMPARED = (
    tables.media,
    tables.url_aliases,
    tables.private_pages,
    tables.items,
    tables.tags,
    tables.item_tags,
    tables.jobs,
    tables.transitions,
    tables.reading_states,
)
# What tells one row of the same meaning from another, and what an import says otherwise on purpose.
NOT_COMPARED = frozenset({"id", "priority", "actor_user_id", "request_id"})


@pytest.fixture
def owner_on_sqlite(sqlite_url: str) -> Iterator[Owner]:
    database = Database(Settings(database_url=sqlite_url).sqlalchemy_url)
    yield make_owner(database)
    database.dispose()


@pytest.fixture
def owner_on_postgres(postgres_server: str, postgres_template: str) -> Iterator[Owner]:
    database = Database(Settings(database_url=copy_postgres(postgres_server, postgres_template)).sqlalchemy_url)
    yield make_owner(database)
    database.dispose()


words = st.sampled_from([None, "One", "Another"])
user_fields = st.builds(
    UserFields, words, words, words, st.lists(st.sampled_from(["a", "b", "c"]), unique=True).map(sorted).map(tuple)
)


@dataclass(frozen=True)
class Before:
    """A page that was there before the save."""

    status: ProcessingStatus = ProcessingStatus.READY_FOR_READING
    accepts_documents: bool = True
    failure_code: FailureCode | None = None
    is_queued: bool = False
    held: UserFields | None = None
    """What the library says of it."""
    personally: UserFields | None = None
    """What the personal library says of it, where that is another."""
    is_own: bool = False
    """The library has a private page of its own at the URL."""


pages = st.none() | st.builds(
    Before,
    st.sampled_from(ProcessingStatus),
    st.booleans(),
    st.sampled_from([None, FailureCode.INGEST_TIMEOUT, FailureCode.FETCH_KIND_MISMATCH_PDF]),
    st.booleans(),
    st.none() | user_fields,
    st.none() | user_fields,
    st.booleans(),
)


@given(before=pages, fields=user_fields, is_shared=st.booleans())
@example(before=None, fields=UserFields(), is_shared=True)
@example(before=Before(ProcessingStatus.FAILED), fields=UserFields(), is_shared=True)
@example(before=Before(ProcessingStatus.FAILED, held=UserFields()), fields=UserFields(), is_shared=False)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_save_and_an_import_of_one_row_leave_the_same_rows(
    owner_on_sqlite: Owner, before: Before | None, fields: UserFields, is_shared: bool
) -> None:
    compare(owner_on_sqlite, before, fields, is_shared=is_shared)


@given(before=pages, fields=user_fields, is_shared=st.booleans())
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_they_leave_the_same_rows_on_postgresql(
    owner_on_postgres: Owner, before: Before | None, fields: UserFields, is_shared: bool
) -> None:
    compare(owner_on_postgres, before, fields, is_shared=is_shared)


def compare(owner: Owner, before: Before | None, fields: UserFields, *, is_shared: bool) -> None:
    saved, imported = (write_and_read(owner, write, before, fields, is_shared=is_shared) for write in (save, bring))
    for table in COMPARED:
        assert saved[table.name] == imported[table.name], table.name


def write_and_read(
    owner: Owner, write: Write, before: Before | None, fields: UserFields, *, is_shared: bool
) -> dict[str, list[Any]]:
    with undone(owner.database) as tx:
        library_id = owner.library_id
        if is_shared:
            library_id = new_id()
            rows.insert_library(tx, owner.viewer.user_id, library_id)
        if before is not None:
            arrange(tx, owner, library_id, before)
        write(tx, owner.viewer, library_id, fields)
        return read_rows(tx)


@contextmanager
def undone(database: Database) -> Iterator[Connection]:
    with database.writer.connect() as tx:
        yield tx
        tx.rollback()


def arrange(tx: Connection, owner: Owner, library_id: UUID, before: Before) -> None:
    facts = {"accepts_documents": before.accepts_documents, "failure_code": before.failure_code}
    media_id = rows.insert_media(tx, source_url=URL, processing_status=before.status, is_private=before.is_own, **facts)
    if before.is_own:
        owners = {"library_id": library_id, "url": URL, "media_id": media_id}
        tx.execute(tables.private_pages.insert().values(owners))
    else:
        media.insert_alias(tx, URL, media_id)
    if before.is_queued:
        queue.enqueue(tx, ingest_job(media_id, "example.org", rows.AT, None, priority=Priority.IMPORT), now=rows.AT)
    held = {owner.library_id: before.personally, library_id: before.held}
    for place, said in held.items():
        if said is not None:
            item = new_item(place, media_id, URL, owner.viewer.user_id, said, now=rows.AT)
            insert_item(tx, item, said.tags)


def save(tx: Connection, viewer: Viewer, library_id: UUID, fields: UserFields) -> None:
    url = parse_given_url(URL)
    assert not isinstance(url, RejectedUrl)
    create_or_attach_item(tx, viewer, LinkToSave(URL, fields, library_id, wait=False), url, now=NOW)


def bring(tx: Connection, viewer: Viewer, library_id: UUID, fields: UserFields) -> None:
    link = ImportedLink(URL, fields.title, fields.excerpt, fields.note, fields.tags)
    links = list(prepare_rows([link], first=0, folder_use=FolderUse.TAGS, now=NOW))
    order = BatchOrder(viewer.user_id, library_id, NOW, NOW, Priority.IMPORT, new_id())
    batch = look_up_batch(tx, order, [row for row in links if isinstance(row, PreparedLink)])
    plan_import_batch(batch, links)
    write_import_batch(tx, batch)


def read_rows(tx: Connection) -> dict[str, list[Any]]:
    """By table, with names instead of ids, which differ from one write to the next."""
    names = {row.id: f"library {row.is_default}" for row in tx.execute(select(tables.libraries))}
    names |= {row.id: f"page {row.source_url} {row.is_private}" for row in tx.execute(select(tables.media))}
    names |= {row.id: f"{names[row.library_id]}: {row.name}" for row in tx.execute(select(tables.tags))}
    names |= {row.id: f"{names[row.library_id]}: {names[row.media_id]}" for row in tx.execute(select(tables.items))}
    return {table.name: sorted(read_table(tx, table, names), key=repr) for table in COMPARED}


def read_table(tx: Connection, table: Table, names: dict[UUID, str]) -> list[dict[str, Any]]:
    return [
        {
            key: names.get(value, "another") if isinstance(value, UUID) else value
            for key, value in row.items()
            if key not in NOT_COMPARED
        }
        for row in tx.execute(select(table)).mappings()
    ]
