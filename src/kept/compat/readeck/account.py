"""What Readeck's API says about the server and the user, and how its clients get a token: they register, then a person
lets them in on a page of Kept (`web/app_access.py`). They get an API token, which is in that person's list of tokens.
"""

from typing import Any, Final
from uuid import UUID

from fastapi import Request, Response

from kept.api.access import KeptDep, Public
from kept.api.requests import find_base_url
from kept.api.sessions import client_of
from kept.compat.access import find_token_in_header
from kept.compat.readeck.bookmarks_out import write_id, write_time
from kept.compat.readeck.requests import (
    PREFIX,
    Fields,
    Visiting,
    answer_json,
    create_router,
    find_api_url,
    read_fields,
    say,
)
from kept.domain.account import Scope
from kept.domain.errors import InvalidRequest, NotFound
from kept.domain.oauth import GRANT_SECONDS, POLL_SECONDS, OAuthError, show_user_code
from kept.services.accounts.oauth import IssuedToken, Redemption, redeem_grant, register_client, start_device_grant
from kept.services.accounts.sessions import revoke_secret
from kept.services.items.lists import list_tags

router = create_router()

# This is the version whose API is implemented here. From 0.22.2 on, KOReader's plugin writes notes.
VERSION: Final = "0.22.3"
READER: Final = {
    "width": 3,
    "font": "lora",
    "font_size": 3,
    "line_height": 3,
    "justify": 0,
    "hyphenation": 0,
}


@router.get("/api/info", dependencies=[Public])
async def get_info() -> Response:
    return answer_json({"version": {"canonical": VERSION, "release": VERSION, "build": "kept"}, "features": ["oauth"]})


@router.get("/api/profile")
async def get_profile(visit: Visiting) -> Response:
    user = visit.viewer.user
    permissions = ["api:bookmarks:read", "api:profile:read"]
    if visit.viewer.may(Scope.WRITE):
        permissions += ["api:bookmarks:write"]
    created = write_time(user.created_at)
    return answer_json(
        {
            "provider": {
                "id": write_id(user.id),
                "name": "bearer token",
                "application": "Kept",
                "roles": ["user"],
                "permissions": permissions,
            },
            "user": {
                "username": user.name,
                "email": "",
                "created": created,
                "updated": created,
                "settings": {
                    "debug_info": False,
                    "lang": "en-US",
                    "addon_reminder": False,
                    "email_settings": {"reply_to": "", "epub_to": ""},
                    "reader_settings": READER,
                },
            },
        }
    )


@router.get("/api/bookmarks/labels")
async def get_labels(visit: Visiting) -> Response:
    found, writer = await visit.kept.read(list_tags, visit.viewer, None), await visit.open_writer()
    return answer_json([writer.write_label(name, count) for name, count in found.tags])


@router.get("/api/bookmarks/collections")
async def get_collections(visit: Visiting) -> Response:
    """Answer with an empty list: Kept has no collections; tags are labels."""
    return answer_json([], headers={"Total-Count": "0", "Total-Pages": "1", "Current-Page": "1"})


# --- how clients get a token ------------------------------------------------------------------------------------------


DEVICE: Final = "urn:ietf:params:oauth:grant-type:device_code"
CODE: Final = "authorization_code"
SCOPES: Final = ("bookmarks:read", "bookmarks:write", "profile:read")
MAX_SCOPE: Final = 300
# Several people may share an address, and a device asks every few seconds.
REGISTRATIONS: Final = 3
ECHOED: Final = ("client_name", "client_uri", "software_id", "software_version", "logo_uri")


@router.get("/.well-known/oauth-authorization-server", dependencies=[Public])
async def get_metadata(request: Request, kept: KeptDep) -> Response:
    base, api = f"{find_base_url(request, kept)}{PREFIX}", find_api_url(request, kept)
    return answer_json(
        {
            "issuer": base,
            "authorization_endpoint": f"{base}/authorize",
            "token_endpoint": f"{api}/oauth/token",
            "device_authorization_endpoint": f"{api}/oauth/device",
            "registration_endpoint": f"{api}/oauth/client",
            "revocation_endpoint": f"{api}/oauth/revoke",
            "grant_types_supported": [CODE, DEVICE],
            "response_types_supported": ["code"],
            "scopes_supported": list(SCOPES),
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
        }
    )


