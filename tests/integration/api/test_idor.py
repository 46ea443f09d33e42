"""Every route of the API × who asks × whose it is. A route without a line here fails (specification 002 §10–12).

The world: ann is admin of Team and has a library of her own; bob is a member of Team; eve is in neither. What one may
not see is 404, and equal to what does not exist but for the request id; 403 is for a write in a library one can see.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import pytest
from aiohttp import web

from kept.api.access import api_routes, policy_of
from kept.asgi import create_app
from kept.clock import utc_now
from kept.compat.readeck.bookmarks_out import write_id
from kept.config import Settings
from kept.domain.capture import HTML_TYPE, CaptureFormat
from kept.domain.document import DocumentFacts, DocumentType, PageSize
from kept.domain.failures import FailureCode
from kept.domain.media import MediaKind
from kept.ids import new_id
from kept.storage import captures, media
from kept.storage.database.engine import Database
from kept.storage.tables import imports
from support.builders.accounts import PASSWORD
from support.builders.articles import fail, ingest
from support.builders.pdf_files import simple_pdf
from support.builders.pictures import picture
from support.fixtures.transactions import writing
from support.servers.origin import Origin
from support.servers.serving import Person, RunningKept

pytestmark = [
    pytest.mark.requirement("000", "SC-006"),
    pytest.mark.requirement("002", "§12 no read bypasses `can_view`"),
    pytest.mark.requirement(
        "Kept",
        "what is not visible equals what does not exist",
        "nobody finds a page by another's words; the index follows every change",
        "two people mark one article and see only their own",
    ),
    pytest.mark.requirement("differs", "001 §8: the user's id is checked before an update → membership guards items"),
]

SEEN = 200
DIGEST = "d" * 64


@dataclass(frozen=True)
class Row:
    """What ann, bob and eve get for what Team holds; for what ann alone holds, bob gets what eve gets."""

    ann: int
    bob: int
    eve: int = 404
    body: dict[str, Any] | None = None
    failed: bool = False
    """Asked of a page that failed; of one that is ready otherwise."""
    document: bool = False
    """Asked of a document."""


READ = Row(SEEN, SEEN)
READ_DOCUMENT = Row(SEEN, SEEN, document=True)


def write(status: int = SEEN, **body: Any) -> Row:
    return Row(status, 403, body=body or None)


PLACE = {"start_selector": "p", "start_offset": 0, "end_selector": "p", "end_offset": 1}
MEDIA = {
    "GET {base}/media/{media_id:uuid}": READ,
    "GET {base}/media/{media_id:uuid}/fragments": READ,
    "GET {base}/media/{media_id:uuid}/transitions": READ,
    # no library is written to: who reads a page may have it tried again
    "POST {base}/media/{media_id:uuid}/retry": Row(202, 202, failed=True),
}
TABLE = {
    **{route.replace("{base}", base): row for base in ("/api/v1", "") for route, row in MEDIA.items()},
    # everybody has their own on a page they can read: no library is written to
    "GET /api/v1/media/{media_id:uuid}/highlights": READ,
    "POST /api/v1/media/{media_id:uuid}/highlights": Row(201, 201, body={"exact": "x"}),
    "GET /api/v1/items/{item_id}": READ,
    "PATCH /api/v1/items/{item_id}": write(note="x"),
    "DELETE /api/v1/items/{item_id}": write(204),
    "POST /api/v1/items/{item_id}/enrich": write(),
    "POST /api/v1/items/{item_id}/ingest": Row(202, 202, failed=True),
    "POST /api/v1/items/{item_id}/move": write(library_id="{other_library_id}"),
    "GET /api/v1/items/{item_id}/copies": READ,
    "POST /api/v1/items/{item_id}/recapture": write(202),
    "POST /api/v1/items/{item_id}/capture": write(202),
    "GET /api/v1/items/{item_id}/captures": READ,
    "GET /api/v1/items/{item_id}/page.{page_format}": READ,
    # what ann uploaded; whoever reads the page reads what was made of it
    "GET /api/v1/items/{item_id}/upload": Row(SEEN, 404),
    "GET /api/v1/items/{item_id}/thumbnail": READ,
    "GET /api/v1/items/{item_id}/document": READ_DOCUMENT,
    "GET /api/v1/items/{item_id}/document/file": READ_DOCUMENT,
    "GET /api/v1/items/{item_id}/document/pages/{page}.webp": READ_DOCUMENT,
    "GET /api/v1/items/{item_id}/article.{file_format}": READ,
    "GET /api/v1/items/{item_id}/highlights.{highlight_format}": READ,
    "GET /api/images/{image_id:uuid}": READ,
    "GET /api/v1/libraries/{library_id}": READ,
    "PATCH /api/v1/libraries/{library_id}": write(name="x"),
    "DELETE /api/v1/libraries/{library_id}": write(204),
    "GET /api/v1/libraries/{library_id}/members": READ,
    "POST /api/v1/libraries/{library_id}/members": write(201, user_name="eve"),
    "PATCH /api/v1/libraries/{library_id}/members/{user_id}": write(role="admin"),
    "DELETE /api/v1/libraries/{library_id}/members/{user_id}": Row(204, 204),  # bob himself: everybody may leave
    # one's own alone; a member is nobody in particular here
    "GET /api/v1/imports/{import_id}": Row(SEEN, 404),
    "GET /api/v1/imports/{import_id}/rows": Row(SEEN, 404),
    "POST /api/v1/imports/{import_id}/start": Row(202, 404),
    "POST /api/v1/imports/{import_id}/cancel": Row(SEEN, 404),
    "GET /api/v1/highlights/{highlight_id:uuid}": Row(SEEN, 404),
    "PATCH /api/v1/highlights/{highlight_id:uuid}": Row(SEEN, 404, body={"note": "x"}),
    "DELETE /api/v1/highlights/{highlight_id:uuid}": Row(204, 404),
    "POST /api/v1/highlights/{highlight_id:uuid}/restore": Row(SEEN, 404),
    # the APIs of other programs: ids of their own for the same items
    "GET /opds/items/{item_id}.epub": READ,
    "GET /opds/libraries/{library_id}": READ,
    "GET /readeck/api/bookmarks/{bookmark_id}": READ,
    "PATCH /readeck/api/bookmarks/{bookmark_id}": write(title="x"),
    "DELETE /readeck/api/bookmarks/{bookmark_id}": write(204),
    "GET /readeck/api/bookmarks/{bookmark_id}/article": READ,
    "GET /readeck/api/bookmarks/{bookmark_id}/article.epub": READ,
    "GET /readeck/api/bookmarks/{bookmark_id}/article.md": READ,
    "GET /readeck/api/bookmarks/{bookmark_id}/x/log": READ,
    "GET /readeck/api/bookmarks/{bookmark_id}/x/props.json": READ,
    "GET /readeck/api/bookmarks/{bookmark_id}/annotations": READ,
    "POST /readeck/api/bookmarks/{bookmark_id}/annotations": Row(400, 201, body=PLACE),
    "PATCH /readeck/api/bookmarks/{bookmark_id}/annotations/{annotation_id}": Row(SEEN, 404, body={"note": "x"}),
    "DELETE /readeck/api/bookmarks/{bookmark_id}/annotations/{annotation_id}": Row(204, 404),
    "DELETE /api/v1/sessions/{session_id}": Row(204, 404),
    "DELETE /api/v1/tokens/{token_id}": Row(204, 404),
}
# What names nothing in its path. The tests of each say whose data it answers with and which library it writes to.
WITHOUT_IDS = {
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
    "GET /api/docs",
    "POST /api/v1/setup",
    "POST /api/v1/session",
    "DELETE /api/v1/session",
    "GET /api/v1/sessions",
    "GET /api/v1/me",
    "POST /api/v1/me/password",
    "GET /api/v1/tokens",
    "POST /api/v1/tokens",
    "GET /api/v1/users",
    "POST /api/v1/users",
    "GET /api/v1/libraries",
    "POST /api/v1/libraries",
    "POST /api/v1/items",
    "GET /api/v1/items",
    "POST /api/v1/items/page",
    "POST /api/v1/items/file",
    "POST /api/v1/items/captures",
    "POST /api/v1/ingest",
    "GET /api/v1/search",
    "GET /api/v1/lookup",
    "GET /api/v1/tags",
    "POST /api/v1/connect/token",
    "POST /api/v1/connect/revoke",
    "GET /api/v1/highlights",
    "GET /api/v1/export",
    "POST /api/v1/imports",
    "GET /api/v1/imports",
    *(f"GET /opds{path}" for path in ("", "/libraries", "/tags", "/search", "/next.epub")),
    # a list or a tag of one's own, whatever its name
    *("GET /opds/tags/{tag:path}", "GET /opds/{name}"),
    *(f"GET /readeck/api/{path}" for path in ("info", "profile", "bookmarks", "bookmarks/sync")),
    *(f"GET /readeck/api/bookmarks/{path}" for path in ("labels", "collections", "annotations")),
    *(f"POST /readeck/api/{path}" for path in ("bookmarks", "bookmarks/sync")),
    *(f"POST /readeck/api/oauth/{path}" for path in ("client", "device", "token", "revoke")),
    "GET /readeck/.well-known/oauth-authorization-server",
    # pages of Kept's own, which ask who is signed in (web/test_apps.py)
    *("GET /readeck/authorize", "POST /readeck/authorize"),
    *(f"{method} /readeck/{{path:path}}" for method in ("GET", "POST", "PUT", "PATCH", "DELETE")),
    # by a signature (compat/test_opds.py, compat/test_readeck.py)
    "GET /linked-images/{user_id:uuid}/{kind}/{subject_id:uuid}/{signature}",
    *(f"POST {base}/media/{name}" for base in ("/api/v1", "") for name in ("web-articles", "from_url")),
}
# In the path by one's own choice: these name a library in the body or the query.
CHOOSES_LIBRARY: dict[str, dict[str, Any]] = {
    "POST /api/v1/items": {"url": "https://example.org/", "wait": False},
    "POST /api/v1/media/web-articles": {"url": "https://example.org/"},
    "POST /media/web-articles": {"url": "https://example.org/"},
}


COMPAT = ("/opds", "/readeck/", "/linked-images/")


def is_ours(path: str) -> bool:
    """The API; web pages call the same services, and their own tests follow them."""
    return path.startswith(("/api/", "/media/", "/healthz", "/readyz", "/metrics", *COMPAT))


def declared_routes() -> Iterator[str]:
    for route in api_routes(create_app(Settings())):
        assert route.path is not None
        assert policy_of(route) is not None
        if is_ours(route.path):
            yield from (f"{method} {route.path}" for method in sorted(route.methods or ()))


def test_every_route_has_its_line() -> None:
    assert set(declared_routes()) == set(TABLE) | WITHOUT_IDS


@dataclass
class World:
    ann: Person
    bob: Person
    eve: Person
    team: dict[str, str] = field(default_factory=dict)
    """Ids of what Team holds, by the name they have in a path."""
    private: dict[str, str] = field(default_factory=dict)
    """Ids of what ann's own library holds, and no other."""


