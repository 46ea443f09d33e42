"""When a token is valid, and for what: API tokens, and the short-lived ones that apps get for them."""

from datetime import timedelta

import pytest

from kept.clock import utc_now
from kept.domain.account import TOUCH_EVERY, VALID_FOR, AppTokens, TokenKind
from kept.services.accounts.apps import issue_app_tokens
from kept.services.accounts.tokens import APP_KINDS, authenticate_token, find_valid_token
from kept.storage import users
from kept.storage.database.engine import Database
from support.builders.accounts import make_token, make_user

MOMENT = timedelta(seconds=1)


async def make_tokens(database: Database) -> dict[TokenKind, str]:
    api = await make_token(database, make_user(database, "ann"))
    app = await database.write(issue_app_tokens, api, TokenKind.API, now=utc_now())
    assert isinstance(app, AppTokens)
    return {TokenKind.API: api, TokenKind.ACCESS: app.access, TokenKind.REFRESH: app.refresh}


@pytest.mark.parametrize("kind", TokenKind)
async def test_a_token_is_valid_for_its_own_kind_alone(database: Database, kind: TokenKind) -> None:
    for own, secret in (await make_tokens(database)).items():
        valid = database.run_read(find_valid_token, secret, (kind,), now=utc_now())
        assert (valid is not None) == (own is kind)


async def test_the_tokens_of_an_app_end_at_their_time_and_an_api_token_does_not(database: Database) -> None:
    secrets = await make_tokens(database)
    for kind, secret in secrets.items():
        later = utc_now() + VALID_FOR.get(kind, timedelta(days=10_000))
        assert database.run_read(find_valid_token, secret, (kind,), now=later - MOMENT * 60) is not None
        ended = database.run_read(find_valid_token, secret, (kind,), now=later + MOMENT)
        assert (ended is None) == (kind in VALID_FOR)


async def test_the_use_of_a_token_is_noted_on_the_api_token_once_in_a_while(database: Database) -> None:
    secrets = await make_tokens(database)
    for kind in APP_KINDS:
        viewer = await authenticate_token(database, secrets[kind], APP_KINDS, now=utc_now())
        assert viewer is not None
        [before] = database.run_read(users.list_tokens, viewer.user_id)
        assert before.last_used_at is not None
        soon, later = before.last_used_at + TOUCH_EVERY - MOMENT, before.last_used_at + TOUCH_EVERY
        for now, noted in ((soon, before.last_used_at), (later, later)):
            await authenticate_token(database, secrets[kind], APP_KINDS, now=now)
            [token] = database.run_read(users.list_tokens, viewer.user_id)
            assert token.last_used_at == noted
