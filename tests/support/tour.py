"""Every page there is, over a library worth looking at."""

import io
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from kept.domain.account import Scope, Viewer
from kept.domain.highlight import Colour
from kept.domain.library import Role
from kept.services.accounts.tokens import create_token
from kept.services.accounts.users import offer_set_up
from kept.services.importing.imports import FileToImport, start_import
from kept.services.importing.running import Slice, advance_import
from kept.services.items.removal import remove_items
from kept.services.libraries.libraries import create_library
from kept.services.libraries.members import add_member
from support.demo import PAGES, Page, stock
from support.highlighting import store_highlight
from support.serving import RunningKept
from support.uploaded_files import FIREFOX_HTML

REMOVED = Page("A page that was removed", "example.org", "https://example.org/removed", "It can be brought back.")


@dataclass(frozen=True)
class Tour:
    outside: dict[str, str]
    inside: dict[str, str]
    items: list[UUID]


async def prepare_tour(running: RunningKept) -> Tour:
    kept = running.kept
    secret = await kept.write(offer_set_up, valid_for=timedelta(hours=1), now=kept.now())
    ann, bob = running.make_user("ann", is_admin=True), running.make_user("bob")
    viewer = Viewer(ann, frozenset(Scope))
    items = await stock(kept.database, kept.blobs, ann.id)
    removed = await stock(kept.database, kept.blobs, ann.id, (REMOVED,))
    await kept.write(remove_items, viewer, removed, now=kept.now())
    team = await kept.write(create_library, viewer, name="Reading group", now=kept.now())
    await kept.write(add_member, viewer, team.id, user_name=bob.name, role=Role.MEMBER, now=kept.now())
    scopes = frozenset({Scope.READ, Scope.WRITE})
    await kept.write(create_token, viewer, name="Phone", scopes=scopes, now=kept.now())
    item = {page.title: item_id for page, item_id in zip(PAGES, items, strict=True)}
    failed = items[[page.failure is not None for page in PAGES].index(True)]
    inside = {
        "library": "/",
        "library-tag": "/?tag=science",
        "library-failed": "/?view=failed",
        "library-search": "/?q=sea+author:ann",
        "tags": "/tags",
        "removed": "/removed",
        "library-empty": f"/?library={team.id}",
        "reader": f"/read/{items[0]}",
        "reader-arabic": f"/read/{item['المكتبة التي لا تُغلق']}",
        "reader-japanese": f"/read/{item['祖父の本棚']}",
        "highlights": "/highlights",
        "highlight": f"/highlights/{prepare_highlights(running, ann.id, items[0])}",
        "highlights-empty": "/highlights?q=nothing-like-it",
        "whole-page": f"/whole/{items[0]}",
        "history": f"/history/{items[0]}",
        "failure": f"/history/{failed}",
        "item": f"/items/{items[0]}",
        "add": "/add?url=https://example.org/a&title=A+page",
        "queue": "/queue",
        "statistics": "/statistics",
        "libraries": "/libraries",
        "shared": f"/libraries/{team.id}",
        "import": "/import",
        "import-checked": f"/import/{await prepare_import(running, viewer)}",
        "apps": "/apps",
        "device": "/device",
        "account": "/account",
        "tokens": "/tokens",
        "connect": f"/connect?challenge={'c' * 43}&state=s&name=Chromium+on+linux",
        "connected": "/connect/done",
        "users": "/users",
        "help": "/help",
        "api": "/api/docs",
    }
    outside = {
        "sign-in": "/sign-in",
        "offline": "/offline",
        "set-up": f"/setup?token={secret}",
        "missing": "/nowhere",
        "bot": "/bot",
    }
    return Tour(outside, inside, items)


def prepare_highlights(running: RunningKept, user_id: UUID, item_id: UUID) -> UUID:
    """One of each colour, in plain text, a link, a list, a table and code; one that this copy does not have."""
    database = running.kept.database
    note = "Ask him about this. See https://example.org/joints for more."
    store_highlight(database, user_id, item_id, "the report on the wells for drawings", colour=Colour.BLUE)
    store_highlight(database, user_id, item_id, "has had lunch. A table of tables Wood Density", colour=Colour.RED)
    store_highlight(database, user_id, item_id, "The bench by the north window", colour=Colour.GREEN)
    store_highlight(database, user_id, item_id, "def shrinkage(width_mm: float", colour=Colour.GREEN)
    store_highlight(database, user_id, item_id, "A sentence that only the first copy had", colour=Colour.RED)
    return store_highlight(database, user_id, item_id, "I have watched my neighbour", note=note).id


async def prepare_import(running: RunningKept, viewer: Viewer) -> UUID:
    """A file that was looked through and waits for a word."""
    kept = running.kept
    brought = FileToImport(io.BytesIO(FIREFOX_HTML.encode()), "bookmarks.html")
    made = await start_import(kept.importer, viewer, brought, enqueue=False, now=kept.now())
    await advance_import(kept.importer, made.id, Slice())
    return made.id
