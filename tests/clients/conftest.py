"""Kept as people start it, for clients: `kept serve` with its worker, once for all tests here."""

import asyncio
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from support.servers.commands import KEPT, environment, kept
from support.servers.local_servers import free_port, wait_until
from support.servers.serving import Person

START_SECONDS = 180


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    """Somebody who uses it, with a token."""
    folder, port = tmp_path_factory.mktemp("served"), free_port()
    address = f"http://127.0.0.1:{port}"
    with (folder / "log").open("wb") as log:
        chosen = environment(folder, KEPT_PORT=str(port))
        server = subprocess.Popen([str(KEPT), "serve"], stdout=subprocess.DEVNULL, stderr=log, env=chosen)
    try:
        wait_until(lambda: is_up(f"{address}/healthz"), seconds=START_SECONDS, what="the server")
        made = kept("user", "add", "ann", "--password-stdin", folder=folder, stdin="a-long-password-1\n")
        assert made.returncode == 0, made.stderr
        token = kept("token", "create", "--user", "ann", folder=folder).stdout.split()[-1]
        yield Person(address, token)
    finally:
        server.terminate()
        server.wait(30)


def is_up(url: str) -> bool:
    try:
        with urllib.request.urlopen(url) as answer:
            return bool(answer.status == 200)
    except urllib.error.URLError:
        return False


@pytest.fixture(scope="session")
def article(served: Person) -> int:
    """The number of an entry that came with its page, of which the worker has made an article."""
    return asyncio.run(make_article(served))


async def make_article(person: Person) -> int:
    paragraph = "<p>" + "Nobody who walked along the harbour thought of the storm to come. " * 5 + "</p>"
    page = {"url": "https://harbour.example/", "title": "The harbour", "content": paragraph * 8, "tags": "sea"}
    entry = (await person.post("/wallabag/api/entries", page)).json
    async with asyncio.timeout(START_SECONDS):
        while (await person.get(f"/wallabag/api/entries/{entry['id']}")).json["content"] is None:
            await asyncio.sleep(0.1)
    return int(entry["id"])
