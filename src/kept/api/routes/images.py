"""The image proxy: images of articles, by opaque ids, served by Kept itself."""

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response

from kept.api.access import KeptDep, Reader
from kept.api.envelope import Responses, errors
from kept.api.images import image_response, is_known, missing_response, not_modified_response, tag_of
from kept.content.images.format import SERVED
from kept.domain.errors import OriginFailed
from kept.services.images.serving import find_image, serve_image

router = APIRouter(prefix="/api/images", tags=["images"])

IMAGES: Final[Responses] = {
    200: {"content": {kind.value: {} for kind in sorted(SERVED)}},
    204: {"description": "There is no such icon now; asked with `icon` only"},
    304: {"description": "Not modified"},
}
Icon = Annotated[bool, Query(description="Nobody misses this image: 204 instead of 502, which browsers remember.")]


@router.get("/{image_id:uuid}", response_class=Response, responses={**IMAGES, **errors(404, 502)})
async def get_image(image_id: UUID, viewer: Reader, request: Request, kept: KeptDep, icon: Icon = False) -> Response:
    """Get an image of a page that the user may see. 502 when its site does not send it, or sends something else."""
    asset = await kept.read(find_image, viewer, image_id)
    if asset.blob_key is not None and is_known(request, tag_of(asset.blob_key)):
        return not_modified_response(tag_of(asset.blob_key))
    try:
        image = await serve_image(kept.images, viewer, asset)
    except OriginFailed:
        if not icon:
            raise
        return missing_response()
    return image_response(image.data, image.content_type, tag_of(image.key))
