"""A device asks for access: it gets a code to ask with, and one for a person to type in."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from kept.domain.errors import NotFound
from kept.domain.oauth import GRANT_VALID_FOR, USER_CODE_LENGTH, USER_CODE_LETTERS, Grant, GrantState
from kept.ids import new_id
from kept.services.accounts.hash_secret import hash_secret
from kept.services.accounts.new_secret import new_secret
from kept.storage import oauth
from kept.storage.database.engine import Connection, Database


@dataclass(frozen=True, slots=True)
class DeviceGrant:
    device_code: str
    user_code: str


async def start_device_grant(database: Database, client_id: UUID, scope: str, *, now: datetime) -> DeviceGrant:
    user_code = "".join(secrets.choice(USER_CODE_LETTERS) for _ in range(USER_CODE_LENGTH))
    made = DeviceGrant(new_secret(), user_code)
    await database.write(_insert, client_id, scope, made, now)
    return made


def _insert(tx: Connection, client_id: UUID, scope: str, made: DeviceGrant, now: datetime) -> None:
    client = oauth.find_client(tx, client_id)
    if client is None:
        raise NotFound("There is no such client.")
    expires_at = now + GRANT_VALID_FOR
    grant = Grant(new_id(), client, scope, GrantState.PENDING, made.user_code, None, None, None, None, expires_at)
    oauth.insert_grant(tx, grant, hash_secret(made.device_code), now)
