"""Saving a file: the form of the add page, files dropped on a list, and what another app shares."""

from typing import Final

from fastapi import APIRouter, Request, Response

from kept.api.access import KeptDep, Writer
from kept.api.uploads import MAX_FIELDS, Upload, parse_file, receive_form
from kept.domain.account import Viewer
from kept.domain.errors import KeptError
from kept.services.saving.uploads import PlacedUpload, save_document
from kept.web.adding import render_add
from kept.web.rendering import begin_visit, go_to, local_path, wants_fragment
from kept.wiring.server import Kept

router = APIRouter(include_in_schema=False)

SHARED: Final = ("title", "text", "url")


@router.post("/add/file")
async def submit_file(request: Request, viewer: Writer, kept: KeptDep) -> Response:
    """Save a file. A share without a file only fills in the form that saves a link."""
    receiving = receive_form(
        request, kept.settings.limits.max_document_bytes, max_fields=MAX_FIELDS, needs_file=wants_fragment(request)
    )
    try:
        async with kept.uploads.take(viewer.user_id), receiving as upload:
            if not upload.name:
                return go_to("/add", **{name: upload.fields.get(name) for name in SHARED})
            saved = await _save(request, viewer, kept, upload)
    except KeptError as error:
        if wants_fragment(request):
            raise
        return await render_add(await begin_visit(request, viewer, kept), file_error=error)
    back = local_path(upload.fields.get("back", ""))
    if wants_fragment(request):
        visit = await begin_visit(request, viewer, kept)
        status = 201 if saved.is_new else 200
        return visit.render("parts/saved.html", status, card=saved.card, back=back, may_write=True, notice=None)
    return go_to(back, done="kept" if saved.is_new else "known")


async def _save(request: Request, viewer: Viewer, kept: Kept, upload: Upload) -> PlacedUpload:
    await kept.rate_limits.require("save", str(viewer.user_id))
    asked = parse_file(upload, upload.fields.get("file_url", ""), request.state.request_id)
    return await save_document(kept.document_saver, viewer, asked, name=upload.name, content_type=upload.content_type)
