"""tools/api_reference.py: the page has every route, parameter and field of the OpenAPI document, and no dead link."""

import re
from pathlib import Path
from typing import Any

import pytest

from kept.asgi import create_app
from kept.config import Settings
from support.fixtures.tools import load_tool


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder: Path = tmp_path_factory.mktemp("data")
    return create_app(Settings(data_dir=folder)).openapi()


@pytest.fixture(scope="module")
def page(document: dict[str, Any]) -> str:
    return str(load_tool("api_reference").write_reference(document))


def test_every_route_and_parameter_is_on_the_page(document: dict[str, Any], page: str) -> None:
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            [section] = re.findall(rf"^### `{method.upper()} {re.escape(path)}`\n(.*?)(?=^##)", page, re.M | re.S)
            for parameter in route.get("parameters", ()):
                assert f"| `{parameter['name']}` | {parameter['in']} |" in section


def test_every_field_of_every_schema_is_on_the_page(document: dict[str, Any], page: str) -> None:
    for name, schema in document["components"]["schemas"].items():
        [section] = re.findall(rf"^### {name}\n(.*?)(?=^###|\Z)", page, re.M | re.S)
        for field in schema.get("properties", ()):
            assert f"| `{field}` |" in section


def test_every_link_leads_to_a_schema(document: dict[str, Any], page: str) -> None:
    headings = {heading.lower() for heading in document["components"]["schemas"]}
    assert set(re.findall(r"\]\(#([^)]+)\)", page)) <= headings


def test_a_line_break_or_a_bar_in_a_description_does_not_break_a_table() -> None:
    assert load_tool("api_reference").one_line("a\n b | c") == "a b \\| c"
