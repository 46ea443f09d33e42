"""How an app gets a token without anybody typing one: by a code for a device, or by a page and PKCE (RFC 8628, 7636).

What the app gets in the end is an API token of Kept's own, in the person's list of tokens.
"""

import hashlib
import re
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hmac import compare_digest
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from kept.domain.account import INCLUDED, Scope
from kept.domain.errors import InvalidRequest

GRANT_SECONDS: Final = 300
GRANT_VALID_FOR: Final = timedelta(seconds=GRANT_SECONDS)
POLL_SECONDS: Final = 5
CLIENT_VALID_FOR: Final = timedelta(days=1)
# There are no vowels, so that no word comes out, and no letters that are mistaken for others.
USER_CODE_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
USER_CODE_LENGTH: Final = 8
MAX_REDIRECTS: Final = 10
MAX_REDIRECT_LENGTH: Final = 500
SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]{1,60}")
# What a browser would run or open by itself instead of handing it to an app.
REFUSED_SCHEMES: Final = frozenset(
    {"javascript", "data", "file", "vbscript", "blob", "about", "filesystem", "view-source"}
)
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")


class GrantState(StrEnum):
    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"


class OAuthError(StrEnum):
    """Why there is no token, in the words of the specifications."""

    INVALID_REQUEST = "invalid_request"
    INVALID_CLIENT = "invalid_client"
    INVALID_GRANT = "invalid_grant"
    UNSUPPORTED_GRANT_TYPE = "unsupported_grant_type"
    AUTHORIZATION_PENDING = "authorization_pending"
    SLOW_DOWN = "slow_down"
    ACCESS_DENIED = "access_denied"
    EXPIRED_TOKEN = "expired_token"  # noqa: S105  a word of the specification


@dataclass(frozen=True, slots=True)
class OAuthClient:
    id: UUID
    name: str
    redirect_uris: tuple[str, ...]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Grant:
    """An app's request for access, and its state."""

    id: UUID
    client: OAuthClient
    scope: str
    state: GrantState
    user_code: str | None
    code_challenge: str | None
    redirect_uri: str | None
    user_id: UUID | None
    polled_at: datetime | None
    expires_at: datetime

    @property
    def scopes(self) -> frozenset[Scope]:
        return scopes_of(self.scope)


def scopes_of(scope: str) -> frozenset[Scope]:
    """Return the scopes for words such as `bookmarks:read bookmarks:write`: reading, unless one asks to write."""
    return INCLUDED[Scope.WRITE if "write" in scope else Scope.READ]


def parse_client_name(text: str) -> str:
    shown = "".join(letter for letter in " ".join(text.split()) if letter.isprintable())
    return shown[:60] or "An app"


def parse_redirect_uris(uris: list[str]) -> tuple[str, ...]:
    if len(uris) > MAX_REDIRECTS or not all(is_redirect_uri(uri) for uri in uris):
        raise InvalidRequest("A redirect_uri is https, a scheme of the app's own, or http on this very device.")
    return tuple(uris)


def is_redirect_uri(uri: str) -> bool:
    if len(uri) > MAX_REDIRECT_LENGTH or not uri.isascii() or not uri.isprintable() or " " in uri:
        return False
    try:
        parts = urlsplit(uri)
        host = parts.hostname
    except ValueError:
        return False
    if not SCHEME.fullmatch(parts.scheme) or parts.scheme in REFUSED_SCHEMES or parts.fragment:
        return False
    if parts.scheme == "http":
        return host in LOOPBACK
    return bool(host) if parts.scheme == "https" else True


def is_registered(client: OAuthClient, uri: str) -> bool:
    """Return whether the app registered this URI; on this very device the port may differ each time (RFC 8252)."""
    return is_redirect_uri(uri) and _without_port(uri) in {_without_port(known) for known in client.redirect_uris}


def _without_port(uri: str) -> str:
    parts = urlsplit(uri)
    if parts.scheme != "http":
        return uri
    return parts._replace(netloc=parts.hostname or "").geturl()


def parse_user_code(text: str) -> str:
    """Parse a user code as somebody typed it: in any case, with or without the hyphen."""
    return "".join(letter for letter in text[:64].upper() if letter in USER_CODE_LETTERS)


def show_user_code(code: str) -> str:
    return f"{code[:4]}-{code[4:]}"


def is_verified(challenge: str, verifier: str) -> bool:
    """Return whether the verifier is the one whose hash the app sent before (S256)."""
    digest = hashlib.sha256(verifier.encode("utf-8", "replace")).digest()
    return compare_digest(urlsafe_b64encode(digest).decode().rstrip("="), challenge)
