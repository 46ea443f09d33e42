"""What a client needs before it saves: whether a page is saved already, and which tags there are."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from kept.api.access import Finder, KeptDep
from kept.api.envelope import ApiModel, Data, RequestModel, errors
from kept.api.item_models import ItemOut, item_out
from kept.api.requests import LIBRARY_ID
from kept.domain.item import MAX_TAG
from kept.domain.library import AllLibraries
from kept.services.items.lists import find_saved, list_tags
from kept.urls.url import MAX_URL_LENGTH

router = APIRouter(prefix="/api/v1", tags=["items"])


class TagOut(ApiModel):
    name: str
    count: int = Field(description="How many items have it.")


class LookupQuery(RequestModel):
    url: Annotated[str, Field(min_length=1, max_length=MAX_URL_LENGTH)]


class TagQuery(RequestModel):
    library_id: UUID | AllLibraries | None = Field(None, description=LIBRARY_ID)
    prefix: Annotated[str, Field(max_length=MAX_TAG, description="Only tags that begin with it.")] = ""
    limit: Annotated[int, Field(ge=1, le=1000)] = 100


@router.get("/lookup", responses=errors(404))
async def get_lookup(query: Annotated[LookupQuery, Query()], viewer: Finder, kept: KeptDep) -> Data[ItemOut]:
    """Get the item of the page saved under this URL, from the user's own library first. 404 if no library has it."""
    return Data(data=item_out(await kept.read(find_saved, viewer, query.url)))


@router.get("/tags", responses=errors(404))
async def get_tags(query: Annotated[TagQuery, Query()], viewer: Finder, kept: KeptDep) -> Data[list[TagOut]]:
    """List the tags of a library or of all, the most used first."""
    prefix = query.prefix.strip().casefold()
    tags = await kept.read(list_tags, viewer, query.library_id)
    matching = [(name, count) for name, count in tags.tags if name.startswith(prefix)]
    matching.sort(key=lambda tag: (-tag[1], tag[0]))
    return Data(data=[TagOut(name=name, count=count) for name, count in matching[: query.limit]])