@router.post("/api/oauth/client", dependencies=[Public])
async def post_client(request: Request, kept: KeptDep) -> Response:
    await kept.rate_limits.require("login", "client", client_of(request), factor=REGISTRATIONS)
    fields = await read_fields(request)
    name, uris = fields.text("client_name"), fields.texts("redirect_uris") or []
    if not name:
        raise InvalidRequest("client_name: it is missing.")
    client = await kept.write(register_client, name, uris, now=kept.now())
    return answer_json({**echo(fields), "client_id": str(client.id)}, 201)


def echo(fields: Fields) -> dict[str, Any]:
    """Return all that the client said about itself: its own library checks that it is there."""
    said: dict[str, Any] = {name: fields.text(name) for name in ECHOED if name in fields}
    return {
        **said,
        "redirect_uris": fields.texts("redirect_uris") or [],
        "grant_types": fields.texts("grant_types") or [CODE, DEVICE],
        "response_types": fields.texts("response_types") or ["code"],
        "token_endpoint_auth_method": "none",
    }


@router.post("/api/oauth/device", dependencies=[Public])
async def post_device(request: Request, kept: KeptDep) -> Response:
    await kept.rate_limits.require("login", "device grant", client_of(request), factor=REGISTRATIONS)
    fields = await read_fields(request)
    try:
        client_id, scope = parse_client_id(fields), parse_scope(fields.text("scope"))
        made = await kept.write(start_device_grant, client_id, scope, now=kept.now())
    except NotFound:
        return refuse(OAuthError.INVALID_CLIENT)
    page, code = f"{find_base_url(request, kept)}/device", show_user_code(made.user_code)
    return answer_json(
        {
            "device_code": made.device_code,
            "user_code": code,
            "verification_uri": page,
            "verification_uri_complete": f"{page}?code={code}",
            "expires_in": GRANT_SECONDS,
            "interval": POLL_SECONDS,
        }
    )


@router.post("/api/oauth/token", dependencies=[Public])
async def post_token(request: Request, kept: KeptDep) -> Response:
    fields = await read_fields(request)
    try:
        asked = parse_redemption(fields)
    except NotFound:
        return refuse(OAuthError.INVALID_CLIENT)
    if isinstance(asked, OAuthError):
        return refuse(asked)
    match await kept.write(redeem_grant, asked, now=kept.now()):
        case IssuedToken(token, secret, scope):
            said = {"id": str(token.id), "access_token": secret, "token_type": "Bearer", "scope": scope}
            return answer_json(said, 201)
        case OAuthError() as error:
            return refuse(error)


@router.post("/api/oauth/revoke")
async def post_revocation(visit: Visiting) -> Response:
    """Revoke the token of the request; others are revoked on the page of tokens."""
    secret = find_token_in_header(visit.request.headers.get("authorization", ""))
    await visit.kept.write(revoke_secret, visit.viewer, secret or "")
    return say(200, "Revoked.")


def parse_client_id(fields: Fields) -> UUID:
    try:
        return UUID((fields.text("client_id") or "")[:64])
    except ValueError:
        raise NotFound from None


def parse_scope(text: str | None) -> str:
    """Return the known scopes. An app that names none may read and write, as it will want to."""
    asked = (text or "")[:MAX_SCOPE].split()
    return " ".join(scope for scope in SCOPES if scope in asked) or " ".join(SCOPES)


def parse_redemption(fields: Fields) -> Redemption | OAuthError:
    grant_type = fields.text("grant_type")
    if grant_type == DEVICE:
        code, verifier = fields.text("device_code"), None
    elif grant_type == CODE:
        code, verifier = fields.text("code"), fields.text("code_verifier")
        if not verifier:
            return OAuthError.INVALID_REQUEST
    else:
        return OAuthError.UNSUPPORTED_GRANT_TYPE
    return Redemption(parse_client_id(fields), code, verifier) if code else OAuthError.INVALID_REQUEST


def refuse(error: OAuthError) -> Response:
    return answer_json({"error": error, "error_description": error.replace("_", " ").capitalize() + "."}, 400)
