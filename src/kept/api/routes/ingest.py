"""Articles of pages of which only the card was saved: many at once."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Request
from pydantic import Field

from kept.api.access import KeptDep, Writer
from kept.api.envelope import ApiModel, Data, RequestModel, errors
from kept.api.fields import LIBRARY_ID
from kept.domain.library import AllLibraries
from kept.services.ingesting.retries import MAX_CARDS, CardsToIngest, ingest_cards

router = APIRouter(prefix="/api/v1/ingest", tags=["items"])


class IngestIn(RequestModel):
    library_id: UUID | AllLibraries | None = Field(None, description=LIBRARY_ID)
    limit: Annotated[int, Field(ge=1, le=MAX_CARDS)] = MAX_CARDS


class IngestedOut(ApiModel):
    queued: int = Field(description="Pages whose articles will now be saved.")
    remaining: int = Field(description="Pages of which there is still only a card; send the request again for those.")


@router.post("", status_code=202, responses=errors(404, 429))
async def post_ingest_cards(
    viewer: Writer, request: Request, kept: KeptDep, body: IngestIn | None = None
) -> Data[IngestedOut]:
    """Save the articles of pages of which only the card was saved, because the server saved cards only."""
    await kept.rate_limits.require("save", str(viewer.user_id))
    asked = body or IngestIn()
    wanted = CardsToIngest(asked.library_id, asked.limit, request.state.request_id)
    done = await ingest_cards(kept.database, kept.notifier, viewer, wanted, now=kept.now())
    return Data(data=IngestedOut.model_validate(done))
