"""From a stored database of a release to the image of this version: nothing is lost, and everything is found."""

import os
from pathlib import Path

import pytest

from support.builders.filled_database import SITE
from support.builders.stored_databases import VERSIONS, restore_sqlite
from support.fixtures.waiting import until
from support.servers.containers import Store, needs_containers, show_logs
from support.servers.local_servers import accepts_connections, free_port
from support.servers.serving import Person

pytestmark = [pytest.mark.long, needs_containers, pytest.mark.requirement("Kept", "an upgrade in containers")]

# Whom the image runs as.
USER = 10001


@pytest.mark.parametrize("version", VERSIONS)
async def test_pages_of_a_release_are_there_and_found_after_the_upgrade(
    store: Store, version: str, tmp_path: Path
) -> None:
    port, data = free_port(), tmp_path / "data"
    restore_sqlite(version, data)
    for path in (data, data / "kept.db"):
        os.chown(path, USER, USER)
    container = store.start(store.build("all"), str(data), KEPT_PORT=str(port), KEPT_HOST="127.0.0.1")
    with show_logs(store, [container]):
        await until(lambda: accepts_connections(port), seconds=120)
        token = store.podman("exec", container, "kept", "token", "create", "--user", "ann")
        person = Person(f"http://127.0.0.1:{port}", token)
        listed = {item["url"]: item for item in (await person.get("/api/v1/items?limit=100")).data}
        harbour = listed[f"{SITE}/harbour"]
        assert (harbour["title"], harbour["tags"]) == ("The harbour", ["reise", "seaside"])
        article = (await person.get(f"/api/v1/media/{harbour['media_id']}/fragments")).data
        assert "The ferry has been sold." in article["fragments"][0]["html_sanitized"]
        found = (await person.get("/api/v1/search?q=ferry+sold")).data
        assert [item["id"] for item in found] == [harbour["id"]]
    store.podman("rm", "--force", "--time", "30", container)
