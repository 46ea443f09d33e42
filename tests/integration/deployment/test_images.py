"""The four images, built from the Dockerfile as it is and really started (issue 17)."""

import contextlib
import os
from collections.abc import Iterator

import pytest

from support.containers import Store, make_store, needs_containers
from support.installed import COMPLETE_SECONDS, PAGE, is_complete
from support.origin import Origin
from support.servers import accepts_connections, free_port
from support.serving import Person
from support.waiting import until

pytestmark = [pytest.mark.long, needs_containers]

VOLUME = f"kept-test-{os.getpid()}"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    made = make_store(tmp_path_factory.mktemp("containers"))
    yield made
    made.podman("rm", "--all", "--force")
    made.podman("volume", "rm", "--all", "--force")


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
    with show_logs(store, container):
        await until(lambda: accepts_connections(port), seconds=120)
        store.podman("exec", container, "sh", "-c", "echo 'long enough' | kept user add ann --password-stdin")
        person = Person(
            f"http://127.0.0.1:{port}", store.podman("exec", container, "kept", "token", "create", "--user", "ann")
        )
        saved = f"/api/v1/items/{(await person.save(origin.page('/harbour', PAGE)))['id']}"
        await until(lambda: is_complete(person, saved), seconds=COMPLETE_SECONDS)

        store.podman("restart", container)
        await until(lambda: accepts_connections(port), seconds=120)
        assert await is_complete(person, saved)


@contextlib.contextmanager
def show_logs(store: Store, container: str) -> Iterator[None]:
    try:
        yield
    except BaseException:
        print(store.podman("logs", "--tail", "50", container))
        raise
