"""The reader: the page of one article, and the preferences for its appearance."""

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Form, Query, Request, Response
from pydantic import BaseModel

from kept.api.access import KeptDep, Writer
from kept.content.article.presenting import Heading, PresentedArticle
from kept.content.article.safe_html import PAGE_PREFIX
from kept.domain.highlight import MAX_PER_MEDIA, Colour
from kept.domain.library import Role
from kept.domain.preferences import KNOWN
from kept.domain.text import direction_of
from kept.services.accounts.preferences import change_preferences
from kept.services.reading.articles import OpenArticle, open_article
from kept.web.list_view import find_list
from kept.web.notices import NoticeDep
from kept.web.rendering import Visiting, go_to, local_path, no_content, wants_fragment

router = APIRouter(include_in_schema=False)

# Articles of four minutes or more have a table of contents; a shorter one is seen as a whole.
LONG_WORDS: Final = 900
# A thousand entries would take longer to write than the article.
LISTED: Final = 50
# This many entries of a document's table of contents are shown.
LISTED_ENTRIES: Final = 500


@router.get("/read/{item_id}")
async def show_article(
    visit: Visiting,
    item_id: UUID,
    notice: NoticeDep,
    listed: Annotated[str, Query(alias="list", max_length=4000)] = "",
    highlights: str = "",
    pages: str = "",
) -> Response:
    """Show an article. `listed` is the URL of the list it was opened from, for Back and for the next article.

    With `highlights=all` the list beside the article has all of them, however many there are; with `pages=show` a
    document has images of its pages beside the text.
    """
    list_view = find_list(local_path(listed, otherwise=""))
    most_listed = MAX_PER_MEDIA if highlights == "all" else LISTED
    came_from = list_view.listed if list_view else None
    article = await visit.kept.read(
        open_article,
        visit.viewer,
        item_id,
        came_from,
        most_listed=most_listed,
        page_images=pages == "show",
    )
    if article.presented is None:
        return go_to(f"/history/{item_id}", list=list_view.url() if list_view else None)
    template = "parts/marked.html" if wants_fragment(visit.request) else "reader.html"
    return visit.render(
        template,
        article=article,
        card=article.card,
        html=article.presented.html,
        contents=list_contents(article, article.presented),
        document=article.document,
        direction=direction_of(article.card.media.lang),
        may_write=article.role is Role.ADMIN,
        choices=KNOWN,
        colours=list(Colour),
        notice=notice,
        listed=list_view.url() if list_view else None,
    )


def list_contents(article: OpenArticle, presented: PresentedArticle) -> tuple[Heading, ...]:
    """Return a document's own table of contents, or the headings of a long article."""
    facts = article.document.facts if article.document else None
    if facts is not None and facts.outline:
        listed = facts.outline[:LISTED_ENTRIES]
        return tuple(Heading(f"{PAGE_PREFIX}{one.page}", one.title, min(one.level, 1)) for one in listed)
    return presented.contents if (article.card.media.word_count or 0) >= LONG_WORDS else ()


class PreferencesForm(BaseModel):
    theme: str | None = None
    layout: str | None = None
    font: str | None = None
    size: str | None = None
    width: str | None = None
    spacing: str | None = None
    language: str | None = None
    back: str = "/"


@router.post("/preferences")
async def submit_preferences(
    request: Request, viewer: Writer, kept: KeptDep, form: Annotated[PreferencesForm, Form()]
) -> Response:
    changes: dict[str, str] = form.model_dump(exclude={"back"}, exclude_none=True)
    await kept.write(change_preferences, viewer, changes, now=kept.now())
    return no_content() if wants_fragment(request) else go_to(local_path(form.back))
