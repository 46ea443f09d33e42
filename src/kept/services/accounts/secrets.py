"""Secrets handed to people and the hashes that stay with us. They are random and long, so that sha256 suffices."""

import hashlib
import secrets
from typing import Final

TOKEN_PREFIX: Final = "kept_"  # noqa: S105  lets leak scanners recognise a token


def new_secret() -> str:
    return secrets.token_urlsafe(32)


def new_api_token() -> str:
    return TOKEN_PREFIX + new_secret()


def hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
