"""A process of an older version that goes on after `kept migrate`, until it is replaced: nothing it does is lost."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.commands import KEPT, environment
from support.databases import copy_postgres
from support.old_version import unpack_old_version
from support.origin import Origin, article
from support.servers import accepts_connections, free_port
from support.serving import Person
from support.waiting import until

pytestmark = pytest.mark.long

OLD_KEPT = [sys.executable, "-c", "from kept.cli.main import main; main()"]
BODY = "<p>" + "Nobody who walked along the quay that morning thought of the gale to come. " * 20 + "</p>"


@contextlib.contextmanager
def serving(command: list[str], variables: dict[str, str], log: Path) -> Iterator[None]:
    with log.open("w") as written:
        server = subprocess.Popen(command, env=variables, stdout=written, stderr=subprocess.STDOUT)
    try:
        yield
    except BaseException:
        print(log.read_text()[-3000:])
        raise
    finally:
        server.terminate()
        server.wait(60)


async def test_what_an_old_server_saves_and_changes_after_the_upgrade_is_found(
    tmp_path: Path, postgres_server: str, origin: Origin
) -> None:
    sources = unpack_old_version(tmp_path / "old") / "src"
    old_port, new_port = free_port(), free_port()
    reaching = {"KEPT_FETCH_ALLOW": origin.allowance, "KEPT_FETCH_PORTS": f"80,{origin.port}"}
    shared = environment(tmp_path, KEPT_DATABASE_URL=copy_postgres(postgres_server), KEPT_RENDER="never", **reaching)
    old = shared | {"PYTHONPATH": str(sources), "KEPT_PORT": str(old_port)}

    def run(command: list[str], variables: dict[str, str], stdin: str = "") -> str:
        done = subprocess.run(command, env=variables, input=stdin, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    run([*OLD_KEPT, "user", "add", "ann", "--password-stdin"], old, "long enough\n")
    token = run([*OLD_KEPT, "token", "create", "--user", "ann"], old)
    with serving([*OLD_KEPT, "serve", "--no-worker"], old, tmp_path / "old.log"):
        await until(lambda: accepts_connections(old_port), seconds=60, what="the old server")
        person = Person(f"http://127.0.0.1:{old_port}", token)
        before = await person.save(origin.page("/before", article("Before", body=BODY)), note="a lantern")

        run([str(KEPT), "migrate"], shared)
        with serving([str(KEPT), "serve"], shared | {"KEPT_PORT": str(new_port)}, tmp_path / "new.log"):
            await until(lambda: accepts_connections(new_port), seconds=60, what="the new server")
            now = Person(f"http://127.0.0.1:{new_port}", token)
            await until(lambda: finds(now, "lantern", before["id"]), seconds=60, what="the index of what was there")

            after = await person.save(origin.page("/after", article("After", body=BODY)), note="a barometer")
            changed = await person.patch(f"/api/v1/items/{before['id']}", {"note": "a sextant"})
            assert changed.status == 200, changed.body

            for words, item in (("barometer", after), ("sextant", before), ("gale after", after)):
                await until(lambda: finds(now, words, item["id"]), seconds=150, what=words)  # noqa: B023
            assert not await finds(now, "lantern", before["id"])
        assert (await person.get("/api/v1/items")).status == 200


async def finds(person: Person, words: str, item_id: str) -> bool:
    answer = await person.get(f"/api/v1/search?q={words.replace(' ', '+')}")
    assert answer.status == 200, answer.body
    return item_id in answer.body.decode()
