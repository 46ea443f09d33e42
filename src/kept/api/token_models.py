"""API tokens as the API shows them."""

from datetime import datetime
from uuid import UUID

from kept.api.envelope import ApiModel
from kept.domain.account import ApiToken, Scope


class TokenOut(ApiModel):
    id: UUID
    name: str
    scopes: list[Scope]
    created_at: datetime
    last_used_at: datetime | None


class NewTokenOut(TokenOut):
    token: str


def token_out(token: ApiToken) -> TokenOut:
    return TokenOut.of(token, scopes=sorted(token.scopes))


def new_token_out(token: ApiToken, secret: str) -> NewTokenOut:
    return NewTokenOut(**token_out(token).model_dump(), token=secret)
