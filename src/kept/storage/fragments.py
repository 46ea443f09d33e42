"""Queries about articles."""

from uuid import UUID

from sqlalchemy import select

from kept.storage.database import AsyncConnection
from kept.storage.tables import fragments


async def find_html(tx: AsyncConnection, media_id: UUID) -> str | None:
    query = select(fragments.c.html_sanitized).where(fragments.c.media_id == media_id, fragments.c.ordinal == 0)
    return (await tx.execute(query)).scalar_one_or_none()
