"""Accounts: users, what a credential allows, and what a name and a password must look like."""

import base64
import hashlib
import hmac
import re
import string
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from kept.domain.errors import Conflict, InvalidRequest
from kept.domain.text import normalise_within, parse_line

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
    """The scope of a browser extension: save, look up by URL, complete tags; it lists, searches and reads nothing."""
    WRITE = "write"
    ADMIN = "admin"


INCLUDED: Final = {
    Scope.READ: frozenset({Scope.READ}),
    Scope.SAVE: frozenset({Scope.SAVE}),
    Scope.WRITE: frozenset({Scope.READ, Scope.WRITE}),
    Scope.ADMIN: frozenset({Scope.READ, Scope.WRITE, Scope.ADMIN}),
}
PURPOSE: Final = b"kept device "


class TokenKind(StrEnum):
    """The kind of a token, which decides what it is accepted for."""

    API = "api"
    """An API token, which a person made or allowed an app to have (OAuth). It is valid until it is revoked."""
    ACCESS = "access"
    """A short-lived token that an app got for an API token and sends with every request."""
    REFRESH = "refresh"
    """A token that an app got for an API token and trades for new ones."""


# How long the tokens are valid that an app gets for an API token.
VALID_FOR: Final = {TokenKind.ACCESS: timedelta(hours=1), TokenKind.REFRESH: timedelta(days=14)}
# An app that asks anew each minute has 60 that are valid; many devices may share one API token.
MOST_PER_KIND: Final = 500
CODE_VALID_FOR: Final = timedelta(minutes=5)
CONNECTED_SCOPES: Final = frozenset({Scope.SAVE})
CHALLENGE_LENGTH: Final = 43  # sha256 in base64url, without padding
MAX_STATE_LENGTH: Final = 128
URL_SAFE: Final = frozenset(string.ascii_letters + string.digits + "-_")


@dataclass(frozen=True, slots=True)
class User:
    id: UUID
    name: str
    is_admin: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Viewer:
    """The person behind a request, and the scopes of their credential."""

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


@dataclass(frozen=True, slots=True)
class AppTokens:
    """The tokens that an app is handed once."""

    access: str
    refresh: str

    @property
    def valid_seconds(self) -> int:
        return int(VALID_FOR[TokenKind.ACCESS].total_seconds())


def is_due_for_touch(last_seen_at: datetime | None, now: datetime) -> bool:
    """Return whether the use of a credential is to be recorded once more."""
    return last_seen_at is None or now - last_seen_at >= TOUCH_EVERY


def parse_scopes(names: list[str]) -> frozenset[Scope]:
    try:
        return frozenset().union(*(INCLUDED[Scope(name.strip())] for name in names))
    except ValueError:
        raise InvalidRequest("Scopes are %(scopes)s.", scopes=", ".join(Scope)) from None


def parse_user_name(text: str) -> str:
    """Parse a user name, without case and in one Unicode form, so that nobody can pass for somebody else."""
    name = (normalise_within(text.strip(), "NFKC", MAX_NAME_LENGTH) or "").strip().casefold()
    if not NAME_PATTERN.fullmatch(name):
        raise InvalidRequest("A user name is 1 to 64 letters, digits or . _ @ - and begins with a letter or digit.")
    return name


def parse_password(text: str) -> str:
    if not MIN_PASSWORD_LENGTH <= len(text) <= MAX_PASSWORD_LENGTH:
        raise InvalidRequest(
            "A password has at least %(min_password_length)s characters.", min_password_length=MIN_PASSWORD_LENGTH
        )
    return text


def parse_display_name(text: str, what: str) -> str:
    name = parse_line(text)
    if name is None or len(name) > 200:
        raise InvalidRequest("%(what)s is 1 to 200 printable characters.", what=what)
    return name


def require_another_administrator(users: list[User], leaving: User) -> None:
    """Require another administrator, unless the only user leaves: the next start then offers a set-up link."""
    others = [user for user in users if user.id != leaving.id]
    if others and leaving.is_admin and not any(user.is_admin for user in others):
        raise Conflict(
            "%(name)s is the only administrator: `kept user add NAME --admin` makes another one.", name=leaving.name
        )


def make_device_mark(device_id: str, password_hash: str) -> str:
    """Make the mark of a device on which somebody signed in, which is valid until their password changes.

    It is signed with the stored password hash, which holds a random salt that nobody outside knows.
    """
    return f"{device_id}.{_sign(device_id, password_hash)}"


def find_device_id(mark: str, password_hash: str) -> str | None:
    """Return the id in the mark, if it was made with this password hash."""
    device_id, _, signature = mark.partition(".")
    is_genuine = hmac.compare_digest(signature.encode(), _sign(device_id, password_hash).encode())
    return device_id if is_genuine else None


def _sign(device_id: str, password_hash: str) -> str:
    return hmac.new(password_hash.encode(), PURPOSE + device_id.encode(), hashlib.sha256).hexdigest()


def parse_challenge(text: str) -> str:
    """Parse the challenge of a browser extension that asks for a token.

    The extension keeps a random verifier and shows only its hash, the challenge (as PKCE does, RFC 7636). The user's
    consent makes a code for that challenge; whoever brings code and verifier within minutes gets the token.
    """
    if len(text) != CHALLENGE_LENGTH or not URL_SAFE.issuperset(text):
        raise InvalidRequest("This link is incomplete. Begin in the extension again.")
    return text


def parse_state(text: str) -> str:
    """Parse the state by which the extension recognises its own request; it comes back in a URL."""
    if not 1 <= len(text) <= MAX_STATE_LENGTH or not URL_SAFE.issuperset(text):
        raise InvalidRequest("This link is incomplete. Begin in the extension again.")
    return text


def answers_challenge(verifier: str, challenge: str) -> bool:
    digest = hashlib.sha256(verifier.encode()).digest()
    made = base64.urlsafe_b64encode(digest).rstrip(b"=")
    return hmac.compare_digest(made, challenge.encode())
