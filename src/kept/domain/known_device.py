"""A device on which somebody has signed in before: the mark it got then, which is good until their password changes.

The mark is signed with the stored password hash, which holds a random salt that nobody outside knows.
"""

import hashlib
import hmac
from typing import Final

PURPOSE: Final = b"kept device "


def make_device_mark(device_id: str, password_hash: str) -> str:
    return f"{device_id}.{_sign(device_id, password_hash)}"


def find_device_id(mark: str, password_hash: str) -> str | None:
    """The id in the mark, if it was made with this password hash."""
    device_id, _, signature = mark.partition(".")
    is_genuine = hmac.compare_digest(signature.encode(), _sign(device_id, password_hash).encode())
    return device_id if is_genuine else None


def _sign(device_id: str, password_hash: str) -> str:
    return hmac.new(password_hash.encode(), PURPOSE + device_id.encode(), hashlib.sha256).hexdigest()
