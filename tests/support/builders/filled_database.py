"""A small database with rows in every table: people, two libraries, pages in each state, and what is done with them.

Made through the services, but for what only a worker with a network writes. Nothing is fetched.
"""

from datetime import timedelta
from pathlib import Path
from uuid import UUID

from kept.clock import utc_now
from kept.config import Settings
from kept.domain.account import Scope, TokenKind, Viewer
from kept.domain.attempt import AttemptRecord
from kept.domain.capture import CaptureFailure, CaptureFormat
from kept.domain.document import DocumentFacts, DocumentType, OutlineEntry, PageSize
from kept.domain.failures import FailureCode
from kept.domain.highlight import Colour, NewHighlight, parse_quote
from kept.domain.item import Card
from kept.domain.job import JobKind, Queue
from kept.domain.library import Role
from kept.domain.lifecycle import ProcessingStatus, begin
from kept.ids import new_media_id
from kept.jobs.notifier import NullNotifier
from kept.services.accounts.apps import issue_app_tokens
from kept.services.accounts.oauth import register_client, start_device_grant
from kept.services.accounts.preferences import change_preferences
from kept.services.accounts.secrets import Passwords
from kept.services.accounts.sessions import Credentials, sign_in
from kept.services.accounts.tokens import allow_connection, create_token
from kept.services.accounts.users import offer_set_up
from kept.services.highlights.highlights import create_highlight, remove_highlight
from kept.services.images.serving import prepare_image_links
from kept.services.importing.files import Importer
from kept.services.items.changes import ItemsChange, ReadingChange, change_items
from kept.services.items.copying import recapture_item
from kept.services.items.removal import remove_items
from kept.services.libraries.libraries import create_library, set_captures_pages
from kept.services.libraries.members import add_member
from kept.services.pages.copies import show_private_copy
from kept.services.pages.identity import merge_media
from kept.services.requests.idempotency import StoredAnswer, answer_once
from kept.services.syncing.changes import hash_new_urls
from kept.storage import captures, lifecycles, media
from kept.storage.blobs.store import DiskBlobs
from kept.storage.captures import NewCapture
from kept.storage.database.engine import Connection, Database
from kept.storage.media import Snapshot
from kept.storage.queue import claiming
from kept.storage.queue.claiming import Claiming
from kept.subprocesses.images import ImagePool
from support.builders.accounts import PASSWORD, make_viewer
from support.builders.articles import begin_attempt, fail, ingest
from support.builders.importing import ImportingOwner
from support.builders.libraries import make_owner
from support.fixtures.transactions import writing

SITE = "https://example.org"
HARBOUR = """<h2>Morning</h2><p>Nobody who walked along the quay that morning thought of the gale to come.</p>
<p>The ferry lay at its pier, and the <a href="/pilots">pilots</a> drank their coffee.</p>
<img src="/quay.png" alt="The quay">"""
AGAIN = "<p>Nobody who walked along the quay thought of the gale. The ferry has been sold.</p>"
BOOKMARKS = f"{SITE}/imported\n{SITE}/harbour\nftp://example.org/a\n"


async def fill_database(database: Database, folder: Path) -> None:
    await database.write(offer_set_up, valid_for=timedelta(days=1), now=utc_now())
    owner = make_owner(database, "ann")
    settings = Settings(data_dir=folder)
    importer = Importer.from_settings(
        settings, database, DiskBlobs(folder / "blobs"), ImagePool.from_settings(settings)
    )
    ann = ImportingOwner(database, owner.viewer, owner.library_id, importer)
    await fill_accounts(database, ann.viewer)
    team_id = await share_library(database, ann.viewer)
    harbour = await ann.keep(f"{SITE}/harbour", "The harbour", HARBOUR, tags=["seaside", "reise"])
    await ann.save(f"{SITE}/harbour", library_id=team_id, note="For the team: a lantern", title="Ours")
    await save_pages_in_each_state(ann)
    await mark_passages(ann, harbour)
    await make_copies(ann, harbour)
    await change_and_remove(ann)
    await store_files(ann)
    await ann.run(BOOKMARKS)
    await answer_once(database, ann.viewer.user_id, "a key", "a request", answer, now=utc_now())
    await hash_new_urls(database)


async def answer() -> StoredAnswer:
    return StoredAnswer(201, {"data": {}})


async def fill_accounts(database: Database, viewer: Viewer) -> None:
    now = utc_now()
    given = Credentials(viewer.user.name, PASSWORD, "A browser")
    await sign_in(database, Passwords(), given, valid_for=timedelta(days=30), now=now)
    scopes = frozenset({Scope.READ, Scope.WRITE})
    _, secret = await database.write(create_token, viewer, name="A script", scopes=scopes, now=now)
    await database.write(create_token, viewer, name="An extension", scopes=frozenset({Scope.SAVE}), now=now)
    await database.write(issue_app_tokens, secret, TokenKind.API, now=now)
    await database.write(allow_connection, viewer, challenge="a" * 43, name="A browser", now=now)
    client = await database.write(register_client, "An app", [f"{SITE}/callback"], now=now)
    await database.write(start_device_grant, client.id, "bookmarks:read", now=now)
    await prepare_image_links(database, viewer, SITE)
    await database.write(change_preferences, viewer, {"theme": "dark", "language": "de"}, now=now)


async def share_library(database: Database, viewer: Viewer) -> UUID:
    make_viewer(database, "ben")
    team = await database.write(create_library, viewer, name="Team", now=utc_now())
    await database.write(add_member, viewer, team.id, user_name="ben", role=Role.MEMBER, now=utc_now())
    await database.write(set_captures_pages, viewer, team.id, wanted=True, now=utc_now())
    return team.id


