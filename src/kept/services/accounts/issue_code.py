"""A person lets an app in on a page of Kept: the app gets a code, which it exchanges for a token (PKCE)."""

from dataclasses import dataclass
from datetime import datetime

from kept.domain.account import Viewer
from kept.domain.errors import Forbidden
from kept.domain.oauth import GRANT_VALID_FOR, Grant, GrantState, OAuthClient, scopes_of
from kept.ids import new_id
from kept.services.accounts.hash_secret import hash_secret
from kept.services.accounts.new_secret import new_secret
from kept.storage import oauth
from kept.storage.database.engine import Database


@dataclass(frozen=True, slots=True)
class CodeRequest:
    """What an app asks for; checked by the caller."""

    scope: str
    challenge: str
    redirect_uri: str
    """Where the app is sent back to."""


async def issue_code(
    database: Database, viewer: Viewer, client: OAuthClient, asked: CodeRequest, *, now: datetime
) -> str:
    if not all(viewer.may(each) for each in scopes_of(asked.scope)):
        raise Forbidden("You cannot allow an app more than you may do yourself.")
    code, expires_at = new_secret(), now + GRANT_VALID_FOR
    grant = Grant(
        new_id(),
        client,
        asked.scope,
        GrantState.APPROVED,
        None,
        asked.challenge,
        asked.redirect_uri,
        viewer.user_id,
        None,
        expires_at,
    )
    await database.write(oauth.insert_grant, grant, hash_secret(code), now)
    return code