@pytest.fixture
async def world(saving: RunningKept, origin: Origin) -> World:
    ann, bob, eve = [await saving.make_person(name) for name in ("ann", "bob", "eve")]
    world = World(ann, bob, eve)
    library_id = (await world.ann.post("/api/v1/libraries", {"name": "Team"})).data["id"]
    other_id = (await world.ann.post("/api/v1/libraries", {"name": "Other"})).data["id"]
    [own_id] = [found["id"] for found in (await world.ann.get("/api/v1/libraries")).data if found["is_default"]]
    await world.ann.post(f"/api/v1/libraries/{library_id}/members", {"user_name": "bob"})
    assert world.bob.user is not None
    people = {"user_id": str(world.bob.user.id), "other_library_id": other_id, "file_format": "txt"}
    people |= {"highlight_format": "md", "page_format": "png", "page": "1"}
    world.team = people | {"library_id": library_id} | await keep(saving, world.ann, origin, "/team", library_id)
    world.private = people | {"library_id": own_id} | await keep(saving, world.ann, origin, "/own", None)
    for ids in (world.team, world.private):
        made = await world.ann.post("/api/v1/tokens", {"name": "t", "scopes": ["read"]})
        ids["token_id"] = made.data["id"]
        ids["session_id"] = await start_session(world.ann, "ann")
        assert ann.user is not None
        ids["import_id"] = str(make_import(saving.kept.database, ann.user.id, UUID(ids["library_id"])))
    return world


