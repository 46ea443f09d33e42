"""The Python client `readeck`, its whole repertoire against a Kept that serves."""

import asyncio
import io
import zipfile
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from readeck import ReadeckClient
from readeck.exceptions import ReadeckAuthError, ReadeckNotFoundError
from readeck.models import BookmarkListParams, BookmarkUpdateRequest, OAuthClientRegistrationRequest
from readeck.oauth import ReadeckOAuthClient

from kept.compat.readeck.bookmarks_out import find_id
from kept.domain.account import Scope, Viewer
from kept.services.accounts.oauth import decide_device_grant, find_device_grant
from support.builders.rows import save_many
from support.servers.origin import Origin
from support.servers.readeck import keep
from support.servers.serving import Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "Readeck's clients, OPDS and MCP")


async def test_the_client_reads_and_changes_everything_it_can(saving: RunningKept, ann: Person, origin: Origin) -> None:
    assert ann.token is not None
    async with ReadeckClient(f"{ann.address}/readeck", ann.token) as client:
        profile = await client.get_user_profile()
        assert profile.user.username == "ann"
        key = await keep(saving, ann, origin, "/a", title="Ünï: a title", tags=["one"])
        [bookmark] = await client.get_bookmarks()
        assert (bookmark.id, bookmark.title, bookmark.labels) == (key, "Ünï: a title", ["one"])
        made = await client.create_bookmark(origin.page("/b", "<title>B</title>"), "Mine", ["x y"])
        assert made.bookmark_id is not None
        assert (await client.get_bookmark(made.bookmark_id)).labels == ["x y"]
        changes = BookmarkUpdateRequest(is_marked=True, is_archived=True, add_labels=["two"], read_progress=30)
        await client.update_bookmark(key, changes)
        found = await client.get_bookmarks(BookmarkListParams(is_marked=True, is_archived=True, labels='"two"'))
        assert [each.id for each in found] == [key]
        assert [label.name for label in await client.get_labels()] == ["one", "two", "x y"]
        exported = await client.export_bookmark_parsed(key)
        assert exported.metadata is not None
        assert (exported.metadata.title, exported.metadata.labels) == ("Ünï: a title", ["one", "two"])
        assert isinstance(exported.metadata.saved, str)  # a date without quotes would be no text
        epub = await client.export_bookmark(key, "epub")
        assert isinstance(epub, bytes)
        assert zipfile.ZipFile(io.BytesIO(epub)).testzip() is None
        media_id = (await ann.get(f"/api/v1/items/{find_id(key)}")).data["media_id"]
        await ann.post(f"/api/v1/media/{media_id}/highlights", {"exact": "harbour"})
        highlights = await client.get_highlights(limit=10)
        assert (highlights.total_count, highlights.items[0].text) == (1, "harbour")
        await client.delete_bookmark(key)
        with pytest.raises(ReadeckNotFoundError):
            await client.get_bookmark(key)
    async with ReadeckClient(f"{ann.address}/readeck", "kept_wrong") as client:
        with pytest.raises(ReadeckAuthError):
            await client.get_user_profile()


async def test_the_client_pages_through_250_bookmarks(saving: RunningKept, ann: Person) -> None:
    assert ann.token is not None
    assert ann.user is not None
    save_many(saving.kept.database, ann.user.id, 250)
    async with ReadeckClient(f"{ann.address}/readeck", ann.token) as client:
        seen: list[str] = []
        while page := await client.get_bookmarks(BookmarkListParams(limit=60, offset=len(seen))):
            seen += [bookmark.id for bookmark in page]
    assert len(seen) == len(set(seen)) == 250


async def test_the_client_gets_a_token_by_the_device_flow(
    saving: RunningKept, ann: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kept.compat.readeck.account.POLL_SECONDS", 1)
    monkeypatch.setattr("kept.services.accounts.oauth.POLL_TOLERANCE", saving.kept.now() - saving.kept.now())
    async with ReadeckOAuthClient(f"{ann.address}/readeck") as client:
        assert (await client.get_info()).supports_oauth
        metadata = await client.get_server_metadata()
        assert urlsplit(str(metadata.device_authorization_endpoint)).path == "/readeck/api/oauth/device"
        wanted = OAuthClientRegistrationRequest(
            client_name="A script", client_uri="https://script.example", software_id="s", software_version="1"
        )
        registered = await client.register_client(wanted)
        asked = await client.start_device_authorization(registered.client_id, "bookmarks:read")
        polling = asyncio.create_task(client.poll_device_token(asked, registered.client_id))
        grant = await saving.kept.read(find_device_grant, asked.user_code, now=saving.kept.now())
        assert grant is not None
        assert ann.user is not None
        viewer = Viewer(ann.user, frozenset(Scope))
        await saving.kept.write(decide_device_grant, viewer, grant, is_approved=True)
        token = await polling
        assert str(UUID(token.id)) == token.id
        async with ReadeckClient(f"{ann.address}/readeck", token.access_token) as reader:
            assert await reader.get_bookmarks() == []
        await client.revoke_token(token.access_token)
        async with ReadeckClient(f"{ann.address}/readeck", token.access_token) as reader:
            with pytest.raises(ReadeckAuthError):
                await reader.get_bookmarks()
