"""Find an app that introduced itself."""

from datetime import datetime
from uuid import UUID

from kept.domain.oauth import CLIENT_VALID_FOR, OAuthClient
from kept.storage import oauth
from kept.storage.database.engine import Database


async def find_client(database: Database, client_id: UUID, *, now: datetime) -> OAuthClient | None:
    client = await database.read(oauth.find_client, client_id)
    return client if client and client.created_at > now - CLIENT_VALID_FOR else None
