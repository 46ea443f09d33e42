"""The interactive page about the API, made from the OpenAPI document. Nothing in it comes from another host."""

from fastapi import APIRouter, Request, Response

from kept.api.access import KeptDep, MaybeViewer, Public
from kept.web.api_reference import read_sections
from kept.web.rendering import begin_visit, render

router = APIRouter(include_in_schema=False)


@router.get("/api/docs", dependencies=[Public])
async def show_api_docs(request: Request, viewer: MaybeViewer, kept: KeptDep) -> Response:
    """For everybody, like the document itself: who is not signed in can enter a token."""
    sections = read_sections(request.app.openapi())
    if viewer is None:
        return render(request, "api_docs.html", sections=sections)
    return (await begin_visit(request, viewer, kept)).render("api_docs.html", sections=sections)
