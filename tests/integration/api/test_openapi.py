"""The OpenAPI document tells the truth: schemathesis calls every route with odd input and compares."""

import asyncio
import sys
from pathlib import Path

import pytest

from kept.api.access import api_routes
from support.builders.articles import ingest, put_image
from support.builders.highlights import post_highlight
from support.servers.serving import Person, RunningKept

pytestmark = [
    pytest.mark.requirement("Kept", "the OpenAPI document is honest"),
    pytest.mark.requirement("differs", "000: camelCase → snake_case, as in 002 and 004"),
]

EXAMPLES_PER_ROUTE = 1
LONG_EXAMPLES_PER_ROUTE = 50


async def test_every_route_of_the_api_is_documented(running: RunningKept) -> None:
    document = (await running.nobody.get("/api/v1/openapi.json")).json
    documented = {(path, method.upper()) for path, methods in document["paths"].items() for method in methods}
    expected = {
        (route.path_format, method)
        for route in api_routes(running.app)
        if route.include_in_schema
        for method in route.methods or ()
    }
    assert documented == expected
    assert "HTTPValidationError" not in str(document)


async def make_world(running: RunningKept, person: Person, folder: Path) -> Path:
    """Something behind every kind of id, so that more than 404 is compared; as schemathesis' configuration."""
    item = await person.save("https://example.org/a", wait=False)
    article = ingest(running.kept.database, item["media_id"], '<p>Words.</p><img src="/p.png">')
    await put_image(running, item["media_id"])
    highlight = await post_highlight(person, item["media_id"], "Words.")
    library = (await person.post("/api/v1/libraries", {"name": "Team"})).data
    ids = {"item_id": item["id"], "media_id": item["media_id"], "image_id": article.images[0].id}
    ids["highlight_id"] = highlight["id"]
    lines = [f'"path.{name}" = "{value}"' for name, value in {**ids, "library_id": library["id"]}.items()]
    config = folder / "schemathesis.toml"
    config.write_text("\n".join(["[parameters]", *lines]))
    return config


async def test_no_answer_contradicts_the_document(
    running: RunningKept, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    root = await running.make_person("root", is_admin=True)
    config = await make_world(running, root, tmp_path)
    process = await asyncio.create_subprocess_exec(
        Path(sys.executable).with_name("schemathesis"),
        "--config-file",
        config,
        "run",
        f"{running.address}/api/v1/openapi.json",
        "--header",
        f"Authorization: Bearer {root.token}",
        "--checks",
        "all",
        "--exclude-checks",
        # test_policies knows better what each route asks for; and not every rule on names fits a JSON schema
        "ignored_auth,unsupported_method,positive_data_acceptance",
        "--max-examples",
        str(LONG_EXAMPLES_PER_ROUTE if request.config.getoption("--long") else EXAMPLES_PER_ROUTE),
        "--seed",
        "1",
        "--phases",
        "examples,coverage,fuzzing",
        "--exclude-path-regex",
        "^/(api/v1/(setup|session|tokens/{token_id})|metrics|readyz)$",  # it would revoke its own token
        cwd=tmp_path,  # where it leaves its cache
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()[-6000:]
