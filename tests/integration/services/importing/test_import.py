"""An import writes what the file says, once, beside what is there already; counts always add up."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import event, select, update

from kept.clock import utc_now
from kept.config import Limits
from kept.domain.errors import Conflict
from kept.domain.imported import FolderUse
from kept.domain.importing import ROW_SECONDS, Counts, ImportState
from kept.domain.job import JobKind, Queue
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.message import Message
from kept.services.importing.imports import cancel_import, forget_stale_files
from kept.services.importing.running import ROWS_AT_ONCE, write_outcomes
from kept.services.items.removal import remove_items
from kept.services.libraries.libraries import create_library
from kept.services.saving.batches import HAS_ARTICLE_ALREADY, STANDS_FOR_IT
from kept.storage import media, tables
from kept.storage.blobs.store import BlobsAway, DiskBlobs
from kept.storage.database.engine import Connection, Database
from kept.storage.queue.claiming import Claiming, Postponed, claim
from kept.storage.queue.queue import find_job
from support.builders import uploaded_files as files
from support.builders.importing import ImportingOwner, make_importing_owner
from support.fixtures.transactions import reading, writing

pytestmark = pytest.mark.requirement("Kept", "an imported article replaces a failed page and needs no browser")

HEADER = "title,url,time_added,tags,status\n"


@pytest.fixture
def owner(database: Database, tmp_path: Path) -> ImportingOwner:
    return make_importing_owner(database, tmp_path)


async def test_what_a_file_says_is_kept(owner: ImportingOwner) -> None:
    progress = await owner.run(files.pocket_zip())
    assert (progress.found.state, progress.found.format, progress.found.rows_total) == (ImportState.DONE, "pocket", 4)
    assert progress.counts == Counts(imported=4)
    cards = owner.cards()
    card = cards["https://example.com/b"]
    assert (card.item.title, card.tags) == ("A title, with a comma", ("recipes", "to cook", "äpfel"))
    assert card.item.note is None
    assert card.item.created_at == datetime(2016, 6, 21, 14, 20, tzinfo=UTC)
    assert card.reading.is_archived
    assert card.reading.read_at == card.item.created_at
    assert cards["https://example.com/no-title"].item.title is None
    assert cards["https://example.com/no-title"].reading.read_at is None
    assert card.media.processing_status is ProcessingStatus.PENDING


async def test_pages_are_fetched_later_one_at_a_time_for_each_host_and_after_people(owner: ImportingOwner) -> None:
    await owner.save("https://elsewhere.example/")
    await owner.run(HEADER + "".join(f"T,https://one.example/{number},1,,unread\n" for number in range(120)))
    rules = Claiming(lease_seconds=60, host_gap_seconds=60, host_concurrency=1)
    hosts, later = [], utc_now() + timedelta(seconds=5)
    with writing(owner.database) as tx:
        heads = tx.execute(select(tables.jobs.c.host).where(~tables.jobs.c.is_queued_behind)).scalars().all()
        while (job := claim(tx, Queue.INGEST, [JobKind.INGEST], now=later, rules=rules)) is not None:
            if not isinstance(job, Postponed):
                hosts.append(job.host)
    assert sorted(heads) == ["elsewhere.example", "one.example"]
    assert hosts == ["elsewhere.example", "one.example"]
    assert owner.count(tables.jobs) == 121


async def test_a_second_import_of_a_file_changes_nothing(owner: ImportingOwner) -> None:
    await owner.run(files.pocket_zip())
    before = owner.cards()
    progress = await owner.run(files.pocket_zip())
    assert progress.counts == Counts(already_there=4)
    assert owner.cards() == before
    assert owner.count(tables.media) == 4


async def test_what_is_there_is_added_to_and_never_overwritten(owner: ImportingOwner) -> None:
    await owner.save("https://example.com/b")
    await owner.run("url,title,tags,note\nhttps://EXAMPLE.com/b#part,First,one,A\n")
    progress = await owner.run("url,title,tags,note,is_favourite\nhttps://example.com/b,Second,two,B,true\n")
    assert progress.counts == Counts(already_there=1)
    [card] = owner.cards().values()
    assert (card.item.title, card.item.note, card.tags) == ("First", "A\n\nB", ("one", "two"))
    assert card.reading.is_favourite


async def test_one_url_twice_in_a_file_is_one_item_with_the_words_of_both(owner: ImportingOwner) -> None:
    rows = "a,https://x.example/a,1600000000,one,unread\nb,https://X.example:443/a,1600000001,two,archive\n"
    progress = await owner.run(HEADER + rows)
    assert progress.counts == Counts(imported=1, already_there=1)
    [card] = owner.cards().values()
    assert (card.item.title, card.tags, card.reading.is_archived) == ("a", ("one", "two"), True)


async def test_what_somebody_else_saved_needs_no_second_page(owner: ImportingOwner, tmp_path: Path) -> None:
    bob = make_importing_owner(owner.database, tmp_path, "bob")
    await bob.save("https://example.com/b")
    await owner.run(files.POCKET_CSV)
    assert owner.count(tables.media) == 3
    assert owner.cards()["https://example.com/b"].media.id == bob.cards()["https://example.com/b"].media.id
    assert bob.cards()["https://example.com/b"].tags == ()


async def test_a_page_that_failed_gets_one_more_chance_with_a_new_item(owner: ImportingOwner, tmp_path: Path) -> None:
    bob = make_importing_owner(owner.database, tmp_path, "bob")
    await bob.save("https://example.com/b")
    with writing(owner.database) as tx:
        tx.execute(update(tables.media).values(processing_status="failed"))
        tx.execute(tables.jobs.delete())
    await owner.run("https://example.com/b\n")
    assert owner.count(tables.jobs) == 1


async def test_folders_become_tags(owner: ImportingOwner) -> None:
    await owner.run(files.FIREFOX_HTML)
    assert owner.cards()["https://example.com/cake"].tags == ("cooking", "desserts", "oven", "sweet")


async def test_folders_become_libraries_if_one_likes(owner: ImportingOwner) -> None:
    progress = await owner.run(files.FIREFOX_HTML, folder_use=FolderUse.LIBRARIES)
    assert progress.counts == Counts(imported=5, rejected=1)
    with reading(owner.database) as tx:
        query = select(tables.libraries.c.id).where(tables.libraries.c.name == "Cooking")
        cooking = tx.execute(query).scalar_one()
    cards = owner.cards(cooking)
    assert cards.keys() == {f"https://example.com/{name}" for name in ("soup", "cake", "bread")}
    assert cards["https://example.com/cake"].tags == ("desserts", "oven", "sweet")
    assert cards.keys() <= owner.cards().keys()
    again = await owner.run(files.FIREFOX_HTML, folder_use=FolderUse.LIBRARIES)
    assert again.counts == Counts(already_there=5, rejected=1)


async def test_absurd_dates_do_no_harm(owner: ImportingOwner) -> None:
    ahead = int((utc_now() + timedelta(days=4000)).timestamp())
    moments = ["", "0", "-5", "99999999999999999999", str(ahead), "soon", "1"]
    rows = "".join(f"t,https://x.example/{number},{moment},,unread\n" for number, moment in enumerate(moments))
    progress = await owner.run(HEADER + rows)
    assert progress.counts == Counts(imported=len(moments))
    assert all(card.item.created_at <= utc_now() for card in owner.cards().values())


async def test_every_row_tells_what_became_of_it(owner: ImportingOwner) -> None:
    rows = "a,https://x.example/a,1,,unread\n=cmd(),javascript:alert(1),1,,unread\nb,,1,,unread\nc,https://x.example/a,1,,\n"
    progress = await owner.run(HEADER + rows)
    lines = [line async for line in write_outcomes(owner.database, progress.found.id)]
    assert [line.split(",")[:3] for line in lines] == [
        ["row", "outcome", "reason"],
        ["1", "imported", ""],
        ["2", "rejected", "This is not a web page: javascript: URLs cannot be fetched."],
        ["3", "rejected", "There is no URL."],
        ["4", "already_there", ""],
    ]


async def test_a_cell_that_begins_like_a_formula_is_shown_and_not_run(owner: ImportingOwner) -> None:
    progress = await owner.run(HEADER + "a,=1+1,1,,unread\nb,@x,1,,unread\n")
    lines = [line async for line in write_outcomes(owner.database, progress.found.id)]
    assert [line.split(",")[3] for line in lines[1:]] == ["'=1+1", "'@x"]


async def test_a_file_nobody_can_read_fails_with_a_reason_and_writes_nothing(owner: ImportingOwner) -> None:
    progress = await owner.run(b"\x89PNG\r\n\x1a\n\x00\x00")
    assert progress.found.state is ImportState.FAILED
    assert progress.found.problem == "This is not a file of a kind Kept can read."
    assert owner.count(tables.items) == 0


async def test_a_file_with_too_many_links_is_refused(database: Database, tmp_path: Path) -> None:
    owner = make_importing_owner(database, tmp_path, limits=Limits(max_import_rows=2))
    progress = await owner.run(files.POCKET_CSV)
    assert progress.found.problem == "The file has more than 2 links."
    assert progress.found.told_problem == Message("The file has more than %(most)s links.", {"most": "2"})


# --- articles that came with the file -----------------------------------------------------------------------------


async def test_an_article_that_came_with_the_file_is_private(owner: ImportingOwner, tmp_path: Path) -> None:
    await owner.run(files.EXAMPLES["wallabag"][1])
    card = owner.cards()["https://example.com/w"]
    assert card.media.is_private
    assert card.media.canonical_url is None
    with reading(owner.database) as tx:
        aliases = tx.execute(select(tables.url_aliases.c.url)).scalars().all()
    assert aliases == ["https://example.com/gone"]
    bob = make_importing_owner(owner.database, tmp_path, "bob")
    await bob.save("https://example.com/w")
    assert bob.cards()["https://example.com/w"].media.id != card.media.id


async def test_a_save_of_what_came_with_a_file_finds_it_in_its_library(owner: ImportingOwner) -> None:
    await owner.run(files.EXAMPLES["wallabag"][1])
    before = owner.cards()
    await owner.save("https://example.com/w")
    assert {url: card.item.id for url, card in owner.cards().items()} == {
        url: card.item.id for url, card in before.items()
    }


async def test_articles_are_not_imported_twice_and_nothing_is_lost_in_silence(owner: ImportingOwner) -> None:
    await owner.run(files.EXAMPLES["wallabag"][1])
    again = await owner.run(files.EXAMPLES["wallabag"][1])
    assert again.counts == Counts(already_there=2)
    rows = owner.rows(again.found.id)
    assert [row.reason for row in rows] == [HAS_ARTICLE_ALREADY, None]
    assert owner.count(tables.private_pages) == 1


def fail_all(owner: ImportingOwner) -> None:
    with writing(owner.database) as tx:
        tx.execute(update(tables.media).values(processing_status="failed"))
        tx.execute(tables.jobs.delete())


async def test_an_article_stands_for_a_page_that_could_not_be_kept(owner: ImportingOwner, tmp_path: Path) -> None:
    bob = make_importing_owner(owner.database, tmp_path, "bob")
    for each in (owner, bob):
        await each.save("https://example.com/w")
    fail_all(owner)
    before, of_bob = owner.cards()["https://example.com/w"], bob.cards()
    brought = await owner.run(files.EXAMPLES["wallabag"][1])
    assert brought.counts == Counts(imported=1, already_there=1)
    rows = owner.rows(brought.found.id)
    assert [row.reason for row in rows] == [STANDS_FOR_IT, None]
    after = owner.cards()["https://example.com/w"]
    assert (after.item.id, after.item.created_at) == (before.item.id, before.item.created_at)
    assert after.media.is_private
    assert bob.cards().keys() == of_bob.keys()
    assert not bob.cards()["https://example.com/w"].media.is_private
    with reading(owner.database) as tx:
        assert media.find_snapshot(tx, after.media.id) is not None
        assert find_job(tx, JobKind.INGEST, after.media.id) is not None


async def test_who_reads_a_page_that_failed_goes_on_reading_its_article(owner: ImportingOwner) -> None:
    await owner.save("https://example.com/w")
    card = owner.cards()["https://example.com/w"]
    await owner.mark(card, is_favourite=True)
    fail_all(owner)
    await owner.run(files.EXAMPLES["wallabag"][1])
    assert owner.cards()["https://example.com/w"].reading.is_favourite


async def test_an_article_stands_for_a_failed_page_in_a_shared_library_and_in_ones_own(owner: ImportingOwner) -> None:
    team = await owner.database.write(create_library, owner.viewer, name="Team", now=utc_now())
    await owner.run("https://example.com/w\n", library_id=team.id)
    card = owner.cards()["https://example.com/w"]
    await owner.mark(card, is_favourite=True)
    fail_all(owner)
    brought = await owner.run(files.EXAMPLES["wallabag"][1], library_id=team.id)
    assert brought.counts == Counts(imported=1, already_there=1)
    own, shared = owner.cards()["https://example.com/w"], owner.cards(team.id)["https://example.com/w"]
    assert own.media.id == shared.media.id != card.media.id
    assert own.reading.is_favourite
    assert shared.reading.is_favourite


async def test_what_was_removed_can_be_brought_again(owner: ImportingOwner) -> None:
    await owner.run(files.EXAMPLES["wallabag"][1])
    card = owner.cards()["https://example.com/w"]
    await owner.database.write(remove_items, owner.viewer, [card.item.id], now=utc_now())
    again = await owner.run(files.EXAMPLES["wallabag"][1])
    assert again.counts == Counts(imported=1, already_there=1)
    assert owner.cards()["https://example.com/w"].media.id == card.media.id


async def test_articles_in_a_shared_library_are_in_ones_own_too(owner: ImportingOwner) -> None:
    team = await owner.database.write(create_library, owner.viewer, name="Team", now=utc_now())
    for _ in range(2):
        await owner.run(files.EXAMPLES["wallabag"][1], library_id=team.id)
    assert owner.count(tables.private_pages) == 2
    own, shared = owner.cards(), owner.cards(team.id)
    assert own.keys() == shared.keys()
    assert all(own[url].media.id == shared[url].media.id for url in own)
    assert own["https://example.com/w"].tags == ()


# --- stopping and going on ----------------------------------------------------------------------------------------


async def test_an_import_that_breaks_off_goes_on_where_it_stopped(owner: ImportingOwner) -> None:
    made = await owner.bring(HEADER + "".join(f"T,https://x.example/{number},1,,\n" for number in range(950)))
    commits = 0

    @event.listens_for(owner.database.writer, "commit")
    def break_off(connection: Connection) -> None:
        nonlocal commits
        if connection.get_execution_options().get("postgresql_readonly"):
            return  # a read ends with a commit, too
        commits += 1
        if commits % 3 == 0:
            raise RuntimeError("after all was written, before the commit")

    for _ in range(20):
        try:
            await owner.advance(made.id)
            break
        except RuntimeError:
            continue
    progress = await owner.look(made.id)
    assert progress.found.state is ImportState.DONE
    assert progress.counts == Counts(imported=950)
    assert owner.count(tables.items) == owner.count(tables.media) == 950


async def test_two_who_run_one_import_do_not_double_anything(owner: ImportingOwner) -> None:
    made = await owner.bring(HEADER + "".join(f"T,https://x.example/{number},1,,\n" for number in range(950)))
    await asyncio.gather(*(owner.advance(made.id) for _ in range(3)), return_exceptions=True)
    await owner.advance(made.id)
    assert (await owner.look(made.id)).counts == Counts(imported=950)
    assert owner.count(tables.items) == owner.count(tables.media) == 950


async def test_a_slice_leaves_the_rest_for_the_next(owner: ImportingOwner) -> None:
    made = await owner.bring(HEADER + "".join(f"T,https://x.example/{number},1,,\n" for number in range(250)))
    slices = 1
    while not await owner.advance(made.id, ends_at=0.0):
        slices += 1
    assert slices == 250 / ROWS_AT_ONCE + 1
    assert (await owner.look(made.id)).counts == Counts(imported=250)


async def test_a_cancelled_import_stops_and_keeps_what_it_has(owner: ImportingOwner) -> None:
    made = await owner.bring(HEADER + "".join(f"T,https://x.example/{number},1,,\n" for number in range(250)))
    await owner.advance(made.id, ends_at=0.0)
    await cancel_import(owner.importer, owner.viewer, made.id, now=utc_now())
    assert await owner.advance(made.id)
    assert (await owner.look(made.id)).counts == Counts(imported=ROWS_AT_ONCE)
    assert await owner.importer.blobs.get(made.blob_key) is None
    with pytest.raises(Conflict):
        await cancel_import(owner.importer, owner.viewer, made.id, now=utc_now())


@contextmanager
def blobs_away(owner: ImportingOwner) -> Iterator[None]:
    assert isinstance(owner.importer.blobs, DiskBlobs)
    folder = owner.importer.blobs.folder
    folder.rename(folder.with_name("elsewhere"))
    folder.write_text("a file where the folder should be")
    yield
    folder.unlink()
    folder.with_name("elsewhere").rename(folder)


async def test_an_import_whose_file_cannot_be_deleted_just_now_is_not_half_cancelled(owner: ImportingOwner) -> None:
    made = await owner.bring(files.POCKET_CSV)
    with blobs_away(owner), pytest.raises(BlobsAway):
        await cancel_import(owner.importer, owner.viewer, made.id, now=utc_now())
    await cancel_import(owner.importer, owner.viewer, made.id, now=utc_now())
    assert await owner.importer.blobs.get(made.blob_key) is None


async def test_an_import_that_could_not_delete_its_file_does_when_it_is_run_again(
    owner: ImportingOwner, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(key: str) -> None:
        raise BlobsAway("away")

    made = await owner.bring(files.POCKET_CSV)
    with monkeypatch.context() as patched:
        patched.setattr(owner.importer.blobs, "delete", refuse)
        with pytest.raises(BlobsAway):
            await owner.advance(made.id)
    assert await owner.advance(made.id)
    assert await owner.importer.blobs.get(made.blob_key) is None
    assert (await owner.look(made.id)).found.state is ImportState.DONE


async def test_one_import_at_a_time(owner: ImportingOwner) -> None:
    await owner.bring(files.POCKET_CSV)
    with pytest.raises(Conflict):
        await owner.bring(files.POCKET_CSV)


async def test_the_file_goes_when_the_import_is_done_or_nobody_wants_it(owner: ImportingOwner) -> None:
    done = await owner.run(files.POCKET_CSV)
    assert await owner.importer.blobs.get(done.found.blob_key) is None
    failed = await owner.run("nothing")
    assert await owner.importer.blobs.get(failed.found.blob_key) is not None
    later = utc_now() + timedelta(days=8)
    await forget_stale_files(owner.database, owner.importer.blobs, now=later)
    assert await owner.importer.blobs.get(failed.found.blob_key) is None
    assert (await owner.look(failed.found.id)).found.state is ImportState.CANCELLED


async def test_pages_are_fetched_once_all_of_them_are_listed(owner: ImportingOwner) -> None:
    rows = 3000
    progress = await owner.run(HEADER + "".join(f"T,https://x{number}.example/,1,,\n" for number in range(rows)))
    with reading(owner.database) as tx:
        moments = tx.execute(select(tables.jobs.c.run_at)).scalars().all()
    assert len(moments) == rows
    assert min(moments) >= progress.found.created_at + timedelta(seconds=rows * ROW_SECONDS)