def make_import(database: Database, user_id: UUID, library_id: UUID) -> UUID:
    """One that waits for a word."""
    import_id, now = new_id(), utc_now()
    with writing(database) as tx:
        values = {"format": "urls", "file_name": "f", "blob_key": "imports/none", "state": "checked", "options": {}}
        rows = {"id": import_id, "user_id": user_id, "library_id": library_id, "created_at": now, "updated_at": now}
        tx.execute(imports.insert(), values | rows)
    return import_id


async def start_session(person: Person, name: str) -> str:
    nobody = Person(person.address)
    await nobody.post("/api/v1/session", {"name": name, "password": PASSWORD}, Origin=person.address)
    return str((await person.get("/api/v1/sessions")).data[0]["id"])


async def keep(
    saving: RunningKept, person: Person, origin: Origin, path: str, library_id: str | None
) -> dict[str, str]:
    """A page that is ready, with a picture, and one that failed."""

    async def serve(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=picture(), content_type="image/png")

    origin.on(f"{path}.png", serve)
    page = f'<meta property="og:image" content="{path}.png"><title>T</title>'
    body: dict[str, Any] = {"url": origin.page(path, page), "library_id": library_id}
    item = (await person.post("/api/v1/items", body)).data
    article = ingest(
        saving.kept.database, item["media_id"], f'<p>x</p><img src="{path}.png">', base_url=origin.url(path)
    )
    assert person.user is not None
    await capture(saving, UUID(item["media_id"]), person.user.id)
    marked = (await person.post(f"/api/v1/media/{item['media_id']}/highlights", {"exact": "x"})).data
    failed = (await person.post("/api/v1/items", body | {"url": origin.url(f"{path}-failed"), "wait": False})).data
    fail(saving.kept.database, failed["media_id"], FailureCode.FETCH_FAILED)
    document = (await person.post("/api/v1/items", body | {"url": origin.url(f"{path}.pdf"), "wait": False})).data
    await make_document(saving, UUID(document["media_id"]))
    return {
        "document_item_id": document["id"],
        "item_id": item["id"],
        "media_id": item["media_id"],
        "highlight_id": marked["id"],
        "bookmark_id": write_id(UUID(item["id"])),
        "annotation_id": write_id(UUID(marked["id"])),
        "image_id": str(article.images[0].id),
        "failed_media_id": failed["media_id"],
        "failed_item_id": failed["id"],
    }


