"""The rules that keep libraries sound."""

from uuid import UUID

import pytest

from kept.domain.errors import Conflict, Forbidden, NotFound
from kept.domain.library import Library, Member, Role, require_admin, require_another_admin, require_shared
from support.builders.values import NOON

ANN, BEN, LIBRARY = UUID(int=1), UUID(int=2), UUID(int=3)


def test_a_library_one_is_no_member_of_does_not_exist() -> None:
    with pytest.raises(NotFound):
        require_admin(None)


def test_a_member_may_see_and_not_change() -> None:
    with pytest.raises(Forbidden):
        require_admin(Role.MEMBER)
    require_admin(Role.ADMIN)


def test_a_personal_library_is_neither_shared_nor_removed() -> None:
    with pytest.raises(Conflict):
        require_shared(Library(LIBRARY, "Mine", ANN, is_default=True, created_at=NOON, updated_at=NOON))


def test_the_last_admin_stays() -> None:
    ann, ben = Member(LIBRARY, ANN, "ann", Role.ADMIN), Member(LIBRARY, BEN, "ben", Role.MEMBER)
    with pytest.raises(Conflict):
        require_another_admin([ann, ben], leaving=ANN)
    require_another_admin([ann, ben], leaving=BEN)
