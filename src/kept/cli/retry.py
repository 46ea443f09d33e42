"""`kept retry`: retries failed pages."""

import json
import sys
from typing import Annotated
from uuid import UUID

import typer

from kept.bootstrap import Kept
from kept.cli.options import AsJson
from kept.cli.progress import show_share
from kept.cli.running import run
from kept.domain.errors import KeptError
from kept.domain.failures import FailureCode
from kept.services.ingesting.retries import list_card_only, list_failed, retry_failed
from kept.services.pages.identity import resolve_page


def retry(
    pages: Annotated[
        list[str] | None, typer.Argument(metavar="ITEM|URL", help="Items or media by id, or pages by URL.")
    ] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Retry everything that failed.")] = False,
    code: Annotated[FailureCode | None, typer.Option("--code", help="Retry what failed with this code.")] = None,
    card_only: Annotated[
        bool, typer.Option("--card-only", help="Save the articles of pages of which only the card was saved.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Queue pages for another attempt. Exits 1 if one of those named could not be retried."""
    if not (pages or failed or code or card_only):
        raise typer.BadParameter("give ids or URLs, --failed, --code E_…, or --card-only", param_hint="ITEM|URL")

    async def action(kept: Kept) -> tuple[int, list[str]]:
        chosen, refused = await find_named(kept, pages or [])
        chosen += await kept.read(list_failed, code) if failed or code else ()
        chosen += await kept.read(list_card_only) if card_only else ()
        return await queue_each(kept, chosen, refused), refused

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


async def queue_each(kept: Kept, chosen: list[UUID], refused: list[str]) -> int:
    """How many were queued; why others were not is added to `refused`."""
    queued = 0
    with show_share("queueing", len(chosen)) as advance:
        for media_id in chosen:
            try:
                await kept.write(retry_failed, media_id, now=kept.now())
                queued += 1
            except KeptError as error:
                refused.append(error.message)
            advance(1)
    return queued
