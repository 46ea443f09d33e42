"""Full-text search in a library, or in all."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from kept.api.access import KeptDep, Reader
from kept.api.envelope import ApiModel, RequestModel, errors
from kept.api.routes.items import LIBRARY_ID, ItemOut, item_out
from kept.domain.library import AllLibraries
from kept.domain.paging import PageRequest
from kept.services.items.list_items import MAX_PAGE
from kept.services.items.search_items import MAX_QUERY, search_items
from kept.services.items.search_library import Result

router = APIRouter(prefix="/api/v1/search", tags=["search"])


class FoundOut(ItemOut):
    snippet: str | None = Field(
        description="The passage that matches, as HTML with `<mark>` as its only tag; null if no passage does."
    )
    page: int | None = Field(description="The page of a PDF where the passage stands; null for everything else.")


class FoundPage(ApiModel):
    data: list[FoundOut]
    next_cursor: str | None = Field(description="Pass it as `cursor` for the next page; null on the last.")


class SearchIn(RequestModel):
    q: Annotated[
        str,
        Field(
            max_length=MAX_QUERY,
            description='Words, "phrases", -not, tag:, site:, is:unread, is:favourite, is:failed, in:highlights, '
            "before:, after:.",
        ),
    ]
    library_id: UUID | AllLibraries | None = Field(None, description=LIBRARY_ID)
    cursor: Annotated[str, Field(max_length=200)] | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE)] = 30


@router.get("", responses=errors(404))
async def get_search(query: Annotated[SearchIn, Query()], viewer: Reader, kept: KeptDep) -> FoundPage:
    """Search titles, excerpts, notes, tags, sites and articles, best match first; by default in the user's library."""
    page = await search_items(kept.database, viewer, query.library_id, query.q, PageRequest(query.cursor, query.limit))
    return FoundPage(data=[found_out(result) for result in page.results], next_cursor=page.next_cursor)


def found_out(result: Result) -> FoundOut:
    return FoundOut(**item_out(result.card).model_dump(), snippet=result.snippet, page=result.page)
