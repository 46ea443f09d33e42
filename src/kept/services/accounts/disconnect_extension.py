"""An extension gives back the token it was connected with."""

from kept.services.accounts.hash_secret import hash_secret
from kept.storage import users
from kept.storage.database.engine import Database


async def disconnect_extension(database: Database, token: str) -> None:
    """To have the token is to be allowed to: whoever has it could do worse."""
    await database.write(users.delete_token_by_hash, hash_secret(token))
