"""Queries about images: where each came from, and under which key it is stored; and the form of those keys."""

import re
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import RowMapping, func, select, update

from kept.domain.account import User
from kept.domain.media import image_asset_id
from kept.storage.database.dialects import Query, upsert
from kept.storage.database.engine import Connection
from kept.storage.tables import image_assets, image_link_keys, media, users
from kept.storage.users import USER_COLUMNS, user_from
from kept.storage.visibility import visible_to

BLOB_FOLDERS: Final = ("images", "thumbnails", "pages")


@dataclass(frozen=True, slots=True)
class ImageAsset:
    id: UUID
    media_id: UUID
    origin_url: str
    blob_key: str | None
    content_type: str | None
    page_url: str
    """The page it belongs to; it is internal, because it may be somebody's private link."""


def asset_from(row: RowMapping) -> ImageAsset:
    return ImageAsset(**row)


def select_assets() -> Query:
    return select(
        image_assets.c.id,
        image_assets.c.media_id,
        image_assets.c.origin_url,
        image_assets.c.blob_key,
        image_assets.c.content_type,
        func.coalesce(media.c.canonical_url, media.c.source_url).label("page_url"),
    ).join(media, media.c.id == image_assets.c.media_id)


def find_visible_asset(tx: Connection, asset_id: UUID, user_id: UUID) -> ImageAsset | None:
    query = select_assets().where(image_assets.c.id == asset_id, visible_to(user_id))
    row = tx.execute(query).mappings().one_or_none()
    return asset_from(row) if row else None


def find_asset(tx: Connection, asset_id: UUID) -> ImageAsset | None:
    """Find an image of a media that the caller has checked."""
    row = tx.execute(select_assets().where(image_assets.c.id == asset_id)).mappings().one_or_none()
    return asset_from(row) if row else None


def list_assets(tx: Connection, media_id: UUID) -> list[ImageAsset]:
    query = select_assets().where(image_assets.c.media_id == media_id).order_by(image_assets.c.id)
    return [asset_from(row) for row in tx.execute(query).mappings()]


def record_blob(tx: Connection, asset_id: UUID, blob_key: str, content_type: str) -> bool:
    """Record where an image is stored; return False if its media is gone."""
    changed = update(image_assets).where(image_assets.c.id == asset_id)
    return tx.execute(changed.values(blob_key=blob_key, content_type=content_type)).rowcount == 1


# --- ids and keys -------------------------------------------------------------------------------------------------


def page_images(media_id: UUID, *urls: str | None) -> list[tuple[UUID, str]]:
    """Return the ids of images that belong to the page but not to its article: preview and icon."""
    return [(image_asset_id(media_id, url), url) for url in urls if url is not None]


def image_key(asset: ImageAsset, digest: str, extension: str) -> str:
    return blob_key_of(asset.media_id, asset.id, digest, extension)


def blob_key_of(media_id: UUID, asset_id: UUID, digest: str, extension: str) -> str:
    return f"images/{folder_of(media_id)}/{asset_id.hex}-{digest[:16]}.{extension}"


def screenshot_key(media_id: UUID) -> str:
    return f"thumbnails/{folder_of(media_id)}.webp"


def thumbnail_key(asset: ImageAsset) -> str:
    """Return the key of a preview's thumbnail; another preview image gets another key."""
    return f"images/{folder_of(asset.media_id)}/{asset.id.hex}-card.webp"


def media_of(key: str) -> UUID | None:
    """Return the media a blob belongs to, from keys like `images/ab/<media>/…` and `thumbnails/ab/<media>.webp`."""
    match = re.fullmatch(r"[a-z]+/[0-9a-f]{2}/([0-9a-f]{32})[/.].+", key)
    return UUID(match[1]) if match else None


def folder_of(media_id: UUID) -> str:
    """Return a media's folder, below one named by the last two digits, which are random even in a UUIDv7."""
    return f"{media_id.hex[-2:]}/{media_id.hex}"


def find_key(tx: Connection, user_id: UUID) -> str | None:
    """Find the key with which a person's image links are signed."""
    return tx.scalar(select(image_link_keys.c.key).where(image_link_keys.c.user_id == user_id))


def find_user_and_key(tx: Connection, user_id: UUID) -> tuple[User, str] | None:
    query = select(*USER_COLUMNS, image_link_keys.c.key).join(users, users.c.id == image_link_keys.c.user_id)
    row = tx.execute(query.where(users.c.id == user_id)).mappings().one_or_none()
    return (user_from(row), row["key"]) if row else None


def put_key(tx: Connection, user_id: UUID, key: str) -> str:
    """Store a key unless there is one, and return the stored one: another process may have been first."""
    tx.execute(upsert(tx, image_link_keys).values(user_id=user_id, key=key).on_conflict_do_nothing())
    found = find_key(tx, user_id)
    assert found is not None
    return found
