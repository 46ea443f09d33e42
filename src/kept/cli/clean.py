"""`kept clean`: the clean-up that workers do regularly, done now."""

import json

from kept.bootstrap import Kept
from kept.cli.options import AsJson
from kept.cli.progress import show_count
from kept.cli.running import run
from kept.services.maintenance.cleaning import remove_orphans, sweep_blobs


def clean(as_json: AsJson = False) -> None:
    """Delete pages that are in no library any more, with their images, and files that belong to no page."""

    async def action(kept: Kept) -> tuple[int, int]:
        with show_count("deleting pages") as advance:
            removed = await remove_orphans(kept.database, kept.blobs, now=kept.now(), advance=advance)
        with show_count("deleting unused files") as advance:
            return removed, await sweep_blobs(kept.database, kept.blobs, now=kept.now(), advance=advance)

    removed, swept = run(action)
    if as_json:
        print(json.dumps({"removed_media": removed, "removed_files": swept}))
    else:
        print(f"Deleted {removed} pages and {swept} unused files.")
