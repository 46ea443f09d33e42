"""`kept retry`: retries failed pages."""

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
from kept.services.ingesting.resolve_page import resolve_page
from kept.services.ingesting.retry_failed import retry_failed


def retry(
    pages: Annotated[
        list[str] | None, typer.Argument(metavar="ITEM|URL", help="Items or media by id, or pages by URL.")
    ] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Retry everything that failed.")] = False,
    code: Annotated[FailureCode | None, typer.Option("--code", help="Retry what failed with this code.")] = None,
    as_json: AsJson = False,
) -> None:
    """Queue pages for another attempt. Exits 1 if one of those named could not be retried."""
    if not (pages or failed or code):
        raise InvalidRequest("Give ids or URLs, --failed, or --code E_….")

    async def action(kept: Kept) -> tuple[int, list[str]]:
        chosen, refused = await find_named(kept, pages or [])
        chosen += await list_failed(kept.database, code) if failed or code else ()
        queued = 0
        for media_id in track(chosen, "queueing", disable=as_json or len(chosen) < 2, transient=True):
            try:
                await retry_failed(kept.database, media_id, now=kept.now())
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


async def find_named(kept: Kept, pages: list[str]) -> tuple[list[UUID], list[str]]:
    """Ids of media, and why some of the names lead nowhere."""
    found, refused = list[UUID](), list[str]()
    for named in pages:
        try:
            found += await resolve_page(kept.database, named)
        except KeptError as error:
            refused.append(error.message)
    return found, refused