async def capture(saving: RunningKept, media_id: UUID, user_id: UUID) -> None:
    """A screenshot that nobody asked for, and a file that the user uploaded."""
    for kind, content_type, owner_id in (
        (CaptureFormat.PNG, "image/png", None),
        (CaptureFormat.UPLOAD, HTML_TYPE, user_id),
    ):
        key = captures.capture_key(media_id, f"page.{kind}")
        await saving.kept.blobs.put(key, picture(), content_type)
        with writing(saving.kept.database) as tx:
            made = captures.NewCapture(kind, key, content_type, len(picture()))
            captures.put_capture(tx, media_id, made, owner_id, utc_now())


async def make_document(saving: RunningKept, media_id: UUID) -> None:
    """A PDF of one page."""
    key, data = captures.document_key(media_id, DIGEST, "pdf"), simple_pdf("A page.")
    await saving.kept.blobs.put(key, data, "application/pdf")
    sizes = (PageSize(600, 800),)
    facts = DocumentFacts(DocumentType.PDF, 1, sizes, (0,), (), "", has_text=True, is_cut=False)
    with writing(saving.kept.database) as tx:
        made = captures.NewCapture(CaptureFormat.DOCUMENT, key, "application/pdf", len(data), DIGEST)
        captures.put_capture(tx, media_id, made, None, utc_now())
        media.put_document(tx, media_id, facts)
        media.update_media(tx, media_id, utc_now(), kind=MediaKind.PDF)


def fill(text: str, ids: dict[str, str]) -> str:
    for name, value in ids.items():
        text = text.replace(f"{{{name}:uuid}}", value).replace(f"{{{name}}}", value)
    return text


async def ask(person: Person, route: str, row: Row, ids: dict[str, str]) -> Any:
    method, path = route.split(" ")
    if row.document:
        ids = ids | {"item_id": ids["document_item_id"]}
    if row.failed:
        ids = ids | {"media_id": ids["failed_media_id"], "item_id": ids["failed_item_id"]}
    body = {name: fill(value, ids) if isinstance(value, str) else value for name, value in (row.body or {}).items()}
    return await person.call(method, fill(path, ids), body or None)


