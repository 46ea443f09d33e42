"""Images at links that nobody can guess: e-readers and phones load images without a token."""

from uuid import UUID

from fastapi import APIRouter, Request, Response

from kept.api.access import KeptDep, Public
from kept.api.images import image_response, is_known, not_modified_response, tag_of
from kept.domain.account import Viewer
from kept.domain.media import ImageKind
from kept.services.images.serving import find_image, find_thumbnail, follow_image_link, serve_image, serve_thumbnail
from kept.services.images.store import StoredImage
from kept.wiring.server import Kept

router = APIRouter(prefix="/linked-images", include_in_schema=False, dependencies=[Public])


@router.get("/{user_id:uuid}/{kind}/{subject_id:uuid}/{signature}")
async def get_linked_image(
    user_id: UUID, kind: ImageKind, subject_id: UUID, signature: str, request: Request, kept: KeptDep
) -> Response:
    viewer = await kept.read(follow_image_link, user_id, kind, subject_id, signature)
    stored = await serve(kept, viewer, kind, subject_id)
    tag = tag_of(stored.key)
    made = not_modified_response(tag) if is_known(request, tag) else None
    answer = made or image_response(stored.data, stored.content_type, tag)
    # an app shows the article in a page of its own, which its browser takes for another origin
    answer.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return answer


async def serve(kept: Kept, viewer: Viewer, kind: ImageKind, subject_id: UUID) -> StoredImage:
    if kind is ImageKind.COVER:
        return await serve_thumbnail(kept.images, viewer, await kept.read(find_thumbnail, viewer, subject_id))
    return await serve_image(kept.images, viewer, await kept.read(find_image, viewer, subject_id))
