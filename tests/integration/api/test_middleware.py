from collections.abc import AsyncIterator

import aiohttp
import pytest

from kept.api.access import Public
from support.servers.serving import RunningKept


async def test_every_answer_carries_a_request_id_and_security_headers(running: RunningKept) -> None:
    for path in ("/healthz", "/api/v1/me", "/nowhere", "/sign-in", "/static/kept.css"):
        headers = (await running.nobody.get(path)).headers
        assert headers["X-Request-Id"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert headers["Referrer-Policy"] == "same-origin"


async def test_a_sensible_request_id_is_kept_and_an_odd_one_replaced(running: RunningKept) -> None:
    assert (await running.nobody.get("/healthz", **{"X-Request-Id": "trace-12345678"})).headers[
        "X-Request-Id"
    ] == "trace-12345678"
    odd = await running.nobody.get("/healthz", **{"X-Request-Id": "<script>alert(1)</script>"})
    assert "<" not in odd.headers["X-Request-Id"]


async def test_an_error_names_its_request(running: RunningKept) -> None:
    answer = await running.nobody.get("/nowhere")
    assert (answer.status, answer.error_code) == (404, "E_NOT_FOUND")
    assert answer.json["error"]["request_id"] == answer.headers["X-Request-Id"]


async def test_a_crash_leaves_as_an_envelope_without_a_trace(running: RunningKept) -> None:
    async def crash() -> None:
        raise RuntimeError("the secret of the database")

    running.app.add_api_route("/crash", crash, dependencies=[Public])

    answer = await running.nobody.get("/crash")
    assert (answer.status, answer.error_code) == (500, "E_INTERNAL")
    assert b"secret" not in answer.body
    assert b"Traceback" not in answer.body
    assert answer.headers["X-Request-Id"]


@pytest.mark.parametrize("declared", [True, False])
async def test_a_body_over_the_limit_is_refused(running: RunningKept, declared: bool) -> None:
    ann = await running.make_person("ann")

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b"x" * (1024 * 1024)

    data = b"x" * (2 * 1024 * 1024) if declared else chunks()
    headers = {"Authorization": f"Bearer {ann.token}", "Content-Type": "application/json"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{running.address}/api/v1/libraries", data=data, headers=headers) as response,
    ):
        assert response.status == 413
        assert (await response.json())["error"]["code"] == "E_INVALID_REQUEST"


async def test_readiness_tells_what_is_wrong(running: RunningKept, monkeypatch: pytest.MonkeyPatch) -> None:
    ready = await running.nobody.get("/readyz")
    assert (ready.status, ready.data) == (200, {"ready": True, "problems": [], "degraded": []})
    blobs = running.kept.settings.data_dir / "blobs"
    blobs.rename(blobs.with_name("elsewhere"))
    blobs.write_text("a file where the folder should be")
    broken = await running.nobody.get("/readyz")
    assert broken.status == 503
    assert broken.data == {
        "ready": False,
        "problems": ["the blob store cannot be written"],
        "degraded": [],
    }


async def test_metrics_count_requests_by_route_not_by_path(running: RunningKept) -> None:
    await running.nobody.get("/api/v1/libraries/00000000-0000-0000-0000-000000000000")
    text = (await running.nobody.get("/metrics")).body.decode()
    assert 'route="/api/v1/libraries/{library_id}"' in text
    assert "00000000-0000" not in text
