"""OPDS as KOReader uses it: HEAD then GET with Basic, Atom read by a lexer, acquisitions by path."""

import base64
import io
import zipfile
from xml.etree import ElementTree

import pytest
from aiohttp import web

from kept.domain.account import Scope
from support.builders.articles import ingest
from support.builders.pictures import picture
from support.servers.origin import Origin
from support.servers.serving import Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "Readeck's clients, OPDS and MCP")

ATOM = "{http://www.w3.org/2005/Atom}"
OPDS = "{http://opds-spec.org/2010/catalog}"
ACQUIRE = "http://opds-spec.org/acquisition"
TITLE = "静夜思 <b>&amp; moon</b>"


def basic(person: Person) -> Person:
    """Any user name, a token as the password; KOReader sends it unasked."""
    sent = base64.b64encode(f"anything:{person.token}".encode()).decode()
    return Person(person.address, None, person.user, {"Authorization": f"Basic {sent}", "Accept-Encoding": "identity"})


async def keep(saving: RunningKept, ann: Person, origin: Origin, path: str, **fields: object) -> dict[str, str]:
    item = await ann.save(origin.page(path, f"<title>{path}</title>"), **fields)
    ingest(
        saving.kept.database,
        item["media_id"],
        f'<p>Words of {path}.</p><img src="{path}.png">',
        base_url=origin.url(path),
    )
    return dict(item)


def links(feed: bytes, rel: str) -> list[dict[str, str]]:
    return [link.attrib for link in ElementTree.fromstring(feed).iter(f"{ATOM}link") if link.attrib["rel"] == rel]


def titles(feed: bytes) -> list[str | None]:
    return [entry.findtext(f"{ATOM}title") for entry in ElementTree.fromstring(feed).iter(f"{ATOM}entry")]


async def test_koreader_browses_from_the_root_to_a_book(saving: RunningKept, ann: Person, origin: Origin) -> None:
    await keep(saving, ann, origin, "/a", title=TITLE, tags=["to read/夜"])
    reader = basic(ann)
    root = await reader.get("/opds")
    assert root.headers["Content-Type"].startswith("application/atom+xml")
    assert "Last-Modified" not in root.headers  # exact or omitted: KOReader caches on it
    assert root.body.startswith(b"<?xml")  # a brace would be read as OPDS 2.0
    paths = {link["href"].removeprefix(f"{reader.address}") for link in links(root.body, "subsection")}
    assert paths == {f"/opds/{name}" for name in ("unread", "favourites", "all", "archive", "libraries", "tags")}
    [search] = links(root.body, "search")
    assert search["href"].endswith("/opds/search?q={searchTerms}")
    assert search["type"] == "application/atom+xml"
    for path in ("/opds/unread", "/opds/unread/", "/opds/all", "/opds/search?q=words"):
        feed = await reader.get(path)
        assert titles(feed.body) == [TITLE], path
        [book] = links(feed.body, ACQUIRE)
        assert book["type"] == "application/epub+zip"
        assert book["href"].endswith(".epub")
    for nav in ("/opds/tags", "/opds/libraries"):
        for link in links((await reader.get(nav)).body, "subsection"):
            assert titles((await reader.get(link["href"].removeprefix(reader.address))).body) == [TITLE]
    path = book["href"].removeprefix(reader.address)
    asked = await reader.call("HEAD", path)
    assert (asked.status, asked.body) == (200, b"")
    assert 'filename="b-amp-moon-b.epub"' in asked.headers["Content-Disposition"]
    file = await reader.get(path)
    assert file.status == 200
    assert file.headers["Content-Type"] == "application/epub+zip"
    page = zipfile.ZipFile(io.BytesIO(file.body)).read("EPUB/article-000001.xhtml").decode()
    assert "</header>\n<main><p>Words of /a.</p>" in page


@pytest.mark.parametrize(
    "path", ["/opds", "/opds/", "/opds/tags/", "/opds/libraries", "/opds/nothing", "/opds/next.epub"]
)
async def test_no_path_is_ever_redirected_and_each_needs_a_token(saving: RunningKept, ann: Person, path: str) -> None:
    refused = await saving.nobody.get(path)
    assert refused.status == 401
    assert refused.headers["WWW-Authenticate"].startswith("Basic")
    wrong = await basic(Person(ann.address, "kept_wrong")).get(path)
    assert wrong.status == 401
    assert (await basic(ann).get(path)).status == (404 if path.endswith("nothing") else 200)
    assert (await basic(ann).call("HEAD", path)).status == (404 if path.endswith("nothing") else 200)


async def test_a_cookie_or_a_token_that_may_only_read_is_what_it_is(saving: RunningKept, ann: Person) -> None:
    assert ann.user is not None
    reader = await saving.give_token(ann.user, {Scope.READ})
    assert (await basic(reader).get("/opds")).status == 200
    assert (await reader.get("/opds")).status == 200  # as bearer too