async def save_pages_in_each_state(ann: ImportingOwner) -> None:
    """Ready are others; those that are pending have jobs, one of which a worker holds and others are queued behind."""
    await ann.save("javascript:alert(1)", title="Not of the web")
    failed, blocked = await ann.save(f"{SITE}/failed"), await ann.save(f"{SITE}/blocked")
    fail(ann.database, failed.media.id, FailureCode.FETCH_FAILED)
    fail(ann.database, blocked.media.id, FailureCode.FETCH_FAILED, status=ProcessingStatus.BLOCKED)
    card_only, extracting = await ann.save(f"{SITE}/card"), await ann.save(f"{SITE}/extracting")
    ann.fill(card_only, "A card", site_name="Example")
    await ann.save(f"{SITE}/pending", tags=["later"])
    await ann.save(f"{SITE}/pending-too")
    rules, now = Claiming(lease_seconds=60, host_gap_seconds=5, host_concurrency=1), utc_now()
    snapshot = Snapshot(f"{SITE}/extracting", {"content-type": "text/html"}, b"compressed", now)
    with writing(ann.database) as tx:
        end_as_card_only(tx, card_only.media.id)
        begin_attempt(tx, extracting.media.id, now)
        media.put_snapshot(tx, extracting.media.id, snapshot)
        claiming.claim(tx, Queue.INGEST, [JobKind.INGEST], now=now, rules=rules)


def end_as_card_only(tx: Connection, media_id: UUID) -> None:
    state = lifecycles.find_state(tx, media_id)
    assert state is not None
    lifecycles.apply_move(tx, state, ProcessingStatus.CARD_ONLY, at=utc_now(), record=AttemptRecord())


async def mark_passages(ann: ImportingOwner, card: Card) -> None:
    marks = {
        "thought of the gale": NewHighlight(parse_quote("thought of the gale"), Colour.BLUE, "a barometer"),
        "drank their coffee": NewHighlight(parse_quote("drank their coffee")),
        "Morning": NewHighlight(parse_quote("Morning"), Colour.RED),
    }
    for new in marks.values():
        made = await create_highlight(ann.database, ann.viewer, card.media.id, new, now=utc_now())
    await ann.database.write(remove_highlight, ann.viewer, made.id, now=utc_now())


async def make_copies(ann: ImportingOwner, harbour: Card) -> None:
    """A newer copy of a page, a page that turned out to be another one, and a private copy of a third."""
    copy = await recapture_item(
        ann.database, NullNotifier(), ann.viewer, harbour.item.id, request_id=None, now=utc_now()
    )
    with writing(ann.database) as tx:
        media.update_media(tx, copy.id, utc_now(), title="The harbour")
    ingest(ann.database, copy.id, AGAIN, base_url=f"{SITE}/harbour")
    kept = await ann.keep(f"{SITE}/pilots", "Pilots", "Pilots know the shoals.")
    same = await ann.save(f"{SITE}/pilots?from=feed", note="a sextant")
    seen = await ann.keep(f"{SITE}/members", "Members only", "What everybody is shown.")
    private_id, now = new_media_id(), utc_now()
    with writing(ann.database) as tx:
        merge_media(tx, same.media.id, kept.media.id, actor_user_id=ann.viewer.user_id, now=now)
        media.insert_media(tx, private_id, seen.item.url, ProcessingStatus.PENDING, now, is_private=True)
        lifecycles.insert_transition(tx, begin(private_id, ProcessingStatus.PENDING, at=now))
        captures.put_private_page(tx, ann.library_id, seen.item.url, private_id)
        show_private_copy(tx, seen.item, private_id, now=now)
    ingest(ann.database, private_id, "<p>What members are shown.</p>", base_url=seen.item.url)


async def change_and_remove(ann: ImportingOwner) -> None:
    read = await ann.keep(f"{SITE}/read", "Read already", "The end of it.")
    begun = await ann.keep(f"{SITE}/begun", "Half read", "The middle of it.")
    gone = await ann.keep(f"{SITE}/gone", "Removed", "Nobody needs it.", tags=["seaside"])
    finished = ItemsChange(ReadingChange(is_favourite=True, is_archived=True, is_read=True), add_tags=("done",))
    now = utc_now()
    with writing(ann.database) as tx:
        change_items(tx, ann.viewer, [read.item.id], finished, now=now)
        change_items(tx, ann.viewer, [begun.item.id], ItemsChange(ReadingChange(progress=0.5)), now=now)
        remove_items(tx, ann.viewer, [gone.item.id], now=now)


async def store_files(ann: ImportingOwner) -> None:
    """What is known of files: a PDF, and a page that a browser could not capture. No file itself is stored."""
    paper = await ann.keep(f"{SITE}/paper.pdf", "A paper", "Tides and pilots.")
    lost = await ann.keep(f"{SITE}/lost", "No whole page", "It went away.")
    outline, now = (OutlineEntry("Tides", 1, 1),), utc_now()
    facts = DocumentFacts(
        DocumentType.PDF, 1, (PageSize(595, 842),), (0,), outline, "Draft", has_text=True, is_cut=False
    )
    key = captures.document_key(paper.media.id, "0" * 64, "pdf")
    file = NewCapture(CaptureFormat.DOCUMENT, key, "application/pdf", 1234, "0" * 64)
    with writing(ann.database) as tx:
        media.update_media(tx, paper.media.id, now, kind="pdf")
        media.put_document(tx, paper.media.id, facts)
        captures.put_capture(tx, paper.media.id, file, ann.viewer.user_id, now)
        captures.put_failure(tx, lost.media.id, CaptureFailure(FailureCode.FETCH_FAILED, "It did not work.", now))
