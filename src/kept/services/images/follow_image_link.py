"""Find for whom an image link was made."""

from uuid import UUID

from kept.domain.account import Scope, Viewer
from kept.domain.errors import NotFound
from kept.domain.image_links import ImageKind, is_signed
from kept.storage import image_link_keys
from kept.storage.database.engine import Database


async def follow_image_link(
    database: Database, user_id: UUID, kind: ImageKind, subject_id: UUID, signature: str
) -> Viewer:
    """The person, as somebody who may read. NotFound for a link that was not made by Kept."""
    found = await database.read(image_link_keys.find_user_and_key, user_id)
    if found is None or not is_signed(found[1], kind, subject_id, signature):
        raise NotFound
    return Viewer(found[0], frozenset({Scope.READ}))
