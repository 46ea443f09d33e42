"""Get what a person's image links are made with; the first time, their key is made."""

from kept.domain.account import Viewer
from kept.domain.image_links import ImageLinks
from kept.services.accounts.secrets import new_secret
from kept.storage import image_link_keys
from kept.storage.database.engine import Database


async def prepare_image_links(database: Database, viewer: Viewer, base_url: str) -> ImageLinks:
    key = await database.read(image_link_keys.find_key, viewer.user_id)
    if key is None:
        key = await database.write(image_link_keys.put_key, viewer.user_id, new_secret())
    return ImageLinks(base_url, viewer.user_id, key)
