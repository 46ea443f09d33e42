"""The reader: one article, as one likes to read it."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Request, Response

from kept.api.access import KeptDep, Writer
from kept.domain.library import Role
from kept.domain.preferences import KNOWN
from kept.services.accounts.keep_preferences import keep_preferences
from kept.services.reading.open_article import open_article
from kept.web.formatting import direction_of
from kept.web.notices import NoticeDep
from kept.web.rendering import Visiting, go_to, local_path, nothing, wants_fragment

router = APIRouter()


@router.get("/read/{item_id}")
async def show_article(visit: Visiting, item_id: UUID, notice: NoticeDep) -> Response:
    article = await open_article(visit.kept.database, visit.viewer, item_id)
    if article.html is None:
        return go_to(f"/history/{item_id}")
    return visit.render(
        "reader.html",
        article=article,
        card=article.card,
        direction=direction_of(article.card.media.lang),
        may_write=article.role is Role.ADMIN,
        choices=KNOWN,
        notice=notice,
    )


@router.post("/preferences")
async def submit_preferences(
    request: Request,
    viewer: Writer,
    kept: KeptDep,
    theme: Annotated[str | None, Form()] = None,
    layout: Annotated[str | None, Form()] = None,
    font: Annotated[str | None, Form()] = None,
    size: Annotated[str | None, Form()] = None,
    width: Annotated[str | None, Form()] = None,
    back: Annotated[str, Form()] = "/",
) -> Response:
    said = {"theme": theme, "layout": layout, "font": font, "size": size, "width": width}
    changes = {name: str(value) for name, value in said.items() if value is not None}
    await keep_preferences(kept.database, viewer, changes, now=kept.now())
    return nothing() if wants_fragment(request) else go_to(local_path(back))
