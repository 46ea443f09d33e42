"""Revoke the token that somebody holds in their hands."""

from kept.domain.account import Viewer
from kept.services.accounts.hash_secret import hash_secret
from kept.storage import users
from kept.storage.database.engine import Connection


def revoke_secret(tx: Connection, viewer: Viewer, secret: str) -> None:
    """One of the viewer's own; any other stays."""
    users.delete_token_by_hash(tx, hash_secret(secret), viewer.user_id)
