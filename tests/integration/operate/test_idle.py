"""The embedded default at rest: a server and a worker, and nothing that is there only in case."""

from support.chaos.fleet import Mode, Shape
from support.chaos.using import eventually, use_fleet


async def test_neither_browser_nor_node_runs_until_it_is_needed() -> None:
    async with use_fleet(Mode.SQLITE, Shape(workers=0)) as idle:

        async def has_worker() -> bool:
            return bool(idle.fleet.find_supervised_workers())

        await eventually(has_worker)
        commands = [command for _, command in idle.fleet.list_processes()]
    assert len(commands) == 2, commands
    assert not any(sign in command for command in commands for sign in ("chrom", "node ", "playwright", "extractor"))
