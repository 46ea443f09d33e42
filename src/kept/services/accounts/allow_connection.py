"""A user agrees that a browser extension may connect: make the one-time code it gets its token for."""

from datetime import datetime

from kept.domain.account import Viewer, parse_display_name
from kept.domain.connecting import CODE_VALID_FOR, CONNECTED_SCOPES, parse_challenge
from kept.domain.errors import Forbidden
from kept.services.accounts.hash_secret import hash_secret
from kept.services.accounts.new_secret import new_secret
from kept.storage import connect_codes
from kept.storage.connect_codes import ConnectCode
from kept.storage.database.engine import Connection, Database


async def allow_connection(database: Database, viewer: Viewer, *, challenge: str, name: str, now: datetime) -> str:
    """The code. It is good for a few minutes, once, and only together with the verifier of `challenge`."""
    if not all(map(viewer.may, CONNECTED_SCOPES)):
        raise Forbidden
    shown = parse_display_name(name, "A device's name")
    code = ConnectCode(viewer.user_id, parse_challenge(challenge), shown, now + CODE_VALID_FOR)
    secret = new_secret()
    await database.write(_store, hash_secret(secret), code, now)
    return secret


def _store(tx: Connection, code_hash: str, code: ConnectCode, now: datetime) -> None:
    connect_codes.delete_expired(tx, now)
    connect_codes.insert_code(tx, code_hash, code)
