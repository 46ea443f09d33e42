"""What removing a user means for libraries: which go with them, and who takes the others over."""

from dataclasses import dataclass

from kept.domain.account import User
from kept.domain.library import Library, Member, Role
from kept.storage import exports, libraries, users
from kept.storage.database.engine import Connection
from kept.storage.exports import Selection


@dataclass(frozen=True, slots=True)
class Handover:
    """A shared library that stays, and who answers for it from now on."""

    library: Library
    successor: Member


@dataclass(frozen=True, slots=True)
class UserRemoval:
    user: User
    deleted: list[Library]
    """Their own library, and shared ones that have no other member."""
    deleted_items: int
    handovers: list[Handover]
    tokens: int


def plan_user_removal(tx: Connection, user: User) -> UserRemoval:
    deleted, handovers = list[Library](), list[Handover]()
    for library, role in libraries.list_libraries(tx, user.id):
        successor = libraries.find_successor(tx, library.id, user.id)
        if library.is_default or successor is None:
            deleted.append(library)
        elif library.owner_id == user.id or (role is Role.ADMIN and successor.role is not Role.ADMIN):
            handovers.append(Handover(library, successor))
    items = exports.count_items(tx, user.id, [library.id for library in deleted], Selection.LISTED)
    return UserRemoval(user, deleted, items, handovers, len(users.list_tokens(tx, user.id)))
