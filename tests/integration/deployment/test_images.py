"""The four images, built from the Dockerfile as it is and really started."""

import os
from pathlib import Path

import pytest

from support.fixtures.waiting import until
from support.servers.containers import Store, needs_containers, show_logs
from support.servers.installed import COMPLETE_SECONDS, PAGE, is_complete
from support.servers.local_servers import accepts_connections, free_port
from support.servers.origin import Origin

pytestmark = [pytest.mark.long, needs_containers]

VOLUME = f"kept-test-{os.getpid()}"
OTHER_USER = 12_345


@pytest.mark.parametrize("target", ["api", "worker", "render", "all"])
def test_an_image_has_what_its_role_needs(store: Store, target: str) -> None:
    found = store.examine(store.build(target), f"{VOLUME}-{target}")

    assert [finding for finding in found.values() if finding["state"] == "broken"] == []
    assert ("takes screenshots" in found["browser"]["message"]) is (target in {"render", "all"})
    assert ("extracts articles" in found["sidecar"]["message"]) is (target != "api")


async def test_the_embedded_image_makes_an_article_and_a_screenshot_and_has_them_after_a_restart(
    store: Store, origin: Origin
) -> None:
    port = free_port()
    reaching = {"KEPT_FETCH_ALLOW": origin.allowance, "KEPT_FETCH_PORTS": f"80,{origin.port}"}
    variables = {"KEPT_PORT": str(port), "KEPT_HOST": "127.0.0.1", **reaching}
    container = store.start(store.build("all"), VOLUME, **variables)
    with show_logs(store, [container]):
        await until(lambda: accepts_connections(port), seconds=120)
        person = store.add_person(container, f"http://127.0.0.1:{port}")
        saved = f"/api/v1/items/{(await person.save(origin.page('/harbour', PAGE)))['id']}"
        await until(lambda: is_complete(person, saved), seconds=COMPLETE_SECONDS)

        store.podman("restart", container)
        await until(lambda: accepts_connections(port), seconds=120)
        assert await is_complete(person, saved)


@pytest.mark.requirement("Kept", "`compose.yaml` works alone; the image runs as any user")
async def test_the_embedded_image_runs_as_the_user_who_owns_its_folder(
    store: Store, origin: Origin, tmp_path: Path
) -> None:
    """PUID and PGID of compose.yaml: `--user`, and a folder of the machine that is theirs."""
    folder, port = tmp_path / "data", free_port()
    folder.mkdir(mode=0o700)
    os.chown(folder, OTHER_USER, OTHER_USER)
    reaching = {"KEPT_FETCH_ALLOW": origin.allowance, "KEPT_FETCH_PORTS": f"80,{origin.port}"}
    variables = {"KEPT_PORT": str(port), "KEPT_HOST": "127.0.0.1", **reaching}
    container = store.start(store.build("all"), str(folder), user=f"{OTHER_USER}:{OTHER_USER}", **variables)
    with show_logs(store, [container]):
        await until(lambda: accepts_connections(port), seconds=120)
        person = store.add_person(container, f"http://127.0.0.1:{port}")
        saved = f"/api/v1/items/{(await person.save(origin.page('/harbour', PAGE)))['id']}"
        await until(lambda: is_complete(person, saved), seconds=COMPLETE_SECONDS)
    store.podman("rm", "--force", "--time", "10", container)
    assert {path.stat().st_uid for path in folder.rglob("*")} == {OTHER_USER}
