"""Removing a user: what is theirs alone goes, what others share stays and stays in somebody's hands."""

import asyncio
from uuid import UUID

import pytest
from sqlalchemy import select

from kept.clock import utc_now
from kept.domain.account import Scope, User, Viewer
from kept.domain.errors import Conflict
from kept.domain.library import Role
from kept.services.accounts.users import remove_user
from kept.services.libraries.libraries import create_library
from kept.services.libraries.members import add_member
from kept.storage import libraries, users
from kept.storage.blobs.store import BlobStore, DiskBlobs
from kept.storage.database.engine import Database
from kept.storage.tables import items, media
from support.builders import rows
from support.builders.accounts import make_token, make_user
from support.fixtures.transactions import reading, writing

pytestmark = pytest.mark.requirement("Kept", "removing a user removes nothing that is shared")


@pytest.fixture
def blobs(tmp_path: object) -> BlobStore:
    return DiskBlobs(tmp_path / "blobs")  # type: ignore[operator]


async def make_shared(database: Database, owner: User, *members: tuple[User, Role]) -> UUID:
    viewer = Viewer(owner, frozenset(Scope))
    library = await database.write(create_library, viewer, name="Team", now=utc_now())
    for member, role in members:
        await database.write(add_member, viewer, library.id, user_name=member.name, role=role, now=utc_now())
    return library.id


def put_item(database: Database, library_id: UUID) -> UUID:
    with writing(database) as tx:
        return rows.insert_item(tx, library_id, rows.insert_media(tx))


def own_library(database: Database, user: User) -> UUID:
    return database.run_read(libraries.get_default_library_id, user.id)


async def test_their_own_library_and_tokens_go_and_other_peoples_stay(database: Database, blobs: BlobStore) -> None:
    make_user(database, "root", is_admin=True)
    ann, bob = make_user(database, "ann"), make_user(database, "bob")
    await make_token(database, ann)
    gone, kept = put_item(database, own_library(database, ann)), put_item(database, own_library(database, bob))
    removal = await remove_user(database, blobs, ann, now=utc_now())
    assert (removal.deleted_items, removal.tokens, removal.handovers) == (1, 1, [])
    with reading(database) as tx:
        assert users.find_user_by_name(tx, "ann") is None
        assert users.list_tokens(tx, ann.id) == []
        assert set(tx.execute(select(items.c.id)).scalars()) == {kept}
        assert gone != kept
        assert len(list(tx.execute(select(media.c.id)))) == 2, "pages are left to the clean-up"


async def test_a_shared_library_goes_to_another_admin_before_an_older_member(
    database: Database, blobs: BlobStore
) -> None:
    ann, bob, eve = [make_user(database, name, is_admin=name == "eve") for name in ("ann", "bob", "eve")]
    library_id = await make_shared(database, ann, (bob, Role.MEMBER), (eve, Role.ADMIN))
    item_id = put_item(database, library_id)
    removal = await remove_user(database, blobs, ann, now=utc_now())
    assert [handover.successor.user_name for handover in removal.handovers] == ["eve"]
    with reading(database) as tx:
        found = libraries.find_library(tx, library_id, eve.id)
        assert found is not None
        assert (found[0].owner_id, found[1]) == (eve.id, Role.ADMIN)
        assert tx.scalar(select(items.c.library_id).where(items.c.id == item_id)) == library_id
        assert [member.user_name for member in libraries.list_members(tx, library_id)] == ["bob", "eve"]


async def test_a_library_whose_only_admin_leaves_gets_the_oldest_member_as_admin(
    database: Database, blobs: BlobStore
) -> None:
    ann, eve, bob = [make_user(database, name, is_admin=name == "bob") for name in ("ann", "eve", "bob")]
    library_id = await make_shared(database, ann, (eve, Role.MEMBER), (bob, Role.MEMBER))
    await remove_user(database, blobs, ann, now=utc_now())
    with reading(database) as tx:
        roles = {member.user_name: member.role for member in libraries.list_members(tx, library_id)}
    assert roles == {"bob": Role.MEMBER, "eve": Role.ADMIN}


async def test_a_shared_library_nobody_else_is_in_goes_too(database: Database, blobs: BlobStore) -> None:
    make_user(database, "root", is_admin=True)
    ann = make_user(database, "ann")
    library_id = await make_shared(database, ann)
    removal = await remove_user(database, blobs, ann, now=utc_now())
    assert library_id in {library.id for library in removal.deleted}


async def test_the_only_administrator_stays_while_there_are_others(database: Database, blobs: BlobStore) -> None:
    root, ann = make_user(database, "root", is_admin=True), make_user(database, "ann")
    with pytest.raises(Conflict, match="root is the only administrator"):
        await remove_user(database, blobs, root, now=utc_now())
    await remove_user(database, blobs, ann, now=utc_now())
    await remove_user(database, blobs, root, now=utc_now())
    assert database.run_read(users.list_users) == []


async def test_of_two_administrators_removed_at_once_one_stays(database: Database, blobs: BlobStore) -> None:
    roots = [make_user(database, name, is_admin=True) for name in ("root", "toor")]
    make_user(database, "ann")
    removals = [remove_user(database, blobs, user, now=utc_now()) for user in roots]
    outcomes = await asyncio.gather(*removals, return_exceptions=True)
    assert sorted(isinstance(outcome, Conflict) for outcome in outcomes) == [False, True]
    assert sum(user.is_admin for user in database.run_read(users.list_users)) == 1
