"""Uploads that are cut off in the middle, or come twice at once."""

import asyncio
import tempfile
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from kept.domain.account import Scope, Viewer
from kept.services.saving import uploads
from kept.services.saving.uploads import FileToSave, PlacedUpload, save_document, save_page
from support.builders.page_files import page
from support.fixtures.databases import on_both_databases
from support.servers.serving import Person, RunningKept

Save = Callable[[RunningKept, Person], Awaitable[PlacedUpload]]


def viewer_of(person: Person) -> Viewer:
    assert person.user is not None
    return Viewer(person.user, frozenset(Scope))


async def save_text(saving: RunningKept, person: Person) -> PlacedUpload:
    with tempfile.TemporaryFile() as file:
        file.write(b"The harbour is quiet.")
        file.seek(0)
        asked = FileToSave(file, "")
        saver = saving.kept.document_saver
        return await save_document(saver, viewer_of(person), asked, name="a.txt", content_type="text/plain")


async def save_whole_page(saving: RunningKept, person: Person) -> PlacedUpload:
    with tempfile.TemporaryFile() as file:
        file.write(page().encode())
        file.seek(0)
        return await save_page(saving.kept.page_saver, viewer_of(person), FileToSave(file, "https://example.org/a"))


@pytest.mark.parametrize("save", [save_text, save_whole_page])
async def test_an_upload_that_is_committed_after_its_client_went_keeps_its_file(
    save: Save, saving: RunningKept, ann: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_go_on = threading.Event(), threading.Event()
    place_upload = uploads.place_upload

    def place_late(*args: Any, **kwargs: Any) -> PlacedUpload:
        begun.set()
        assert may_go_on.wait(30)
        return place_upload(*args, **kwargs)

    monkeypatch.setattr(uploads, "place_upload", place_late)
    task = asyncio.ensure_future(save(saving, ann))
    assert await asyncio.to_thread(begun.wait, 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    may_go_on.set()
    await saving.kept.database.write(lambda _: None)  # what came before it is committed
    assert len((await ann.get("/api/v1/items")).data) == 1
    assert len(await saving.kept.blobs.list("pages")) == 1


@on_both_databases
async def test_uploads_of_one_file_at_once_are_one_item(saving: RunningKept, ann: Person) -> None:
    saved = await asyncio.gather(*(save_text(saving, ann) for _ in range(5)))
    assert [one.is_new for one in saved].count(True) == 1
    assert len({one.card.item.id for one in saved}) == 1
    assert len(await saving.kept.blobs.list("pages")) == 1
