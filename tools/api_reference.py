"""Turns an OpenAPI document into one page of Markdown: every route, and every schema it takes or answers with."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

Json = dict[str, Any]
INTRODUCTION: Final = """# API reference

Every route of version {version}, written from the OpenAPI document that a running server has at `/api/v1/openapi.json`.
[The HTTP API](api.md) explains authentication, errors, pagination and rate limits, and has examples.
"""


def write_reference(document: Json) -> str:
    routes = [(route, path, method) for path, methods in document["paths"].items() for method, route in methods.items()]
    routes.sort(key=lambda entry: entry[0]["tags"][0])
    parts = [INTRODUCTION.format(version=document["info"]["version"])]
    for family, listed in groupby(routes, key=lambda entry: entry[0]["tags"][0]):
        parts.append(f"## {family.capitalize()}\n")
        parts += [write_route(*entry) for entry in listed]
    parts.append("## Schemas\n")
    parts += [write_schema(name, schema) for name, schema in sorted(document["components"]["schemas"].items())]
    return "\n".join(parts)


def write_route(route: Json, path: str, method: str) -> str:
    lines = [f"### `{method.upper()} {path}`", "", route.get("description", ""), ""]
    if parameters := route.get("parameters"):
        lines += ["| parameter | in | type | |", "|---|---|---|---|", *map(write_parameter, parameters), ""]
    for kind, body in route.get("requestBody", {}).get("content", {}).items():
        lines += [f"Body: {describe_type(body.get('schema', {}))} as `{kind}`", ""]
    lines += ["| answer | |", "|---|---|", *write_answers(route["responses"]), ""]
    return "\n".join(lines)


def write_parameter(parameter: Json) -> str:
    needed = "required" if parameter.get("required") else ""
    said = " ".join(part for part in (needed, parameter.get("description", "")) if part)
    return f"| `{parameter['name']}` | {parameter['in']} | {describe_type(parameter['schema'])} | {one_line(said)} |"


def write_answers(responses: Json) -> Iterator[str]:
    for status, response in sorted(responses.items()):
        types = [describe_type(content.get("schema", {})) for content in response.get("content", {}).values()]
        said = [one_line(response["description"]), *types]
        yield f"| {status} | {': '.join(filter(None, said))} |"


def write_schema(name: str, schema: Json) -> str:
    lines = [f"### {name}", "", schema.get("description", ""), ""]
    if "enum" in schema:
        return "\n".join([*lines, "One of " + ", ".join(f"`{value}`" for value in schema["enum"]) + ".", ""])
    required = schema.get("required", [])
    lines += ["| field | type | |", "|---|---|---|"]
    for field, said in schema.get("properties", {}).items():
        note = " ".join(part for part in ("required" if field in required else "", said.get("description", "")) if part)
        lines.append(f"| `{field}` | {describe_type(said)} | {one_line(note)} |")
    return "\n".join([*lines, ""])


def describe_type(schema: Json) -> str:
    """In a cell of a table: a link to a schema, a word, or several."""
    match schema:
        case {"$ref": reference}:
            name = reference.rpartition("/")[2]
            return f"[{name}](#{name.lower()})"
        case {"anyOf": choices} | {"oneOf": choices}:
            return " or ".join(dict.fromkeys(describe_type(choice) for choice in choices))
        case {"type": "array", "items": items}:
            return f"list of {describe_type(items)}"
        case {"const": value}:
            return f"`{value}`"
        case {"enum": values}:
            return " or ".join(f"`{value}`" for value in values)
        case {"type": kind, "format": form}:
            return f"{kind} ({form})"
        case {"type": kind}:
            return str(kind)
    return ""


def one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
