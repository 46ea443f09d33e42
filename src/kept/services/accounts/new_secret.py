"""A new secret for a session, an API token or a set-up link."""

import secrets


def new_secret() -> str:
    return secrets.token_urlsafe(32)
