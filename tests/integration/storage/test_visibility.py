from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select

from kept.domain.library import can_view
from kept.ids import new_id
from kept.storage import tables
from kept.storage.database.engine import Connection, Database
from kept.storage.visibility import visible_to
from support.builders import rows
from support.fixtures.transactions import writing

pytestmark = pytest.mark.requirement("002", "§12 no read bypasses `can_view`")

subsets = st.frozensets(st.integers(0, 3))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(member_of=subsets, held_by=subsets)
def test_sql_and_the_rule_agree_on_who_may_see(
    database: Database, member_of: frozenset[int], held_by: frozenset[int]
) -> None:
    with writing(database) as tx:
        for table in (tables.media, tables.users):
            tx.execute(delete(table))
        owner_id, _ = rows.insert_user(tx, "owner")
        viewer_id, _ = rows.insert_user(tx, "viewer")
        libraries = make_libraries(tx, owner_id, viewer_id, member_of)
        media_id = rows.insert_media(tx)
        for number in held_by:
            rows.insert_item(tx, libraries[number], media_id)
        seen = tx.execute(select(tables.media.c.id).where(visible_to(viewer_id))).all()
    assert bool(seen) == can_view({libraries[n] for n in member_of}, {libraries[n] for n in held_by})


def make_libraries(tx: Connection, owner_id: UUID, viewer_id: UUID, member_of: frozenset[int]) -> list[UUID]:
    libraries = [new_id() for _ in range(4)]
    for number, library_id in enumerate(libraries):
        rows.insert_library(tx, owner_id, library_id)
        if number in member_of:
            membership = {"library_id": library_id, "user_id": viewer_id, "role": "member", "created_at": rows.AT}
            tx.execute(tables.library_members.insert().values(membership))
    return libraries