def make_nowhere(ids: dict[str, str]) -> dict[str, str]:
    """Ids of nothing."""
    ours = {name: str(uuid4()) if name.endswith("_id") else value for name, value in ids.items()}
    return ours | {name: write_id(uuid4()) for name in ("bookmark_id", "annotation_id")}


def without_request_id(answer: Any) -> Any:
    """Other programs' errors have none."""
    if answer.json is None or "error" not in answer.json:
        return answer.status, answer.body
    return answer.status, answer.json["error"] | {"request_id": ""}


ROWS = [pytest.param(route, row, id=route) for route, row in sorted(TABLE.items())]


@pytest.mark.parametrize(("route", "row"), ROWS)
async def test_what_team_holds_is_for_its_members_and_changed_by_its_admins(world: World, route: str, row: Row) -> None:
    nowhere = make_nowhere(world.team)
    for person, expected in ((world.eve, row.eve), (world.bob, row.bob), (world.ann, row.ann)):
        absent = await ask(person, route, row, nowhere)
        answer = await ask(person, route, row, world.team)
        if person is world.bob and expected == row.ann and route.startswith(("POST", "DELETE")):
            assert answer.status == expected  # done, and not to be done twice
            return
        assert answer.status == expected, (person.user, answer.body)
        assert absent.status == 404
        if expected == 404:
            assert without_request_id(answer) == without_request_id(absent)


@pytest.mark.parametrize(("route", "row"), ROWS)
async def test_what_ann_alone_holds_is_there_for_nobody_else(world: World, route: str, row: Row) -> None:
    nowhere = make_nowhere(world.private)
    for person in (world.bob, world.eve):
        answer, absent = await ask(person, route, row, world.private), await ask(person, route, row, nowhere)
        assert answer.status == 404, answer.body
        assert without_request_id(answer) == without_request_id(absent)


@pytest.mark.parametrize("route", sorted(CHOOSES_LIBRARY))
async def test_a_library_named_in_the_body_is_guarded_like_one_in_the_path(world: World, route: str) -> None:
    method, path = route.split(" ")
    for person, library_id, expected in (
        (world.bob, world.team["library_id"], 403),
        (world.eve, world.team["library_id"], 404),
        (world.bob, world.private["library_id"], 404),
        (world.eve, str(uuid4()), 404),
    ):
        answer = await person.call(method, path, CHOOSES_LIBRARY[route] | {"library_id": library_id})
        assert answer.status == expected
    for path in (
        "/api/v1/items?",
        "/api/v1/tags?",
        "/api/v1/search?q=team&",
        "/api/v1/export?",
        "/api/v1/export?format=csv&",
    ):
        asked = f"{path}library_id={world.team['library_id']}"
        assert [(await who.get(asked)).status for who in (world.bob, world.eve)] == [200, 404]


@pytest.mark.requirement("Kept", "two users of one page see only their own words; one can remove it without the other")
async def test_two_users_one_page_each_sees_only_their_own_words(
    saving: RunningKept, world: World, origin: Origin
) -> None:
    words = {"note": "Eve's secret", "tags": ["eves"], "title": "Eve's"}
    eves = await world.eve.save(origin.url("/own"), **words)
    assert eves["media_id"] == world.private["media_id"]
    anns = await world.ann.get(f"/api/v1/items/{world.private['item_id']}")
    media = await world.ann.get(f"/media/{world.private['media_id']}")
    assert not any(secret in (anns.body + media.body).decode() for secret in ("Eve", "eves", eves["id"]))
    for query in ("secret", "eves", "tag:eves", "own"):
        found = [(await who.get(f"/api/v1/search?q={query}")).body.decode() for who in (world.ann, world.bob)]
        assert not any(word in body for body in found for word in ("Eve", "eves", eves["id"])), query
    assert [item["id"] for item in (await world.eve.get("/api/v1/search?q=secret")).data] == [eves["id"]]
    assert (await world.ann.delete(f"/api/v1/items/{world.private['item_id']}")).status == 204
    assert (await world.ann.get(f"/media/{eves['media_id']}/fragments")).status == 404
    for path in (f"/media/{eves['media_id']}/fragments", f"/api/images/{world.private['image_id']}"):
        assert (await world.eve.get(path)).status == 200
