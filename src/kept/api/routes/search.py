"""Full-text search in a library, or in all."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from kept.api.access import KeptDep, Reader
from kept.api.envelope import ApiModel, RequestModel, errors
from kept.api.item_models import FoundOut, found_out
from kept.api.requests import LIBRARY_ID, NEXT_CURSOR, Cursor
from kept.domain.library import AllLibraries
from kept.domain.paging import PageRequest
from kept.services.items.lists import MAX_PAGE
from kept.services.items.search import MAX_QUERY, search_items

router = APIRouter(prefix="/api/v1/search", tags=["search"])


class FoundPage(ApiModel):
    data: list[FoundOut]
    next_cursor: str | None = Field(description=NEXT_CURSOR)


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
    cursor: Cursor | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE)] = 30


@router.get("", responses=errors(404))
async def get_search(query: Annotated[SearchIn, Query()], viewer: Reader, kept: KeptDep) -> FoundPage:
    """Search titles, excerpts, notes, tags, sites and articles, best match first; by default in the user's library."""
    page = await kept.read(search_items, viewer, query.library_id, query.q, PageRequest(query.cursor, query.limit))
    return FoundPage(data=[found_out(result) for result in page.results], next_cursor=page.next_cursor)
