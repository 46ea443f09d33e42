"""The OpenAPI document, completed with the policy of each route and the error envelope of every status."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import RouteContext

from kept.api.access import SAFE_METHODS, api_routes, bearer, policy_of, session_cookie
from kept.api.uploads import TEXTS
from kept.version import __version__

ERROR = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorEnvelope"}}}}
DESCRIPTIONS = {
    "400": "The request is invalid",
    "401": "No valid credential",
    "403": "The credential does not allow this",
    "413": "The request is too large",
    "503": "Database or storage can't be reached; repeat the request after Retry-After seconds",
}
SIGNED_IN = frozenset({"read", "read or save", "save", "write", "admin"})
CREDENTIALS = (bearer, session_cookie)


def build_openapi(app: FastAPI) -> dict[str, Any]:
    routes = [route for route in api_routes(app) if route.include_in_schema]
    document = get_openapi(
        title="Kept",
        version=__version__,
        description="Save a link, see it at once, keep the page for good.",
        routes=routes,
    )
    for route in routes:
        for method in route.methods or ():
            operation, policy = document["paths"][route.path_format][method.lower()], policy_of(route)
            complete_responses(operation, list_common_errors(route, method, operation))
            if policy in SIGNED_IN:
                operation["security"] = [{credential.scheme_name: []} for credential in CREDENTIALS]
    document["components"]["securitySchemes"] = {
        credential.scheme_name: credential.model.model_dump(mode="json", by_alias=True, exclude_none=True)
        for credential in CREDENTIALS
    }
    schemas = document["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    return document


def complete_responses(operation: dict[str, Any], statuses: set[str]) -> None:
    responses = operation["responses"]
    if responses.get("422", {}).get("description") == "Validation Error":  # answered as 400, in our own envelope
        del responses["422"]
    for status in sorted(statuses):
        responses.setdefault(status, {"description": DESCRIPTIONS[status], **ERROR})


def list_common_errors(route: RouteContext, method: str, operation: dict[str, Any]) -> set[str]:
    """Return the error statuses that follow from what a route takes and who may call it. It declares the others."""
    policy, has_body = policy_of(route), "requestBody" in operation
    happens = {
        "400": has_body or any(may_be_invalid(parameter, route) for parameter in operation.get("parameters", ())),
        "401": policy in SIGNED_IN,
        "403": policy != "public" and (policy in {"save", "write", "admin"} or method not in SAFE_METHODS),
        "413": has_body,
        "503": policy != "public",
    }
    return {status for status, does in happens.items() if does}


def may_be_invalid(parameter: Mapping[str, Any], route: RouteContext) -> bool:
    """Return False for a part of the path that must look like a UUID: another path is not found (404)."""
    return f"{{{parameter['name']}:" not in (route.path or "")


def describe_form(*, file: str, url: str, required: list[str]) -> dict[str, Any]:
    """Describe the form in the OpenAPI document. FastAPI cannot, since it does not read the form."""
    properties = {
        "file": {"type": "string", "format": "binary", "description": file},
        "url": {"type": "string", "description": url},
        **{name: {"type": "string"} for name in TEXTS},
        "tags": {"type": "string", "description": "Separated by commas; may be sent more than once."},
        "library_id": {"type": "string", "description": "Empty: the user's own library."},
    }
    schema = {"type": "object", "required": required, "properties": properties}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}
