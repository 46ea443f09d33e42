"""`kept retry`: try pages again, some or all that failed."""

import json
import sys
from typing import Annotated
from uuid import UUID

import typer
from rich.progress import track

from kept.bootstrap import Kept
from kept.cli.accounts import run
from kept.cli.config import AsJson
from kept.domain.errors import InvalidRequest, KeptError
from kept.domain.failures import FailureCode
from kept.services.ingesting.list_failed import list_failed
from kept.services.ingesting.retry_failed import retry_failed


def retry(
    ids: Annotated[list[UUID] | None, typer.Argument(help="Items or media to try again.")] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Everything that failed.")] = False,
    code: Annotated[FailureCode | None, typer.Option("--code", help="Everything that failed with this code.")] = None,
    as_json: AsJson = False,
) -> None:
    """Queue pages for another attempt. Exits 1 if one of those named had nothing to try again."""
    if not (ids or failed or code):
        raise InvalidRequest("Say which: ids, --failed, or --code E_….")

    async def action(kept: Kept) -> tuple[int, list[str]]:
        chosen = [*(ids or ()), *(await list_failed(kept.database, code) if failed or code else ())]
        queued, refused = 0, []
        for page_id in track(chosen, "queueing", disable=as_json or len(chosen) < 2, transient=True):
            try:
                await retry_failed(kept.database, page_id, now=kept.now())
                queued += 1
            except KeptError as error:
                refused.append(error.message)
        return queued, refused

    queued, refused = run(action)
    if as_json:
        print(json.dumps({"queued": queued, "refused": refused}))
    else:
        print(f"queued {queued}")
        for message in refused:
            print(f"kept: {message}", file=sys.stderr)
    raise typer.Exit(1 if refused else 0)
