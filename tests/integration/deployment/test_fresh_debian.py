"""`./run` on a Debian that has nothing but Python, pip and git: it serves, and makes an article and a screenshot."""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from support.fixtures.waiting import until
from support.servers.debian import Debian, make_debian, needs_debootstrap
from support.servers.installed import COMPLETE_SECONDS, PAGE, is_complete
from support.servers.local_servers import accepts_connections, free_port
from support.servers.origin import Origin
from support.servers.serving import Person

pytestmark = [pytest.mark.long, needs_debootstrap]

REPOSITORY = Path(__file__).parents[3]
INSTALLING_SECONDS = 900


@pytest.fixture(scope="module", params=["bookworm", "trixie"])
def debian(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Debian:
    return make_debian(tmp_path_factory.mktemp(request.param) / "root", request.param)


def put_repository(debian: Debian, user: str) -> str:
    """As a person's clone has it: only what is committed or about to be."""
    folder = f"/srv/{user}/kept"
    target = debian.root / folder.lstrip("/")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, check=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, target / name)
    debian.run(f"chown -R {user} /srv/{user}")
    return folder


@contextlib.asynccontextmanager
async def run(debian: Debian, folder: str, user: str, **variables: str) -> AsyncIterator[str]:
    """`./run` until it listens; its URL."""
    port = str(free_port())
    server = await asyncio.create_subprocess_exec(
        *debian.command(f"cd {folder} && exec ./run", user, KEPT_PORT=port, **variables),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    assert server.stdout is not None
    said: list[str] = []
    try:
        async with asyncio.timeout(INSTALLING_SECONDS):
            async for line in server.stdout:
                said.append(line.decode())
                if "listens on" in said[-1]:
                    break
            else:
                pytest.fail("".join(said[-30:]))
        reading = asyncio.create_task(server.stdout.read())
        await until(lambda: accepts_connections(int(port)))
        yield f"http://127.0.0.1:{port}"
        reading.cancel()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGTERM)
        await server.wait()


async def save(debian: Debian, folder: str, user: str, address: str, url: str) -> Any:
    """The item once its article and its screenshot are there."""
    kept = f"cd {folder} && .venv/bin/kept"
    debian.run(f"echo 'long enough' | ({kept} user add ann --password-stdin)", user)
    person = Person(address, debian.run(f"{kept} token create --user ann", user).strip())
    saved = f"/api/v1/items/{(await person.save(url))['id']}"
    await until(lambda: is_complete(person, saved), seconds=COMPLETE_SECONDS, what="the article and its screenshot")
    return (await person.get(saved)).data


@pytest.mark.parametrize("user", ["root", "reader"])
async def test_run_installs_serves_and_makes_an_article_and_a_screenshot(
    debian: Debian, origin: Origin, user: str
) -> None:
    if user != "root":  # only root can install a browser
        debian.run("apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium libatomic1")
    folder = put_repository(debian, user)
    reaching = {"KEPT_FETCH_ALLOW": origin.allowance, "KEPT_FETCH_PORTS": f"80,{origin.port}"}

    async with run(debian, folder, user, **reaching) as address:
        item = await save(debian, folder, user, address, origin.page("/harbour", PAGE))

    assert (item["title"], item["word_count"] > 300) == ("The harbour", True)

    moved = f"{folder}-moved"
    debian.run(f"mv {folder} {moved}", user)
    async with run(debian, moved, user, **reaching) as address:
        assert (await Person(address).get("/readyz")).status == 200
