"""`kept add`: save links as one of the users."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from kept.cli.output import AsJson, AsUser, InLibrary, Styled, choose_viewer, find_library_id, print_line, show_share
from kept.cli.running import run_saving
from kept.domain.errors import KeptError
from kept.domain.item import parse_tags, parse_user_fields
from kept.urls.given import NOTICES

if TYPE_CHECKING:
    from kept.services.saving.links import LinkSaver, Saved


def add(
    urls: Annotated[list[str], typer.Argument(help="URLs to save.")],
    tags: Annotated[list[str] | None, typer.Option("--tag", help="A tag to add; may be repeated.")] = None,
    library: InLibrary = None,
    user: AsUser = None,
    as_json: AsJson = False,
) -> None:
    """Save links. Exits 1 if one of them couldn't be saved."""
    from kept.services.saving.links import LinkToSave, save_link

    fields = parse_user_fields(None, None, None, parse_tags(tags or ()))

    async def action(saver: LinkSaver) -> list[Saved | KeptError]:
        viewer = await choose_viewer(saver.database, user)
        library_id = await find_library_id(saver.database, viewer, library)
        with show_share("saving", len(urls)) as advance:
            outcomes: list[Saved | KeptError] = []
            for url in urls:
                try:
                    saved = await save_link(saver, viewer, LinkToSave(url, fields, library_id))
                    outcomes.append(saved)
                except KeptError as error:
                    outcomes.append(error)
                advance(1)
            return outcomes

    outcomes = run_saving(action)
    if as_json:
        print(json.dumps([shown_as_json(url, outcome) for url, outcome in zip(urls, outcomes, strict=True)], indent=2))
    else:
        for url, outcome in zip(urls, outcomes, strict=True):
            show_saved(url, outcome)
    raise typer.Exit(1 if any(isinstance(outcome, KeptError) for outcome in outcomes) else 0)


def shown_as_json(url: str, outcome: Saved | KeptError) -> object:
    from kept.api.item_models import item_out

    if isinstance(outcome, KeptError):
        return {"url": url, "error": {"code": outcome.code, "message": outcome.message}}
    return item_out(outcome.card).model_dump(mode="json")


def show_saved(url: str, outcome: Saved | KeptError) -> None:
    if isinstance(outcome, KeptError):
        print_line(Styled(f"✗ {url}: {outcome.message}", "red"))
        return
    card = outcome.card
    print_line(Styled(f"✓ {card.title or card.item.url}", "bold"))
    if card.excerpt:
        print_line(Styled(f"  {card.excerpt[:200]}", "dim"))
    for warning in (*(NOTICES[notice] for notice in outcome.notices), card.media.enrichment_error):
        if warning:
            print_line(Styled(f"  {warning}", "yellow"))
