"""A server that lacks what makes articles says so on its pages."""

from pathlib import Path

from kept.config import Settings
from support.servers.serving import Person, run_kept


async def read_library(person: Person) -> str:
    return (await person.get("/", Accept="text/html")).body.decode()


async def test_everybody_is_told_and_administrators_what_to_do(sqlite_url: str, tmp_path: Path) -> None:
    settings = Settings(database_url=sqlite_url, data_dir=tmp_path, node=tmp_path / "absent")
    async with run_kept(settings) as running:
        admin, member = await running.make_person("ann", is_admin=True), await running.make_person("bob")
        for_admin, for_member = await read_library(admin), await read_library(member)

    assert "This server can't save articles yet" in for_admin
    assert "KEPT_NODE" in for_admin
    assert "This server can't save articles yet" in for_member
    assert "KEPT_NODE" not in for_member


async def test_nobody_is_told_where_nothing_is_missing_or_workers_are_elsewhere(
    sqlite_url: str, tmp_path: Path
) -> None:
    settings = Settings(database_url=sqlite_url, data_dir=tmp_path, node=tmp_path / "absent", role="api")
    async with run_kept(settings) as running:
        page = await read_library(await running.make_person("ann", is_admin=True))

    assert "can't save articles yet" not in page
