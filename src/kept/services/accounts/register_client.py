"""An app introduces itself, before it asks anybody for access."""

from datetime import datetime
from typing import Final

from kept.domain.errors import RateLimited
from kept.domain.oauth import CLIENT_VALID_FOR, OAuthClient, parse_client_name, parse_redirect_uris
from kept.ids import new_id
from kept.storage import oauth
from kept.storage.database.engine import Connection, Database

# Anybody may introduce an app: whoever does it without end fills no disk.
MAX_CLIENTS: Final = 10_000


async def register_client(database: Database, name: str, redirect_uris: list[str], *, now: datetime) -> OAuthClient:
    client = OAuthClient(new_id(), parse_client_name(name), parse_redirect_uris(redirect_uris), now)
    await database.write(_insert, client, now)
    return client


def _insert(tx: Connection, client: OAuthClient, now: datetime) -> None:
    oauth.forget_expired(tx, grants_before=now, clients_before=now - CLIENT_VALID_FOR)
    if oauth.count_clients(tx) >= MAX_CLIENTS:
        raise RateLimited(retry_after_seconds=3600)
    oauth.insert_client(tx, client)
