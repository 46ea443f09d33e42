"""A server that goes on after a next version migrated its database, until it is replaced: nothing it does is lost."""

import subprocess
from pathlib import Path

import pytest

from kept.config import Settings
from kept.domain.schema import SchemaState
from kept.storage.migrations.schema import migrate, read_schema_state
from support.fixtures.databases import copy_postgres
from support.fixtures.migrations import become_next_version
from support.fixtures.waiting import until
from support.servers.commands import KEPT, environment
from support.servers.local_servers import accepts_connections, free_port
from support.servers.origin import Origin, article
from support.servers.serving import Person

pytestmark = pytest.mark.requirement("Kept", "search finds what older processes write after `kept migrate`")

# Migrations only add: what an older process does not write has a default.
ADDITIONS = (
    'for table in ("media", "items", "jobs"):',
    '    op.add_column(table, sa.Column("added_later", sa.Boolean(), nullable=False, server_default=sa.false()))',
)


async def test_what_a_server_saves_and_changes_after_the_upgrade_is_there_and_found(
    tmp_path: Path, postgres_server: str, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, database_url = free_port(), copy_postgres(postgres_server)
    reaching = {"KEPT_FETCH_ALLOW": origin.allowance, "KEPT_FETCH_PORTS": f"80,{origin.port}"}
    variables = environment(
        tmp_path, KEPT_DATABASE_URL=database_url, KEPT_PORT=str(port), KEPT_RENDER="never", **reaching
    )

    def run(*arguments: str, stdin: str = "") -> str:
        done = subprocess.run(
            [str(KEPT), *arguments], env=variables, input=stdin, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    run("user", "add", "ann", "--password-stdin", stdin="long enough\n")
    person = Person(f"http://127.0.0.1:{port}", run("token", "create", "--user", "ann"))
    server = subprocess.Popen([str(KEPT), "serve"], env=variables)
    try:
        await until(lambda: accepts_connections(port), seconds=60, what="the server")
        before = await person.save(origin.page("/before", article("Before")), note="a lantern")

        become_next_version(monkeypatch, tmp_path, *ADDITIONS)
        url = Settings(database_url=database_url).sqlalchemy_url
        migrate(url)
        assert read_schema_state(url) is SchemaState.CURRENT

        after = await person.save(origin.page("/after", article("After")), note="a barometer")
        changed = await person.patch(f"/api/v1/items/{before['id']}", {"note": "a sextant"})
        assert changed.status == 200, changed.body
        for words, item in (("barometer", after), ("sextant", before)):
            found = (await person.get(f"/api/v1/search?q={words}")).data
            assert [one["id"] for one in found] == [item["id"]]
        assert len((await person.get("/api/v1/items")).data) == 2
    finally:
        server.terminate()
        server.wait(60)
