"""The interactive page about the API, made from the OpenAPI document. Nothing in it comes from another host."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from fastapi import APIRouter, Request, Response

from kept.api.access import KeptDep, MaybeViewer, Public
from kept.web.rendering import begin_visit, render

Json = Mapping[str, Any]

TYPE_TEXTS: Final = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
}
FORMAT_TEXTS: Final = {"uuid": "id", "date-time": "time, as 2026-01-31T12:00:00Z", "binary": "file"}
EXAMPLES: Final = {"integer": 0, "number": 0, "boolean": False, "array": [], "object": {}}
ZERO_ID: Final = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True, slots=True)
class ApiField:
    """A parameter, or a field of a body."""

    name: str
    place: str
    """One of path, query, header and body."""
    type_text: str
    is_required: bool
    description: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    id: str
    method: str
    path: str
    text: str
    needs_credential: bool
    parameters: list[ApiField]
    body_fields: list[ApiField]
    body: str | None
    """JSON with the required fields, to be filled in."""
    takes_file: bool
    responses: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Section:
    name: str
    operations: list[Operation]


def read_sections(document: Json) -> list[Section]:
    """Return the operations grouped by tag, in the order of the document."""
    found: dict[str, list[Operation]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            found.setdefault(operation["tags"][0], []).append(read_operation(document, path, method, operation))
    return [Section(name, operations) for name, operations in found.items()]


def read_operation(document: Json, path: str, method: str, operation: Json) -> Operation:
    content = operation.get("requestBody", {}).get("content", {})
    schema = resolve(document, content.get("application/json", {}).get("schema", {}))
    return Operation(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        text=operation.get("description") or f"{operation['summary']}.",
        needs_credential="security" in operation,
        parameters=[read_parameter(document, parameter) for parameter in operation.get("parameters", ())],
        body_fields=list(read_body_fields(document, schema)),
        body=json.dumps(make_example(document, schema), indent=2) if schema else None,
        takes_file="application/octet-stream" in content,
        responses=[(status, response["description"]) for status, response in sorted(operation["responses"].items())],
    )


def read_parameter(document: Json, parameter: Json) -> ApiField:
    return read_field(
        document, parameter["name"], parameter["in"], parameter["schema"], parameter.get("required", False)
    )


def read_body_fields(document: Json, schema: Json) -> Iterator[ApiField]:
    for name, field in schema.get("properties", {}).items():
        yield read_field(document, name, "body", field, name in schema.get("required", ()))


def read_field(document: Json, name: str, place: str, field: Json, is_required: bool) -> ApiField:
    schema, description = resolve(document, field), str(field.get("description", ""))
    choices = ("true", "false") if schema.get("type") == "boolean" else tuple(schema.get("enum", ()))
    return ApiField(name, place, name_type(document, schema), is_required, description, choices)


def resolve(document: Json, schema: Json) -> Json:
    """Return the schema that a reference names, or of several alternatives the one that is not null."""
    if "$ref" in schema:
        return resolve(document, document["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if "anyOf" in schema:
        return resolve(document, next(one for one in schema["anyOf"] if one.get("type") != "null"))
    return schema


def name_type(document: Json, schema: Json) -> str:
    if "enum" in schema:
        return f"one of {', '.join(schema['enum'])}"
    if schema.get("type") == "array":
        return f"list of {name_type(document, resolve(document, schema['items']))}"
    return FORMAT_TEXTS.get(schema.get("format", "")) or TYPE_TEXTS.get(schema.get("type", ""), "value")


def make_example(document: Json, schema: Json) -> dict[str, object]:
    """Return only the required fields: in a change, a field that is null is emptied."""
    fields = schema.get("properties", {})
    return {name: make_value(resolve(document, fields[name])) for name in schema.get("required", ())}


def make_value(schema: Json) -> object:
    if "enum" in schema:
        return schema["enum"][0]
    return ZERO_ID if schema.get("format") == "uuid" else EXAMPLES.get(schema.get("type", ""), "")


# --- the page ---------------------------------------------------------------------------------------------------------


router = APIRouter(include_in_schema=False)


@router.get("/api/docs", dependencies=[Public])
async def show_api_docs(request: Request, viewer: MaybeViewer, kept: KeptDep) -> Response:
    """Show the page to everybody, like the document itself: who is not signed in can enter a token."""
    sections = read_sections(request.app.openapi())
    if viewer is None:
        return render(request, "api_docs.html", sections=sections)
    return (await begin_visit(request, viewer, kept)).render("api_docs.html", sections=sections)
