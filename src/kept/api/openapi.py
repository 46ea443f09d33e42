"""The OpenAPI document, completed with the policy of each route and the error envelope of every status."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from kept.api.access import api_routes, bearer, policy_of, session_cookie
from kept.version import __version__

ERROR = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorEnvelope"}}}}
DESCRIPTIONS = {
    "400": "The request is invalid",
    "401": "No valid credential",
    "403": "The credential does not allow this",
    "413": "The request is too large",
}
SIGNED_IN = frozenset({"read", "write", "admin"})
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
            complete_responses(operation, policy)
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


def complete_responses(operation: dict[str, Any], policy: str | None) -> None:
    responses = operation["responses"]
    responses.pop("422", None)  # answered as 400, in our own envelope
    statuses = set()
    if "requestBody" in operation:
        statuses |= {"400", "413"}
    if operation.get("parameters"):
        statuses |= {"400"}
    if policy in SIGNED_IN:
        statuses |= {"401", "403"}
    for status in sorted(statuses):
        responses.setdefault(status, {"description": DESCRIPTIONS[status], **ERROR})
