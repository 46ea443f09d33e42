"""`domain.access.can_view`, asked in SQL: the one condition every read of a media goes through."""

from uuid import UUID

from sqlalchemy import ColumnElement, exists, select

from kept.storage.tables import items, library_members, media


def visible_to(user_id: UUID) -> ColumnElement[bool]:
    """Return the condition that one of the user's libraries holds the media."""
    held = (
        select(items.c.id)
        .join(library_members, library_members.c.library_id == items.c.library_id)
        .where(items.c.media_id == media.c.id, library_members.c.user_id == user_id)
    )
    return exists(held)
