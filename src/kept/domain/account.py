"""Accounts: users, what a credential allows, and what a name and a password must look like."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from kept.domain.errors import Conflict, InvalidRequest
from kept.domain.printable import parse_line
from kept.domain.unicode_forms import normalise_within

MIN_PASSWORD_LENGTH: Final = 10  # long enough that the login limit makes guessing hopeless
MAX_PASSWORD_LENGTH: Final = 1024  # argon2 hashes every byte it is given
TOKEN_PREFIX: Final = "kept_"  # noqa: S105  lets leak scanners recognise a token
MAX_NAME_LENGTH: Final = 64
# "Last used" to the minute is enough for people, and spares a write for every request.
TOUCH_EVERY: Final = timedelta(minutes=1)
NAME_PATTERN: Final = re.compile(rf"[\w][\w.@-]{{0,{MAX_NAME_LENGTH - 1}}}")


class Scope(StrEnum):
    """What a token may do. `admin` includes `write`, which includes the other two."""

    READ = "read"
    SAVE = "save"
    """What a browser extension needs: save, look up by URL, complete tags; nothing is listed, searched or read."""
    WRITE = "write"
    ADMIN = "admin"


INCLUDED: Final = {
    Scope.READ: frozenset({Scope.READ}),
    Scope.SAVE: frozenset({Scope.SAVE}),
    Scope.WRITE: frozenset({Scope.READ, Scope.WRITE}),
    Scope.ADMIN: frozenset({Scope.READ, Scope.WRITE, Scope.ADMIN}),
}


@dataclass(frozen=True, slots=True)
class User:
    id: UUID
    name: str
    is_admin: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Viewer:
    """The person behind a request, and how far their credential reaches."""

    user: User
    scopes: frozenset[Scope]
    session_id: UUID | None = None

    @property
    def user_id(self) -> UUID:
        return self.user.id

    def may(self, scope: Scope) -> bool:
        if scope is Scope.SAVE and Scope.WRITE in self.scopes:
            return True
        return scope in self.scopes and (scope is not Scope.ADMIN or self.user.is_admin)


@dataclass(frozen=True, slots=True)
class ApiToken:
    id: UUID
    name: str
    scopes: frozenset[Scope]
    created_at: datetime
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class Session:
    id: UUID
    user_agent: str
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime


def is_due_for_touch(last_seen_at: datetime | None, now: datetime) -> bool:
    """Whether the use of a credential is to be noted once more."""
    return last_seen_at is None or now - last_seen_at >= TOUCH_EVERY


def parse_scopes(names: list[str]) -> frozenset[Scope]:
    try:
        return frozenset().union(*(INCLUDED[Scope(name.strip())] for name in names))
    except ValueError:
        raise InvalidRequest(f"Scopes are {', '.join(Scope)}.") from None


def parse_user_name(text: str) -> str:
    """Names are compared without case and in one Unicode form, so that nobody can pass for somebody else."""
    name = (normalise_within(text.strip(), "NFKC", MAX_NAME_LENGTH) or "").strip().casefold()
    if not NAME_PATTERN.fullmatch(name):
        raise InvalidRequest("A user name is 1 to 64 letters, digits or . _ @ - and begins with a letter or digit.")
    return name


def parse_password(text: str) -> str:
    if not MIN_PASSWORD_LENGTH <= len(text) <= MAX_PASSWORD_LENGTH:
        raise InvalidRequest(f"A password has at least {MIN_PASSWORD_LENGTH} characters.")
    return text


def parse_display_name(text: str, what: str) -> str:
    name = parse_line(text)
    if name is None or len(name) > 200:
        raise InvalidRequest(f"{what} is 1 to 200 printable characters.")
    return name


def require_another_administrator(users: list[User], leaving: User) -> None:
    """The others could no longer have users added. The only user may go: the next start offers a set-up link."""
    others = [user for user in users if user.id != leaving.id]
    if others and leaving.is_admin and not any(user.is_admin for user in others):
        raise Conflict(f"{leaving.name} is the only administrator: `kept user add NAME --admin` makes another one.")
