"""The image proxy: pictures of articles, by opaque ids, from Kept itself."""

from typing import Any, Final
from uuid import UUID

from fastapi import APIRouter, Request, Response

from kept.api.access import KeptDep, Reader
from kept.api.envelope import errors
from kept.api.images import is_known, picture_answer, tag_of, unchanged_answer
from kept.content.images.format import SERVED
from kept.services.images.serve_image import find_image, serve_image

router = APIRouter(prefix="/api/images", tags=["images"])

PICTURES: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {kind.value: {} for kind in sorted(SERVED)}},
    304: {"description": "You have it already"},
}


@router.get("/{image_id:uuid}", response_class=Response, responses={**PICTURES, **errors(404, 502)})
async def get_image(image_id: UUID, viewer: Reader, request: Request, kept: KeptDep) -> Response:
    """A picture of a page one may see. 502 when its site does not give it, or gives something else."""
    asset = await find_image(kept.images, viewer, image_id)
    if asset.blob_key is not None and is_known(request, tag_of(asset.blob_key)):
        return unchanged_answer(tag_of(asset.blob_key))
    image = await serve_image(kept.images, viewer, asset)
    return picture_answer(image.data, image.content_type, tag_of(image.key))
