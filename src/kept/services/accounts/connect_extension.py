"""Trade a connect code and its verifier for an API token that can save."""

from datetime import datetime

from kept.domain.account import TOKEN_PREFIX, ApiToken
from kept.domain.connecting import CONNECTED_SCOPES, answers_challenge
from kept.domain.errors import InvalidRequest
from kept.ids import new_id
from kept.services.accounts.hash_secret import hash_secret
from kept.services.accounts.new_secret import new_secret
from kept.storage import connect_codes, users
from kept.storage.database.engine import Connection, Database


async def connect_extension(database: Database, *, code: str, verifier: str, now: datetime) -> tuple[ApiToken, str]:
    """The token itself is returned once and never again. A code is used up even by a wrong verifier."""
    secret = TOKEN_PREFIX + new_secret()
    token = await database.write(_connect, hash_secret(code), verifier, hash_secret(secret), now)
    if token is None:
        raise InvalidRequest("This code is not valid any more. Begin in the extension again.")
    return token, secret


def _connect(tx: Connection, code_hash: str, verifier: str, token_hash: str, now: datetime) -> ApiToken | None:
    code = connect_codes.take_code(tx, code_hash, now)
    if code is None or not answers_challenge(verifier, code.challenge):
        return None
    token = ApiToken(new_id(), code.name, CONNECTED_SCOPES, now, None)
    users.insert_token(tx, code.user_id, token, token_hash)
    return token
