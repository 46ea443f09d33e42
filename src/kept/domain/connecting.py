"""Connecting a browser extension: it gets a token in exchange for a code that is of use to nobody else.

The extension keeps a random verifier to itself and shows only its challenge, the hash of it (as PKCE does, RFC 7636).
The user's consent makes a code for that challenge; whoever brings code and verifier within minutes gets the token.
"""

import base64
import hashlib
import hmac
import string
from datetime import timedelta
from typing import Final

from kept.domain.account import Scope
from kept.domain.errors import InvalidRequest

CODE_VALID_FOR: Final = timedelta(minutes=5)
CONNECTED_SCOPES: Final = frozenset({Scope.SAVE})
CHALLENGE_LENGTH: Final = 43  # sha256 in base64url, without padding
MAX_STATE_LENGTH: Final = 128
URL_SAFE: Final = frozenset(string.ascii_letters + string.digits + "-_")


def parse_challenge(text: str) -> str:
    if len(text) != CHALLENGE_LENGTH or not URL_SAFE.issuperset(text):
        raise InvalidRequest("This link is incomplete. Begin in the extension again.")
    return text


def parse_state(text: str) -> str:
    """By it the extension knows its own request again; it comes back in a URL."""
    if not 1 <= len(text) <= MAX_STATE_LENGTH or not URL_SAFE.issuperset(text):
        raise InvalidRequest("This link is incomplete. Begin in the extension again.")
    return text


def answers_challenge(verifier: str, challenge: str) -> bool:
    digest = hashlib.sha256(verifier.encode()).digest()
    made = base64.urlsafe_b64encode(digest).rstrip(b"=")
    return hmac.compare_digest(made, challenge.encode())
