"""An extension gives back the token it was connected with."""

from kept.services.accounts.hash_secret import hash_secret
from kept.storage import users
from kept.storage.database.engine import Connection


def disconnect_extension(tx: Connection, token: str) -> None:
    """To have the token is to be allowed to: whoever has it could do worse."""
    users.delete_token_by_hash(tx, hash_secret(token))
