"""The OpenAPI document tells the truth: schemathesis calls every route with odd input and compares."""

import asyncio
import sys
from pathlib import Path

from kept.api.access import api_routes
from support.serving import RunningKept

EXAMPLES_PER_ROUTE = 15


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


async def test_no_answer_contradicts_the_document(running: RunningKept) -> None:
    root = await running.make_person("root", is_admin=True)
    process = await asyncio.create_subprocess_exec(
        Path(sys.executable).with_name("schemathesis"),
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
        str(EXAMPLES_PER_ROUTE),
        "--seed",
        "1",
        "--phases",
        "examples,coverage,fuzzing",
        "--exclude-path-regex",
        "^/(api/v1/(setup|session|tokens/{token_id})|metrics|readyz)$",  # it would revoke its own token
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()[-6000:]
