"""Users and API tokens in a database, without the pages and their rules for passwords."""

from argon2 import PasswordHasher

from kept.clock import utc_now
from kept.domain.account import Scope, User, Viewer
from kept.services.accounts.tokens import create_token
from kept.services.accounts.users import insert_user_with_library
from kept.storage.database.engine import Database

# The cheapest argon2 there is: tests are about our rules, not about its strength.
PASSWORD = "correct horse battery"
PASSWORD_HASH = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)


def make_user(database: Database, name: str = "ann", *, is_admin: bool = False) -> User:
    return database.run_write(
        insert_user_with_library, name=name, password_hash=PASSWORD_HASH, is_admin=is_admin, now=utc_now()
    )


def make_viewer(database: Database, name: str = "ann") -> Viewer:
    return Viewer(make_user(database, name), frozenset(Scope))


async def make_token(database: Database, user: User, scopes: set[Scope] | None = None) -> str:
    """By default one that may do whatever the user may."""
    allowed = frozenset(Scope) if user.is_admin else frozenset({Scope.READ, Scope.WRITE})
    viewer, wanted = Viewer(user, frozenset(Scope)), frozenset(scopes or allowed)
    _, token = await database.write(create_token, viewer, name="test", scopes=wanted, now=utc_now())
    return token