async def test_a_catalogue_is_paged_by_next_links_of_the_same_type_and_ordered_by_facets(
    saving: RunningKept, ann: Person, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kept.compat.opds.routes.PAGE", 2)
    for number in range(5):
        await keep(saving, ann, origin, f"/{number}")
    await ann.save(origin.page("/waiting", "<title>not ready</title>"))
    reader = basic(ann)
    newest = [f"/{number}" for number in (4, 3, 2, 1, 0)]
    assert await page_through(reader, "/opds/unread") == newest  # newest first, each with an acquisition
    facets = links((await reader.get("/opds/unread")).body, "http://opds-spec.org/facet")
    groups = {(facet[f"{OPDS}facetGroup"], facet["title"]): facet for facet in facets}
    assert [key for key, facet in groups.items() if facet.get(f"{OPDS}activeFacet")] == [
        ("Show", "Unread"),
        ("Order", "Newest first"),
    ]
    oldest = groups["Order", "Oldest first"]["href"].removeprefix(reader.address)
    assert await page_through(reader, oldest) == newest[::-1]
    assert await page_through(reader, groups["Show", "Archive"]["href"].removeprefix(reader.address)) == []


async def page_through(reader: Person, path: str) -> list[str | None]:
    seen, types = list[str | None](), set[str]()
    while path:
        feed = await reader.get(path)
        types.add(feed.headers["Content-Type"])
        seen += titles(feed.body)
        following = links(feed.body, "next")
        types |= {link["type"] for link in following}
        path = following[0]["href"].removeprefix(reader.address) if following else ""
    assert len(types) == 1
    return seen


async def test_the_next_unread_articles_are_one_book_with_chapters(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    kept = [await keep(saving, ann, origin, f"/{number}") for number in range(12)]
    await ann.patch(f"/api/v1/items/{kept[11]['id']}", {"is_read": True})
    await ann.patch(f"/api/v1/items/{kept[10]['id']}", {"is_archived": True})
    book = await basic(ann).get("/opds/next.epub")
    assert book.status == 200
    archive = zipfile.ZipFile(io.BytesIO(book.body))
    assert archive.testzip() is None
    chapters = [name for name in archive.namelist() if name.startswith("EPUB/article")]
    assert len(chapters) == 10
    assert "Words of /9." in archive.read(chapters[0]).decode()
    nobody_reads = await saving.make_person("zoe")
    empty = await basic(nobody_reads).get("/opds/next.epub")
    assert "Nothing kept yet" in zipfile.ZipFile(io.BytesIO(empty.body)).read("EPUB/article-000001.xhtml").decode()


async def test_covers_load_without_a_token_and_for_nobody_who_guesses(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    async def serve(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=picture(), content_type="image/png")

    origin.on("/c.png", serve)
    item = await ann.save(origin.page("/c", '<meta property="og:image" content="/c.png"><title>C</title>'))
    ingest(saving.kept.database, item["media_id"], "<p>x</p>")
    feed = await basic(ann).get("/opds/all")
    [cover] = links(feed.body, "http://opds-spec.org/image")
    path = cover["href"].removeprefix(ann.address)
    found = await saving.nobody.get(path)
    assert (found.status, found.headers["Content-Type"]) == (200, "image/webp")
    assert found.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    for forged in (path[:-1] + ("0" if path[-1] != "0" else "1"), path.replace("/cover/", "/image/"), path + "0"):
        assert (await saving.nobody.get(forged)).status == 404
    bob = await saving.make_person("bob")
    assert bob.user is not None
    assert ann.user is not None
    assert (await saving.nobody.get(path.replace(str(ann.user.id), str(bob.user.id)))).status == 404


async def test_somebody_elses_library_and_article_are_not_there(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    item = await keep(saving, ann, origin, "/own")
    eve = basic(await saving.make_person("eve"))
    for path in (f"/opds/items/{item['id']}.epub", f"/opds/libraries/{item['library_id']}"):
        assert (await basic(ann).get(path)).status == 200
        assert (await eve.get(path)).status == 404
    assert titles((await eve.get("/opds/search?q=words")).body) == []


ODD = ("tags/%00", f"tags/{'x' * 5000}", "search?q=%00%EF%BF%BF%ff", "unread?cursor=AAAA", "items/x.epub")


@pytest.mark.parametrize("path", ODD)
async def test_odd_requests_are_refused_in_plain_text(ann: Person, path: str) -> None:
    answer = await basic(ann).get(f"/opds/{path}")
    assert answer.status in {200, 400, 404}
    assert not answer.body.startswith(b"{")
