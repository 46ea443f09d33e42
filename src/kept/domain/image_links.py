"""Image links for apps that send no token with images: a link is signed with a key of the person it was made for.

It shows that person's view and no more: what they may no longer see, the link does not show either.
"""

import hashlib
import hmac
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID

SIGNATURE_LENGTH: Final = 32


class ImageKind(StrEnum):
    IMAGE = "image"
    """An image of an article, or of its page: by its own id."""
    COVER = "cover"
    """The image of a card: by the id of its item."""


@dataclass(frozen=True, slots=True)
class ImageLinks:
    """Makes links for one person."""

    base_url: str
    user_id: UUID
    key: str

    def link_to(self, kind: ImageKind, subject_id: UUID) -> str:
        return f"{self.base_url}/linked-images/{self.user_id}/{kind}/{subject_id}/{sign(self.key, kind, subject_id)}"


def sign(key: str, kind: ImageKind, subject_id: UUID) -> str:
    return hmac.new(key.encode(), f"{kind} {subject_id}".encode(), hashlib.sha256).hexdigest()[:SIGNATURE_LENGTH]


def is_signed(key: str, kind: ImageKind, subject_id: UUID, signature: str) -> bool:
    return hmac.compare_digest(sign(key, kind, subject_id).encode(), signature.encode("utf-8", "replace"))
