"""What changed, for those who watch: one row per library that holds the media, tailed by each API process."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import literal, select

from kept.storage.database import AsyncConnection
from kept.storage.tables import events, items


async def tell_libraries(tx: AsyncConnection, media_id: UUID, kind: str, now: datetime) -> None:
    """In the transaction of the change itself, so that nobody hears of what did not happen."""
    told = select(items.c.library_id, literal(kind), items.c.id, literal(now, events.c.created_at.type)).where(
        items.c.media_id == media_id
    )
    await tx.execute(events.insert().from_select(["library_id", "kind", "subject_id", "created_at"], told))
