"""Annotations, which are Kept's highlights, with their places as paths of elements."""

from uuid import UUID

from fastapi import Response

from kept.compat.readeck.bookmarks_out import parse_id
from kept.compat.readeck.lists import parse_window, write_paging
from kept.compat.readeck.requests import Fields, Visiting, Writing, answer_json, create_router, read_fields
from kept.content.article.highlights.selectors import Selectors
from kept.domain.errors import InvalidRequest, NotFound
from kept.domain.highlight import DEFAULT_COLOUR, Colour, parse_highlight_note
from kept.services.highlights.annotations import annotate_article, list_annotations
from kept.services.highlights.highlights import HighlightChange, change_highlight, get_highlight, remove_highlight
from kept.services.highlights.lists import list_own_highlights
from kept.services.pages.cards import get_card_and_role

router = create_router()


@router.get("/api/bookmarks/annotations")
async def get_all_annotations(visit: Visiting) -> Response:
    query = visit.request.query_params
    window = parse_window(query)
    found = await visit.kept.read(list_own_highlights, visit.viewer, **window)
    writer = await visit.open_writer()
    headers = write_paging(
        f"{visit.api_url}/bookmarks/annotations", query, window["limit"], window["offset"], found.total
    )
    return answer_json([writer.write_found(each) for each in found.entries], headers=headers)


@router.get("/api/bookmarks/{bookmark_id}/annotations")
async def get_annotations(bookmark_id: str, visit: Visiting) -> Response:
    found = await list_annotations(visit.kept.database, visit.viewer, parse_id(bookmark_id))
    writer = await visit.open_writer()
    return answer_json([writer.write_annotation(each) for each in found])


@router.post("/api/bookmarks/{bookmark_id}/annotations")
async def post_annotation(bookmark_id: str, visit: Writing) -> Response:
    fields = await read_fields(visit.request)
    await visit.kept.rate_limits.require("save", "highlight", str(visit.viewer.user_id))
    look = parse_colour(fields.text("color")) or DEFAULT_COLOUR, parse_highlight_note(fields.text("note"))
    made = await annotate_article(
        visit.kept.database, visit.viewer, parse_id(bookmark_id), parse_place(fields), look, now=visit.kept.now()
    )
    return answer_json((await visit.open_writer()).write_annotation(made), 201)


@router.patch("/api/bookmarks/{bookmark_id}/annotations/{annotation_id}")
async def patch_annotation(bookmark_id: str, annotation_id: str, visit: Writing) -> Response:
    highlight_id, fields = await find_annotation(visit, bookmark_id, annotation_id), await read_fields(visit.request)
    change = HighlightChange(parse_colour(fields.text("color")), fields.text("note"), changes_note="note" in fields)
    changed = await visit.kept.write(change_highlight, visit.viewer, highlight_id, change, now=visit.kept.now())
    return answer_json({"id": annotation_id, "color": str(changed.colour), "note": changed.note or ""})


@router.delete("/api/bookmarks/{bookmark_id}/annotations/{annotation_id}")
async def delete_annotation(bookmark_id: str, annotation_id: str, visit: Writing) -> Response:
    highlight_id = await find_annotation(visit, bookmark_id, annotation_id)
    await visit.kept.write(remove_highlight, visit.viewer, highlight_id, now=visit.kept.now())
    return Response(status_code=204)


async def find_annotation(visit: Writing, bookmark_id: str, annotation_id: str) -> UUID:
    """Return the id of an annotation; NotFound if it is not one of this bookmark's."""
    card, _ = await visit.kept.read(get_card_and_role, visit.viewer, parse_id(bookmark_id))
    highlight = await visit.kept.read(get_highlight, visit.viewer, parse_id(annotation_id))
    if highlight.media_id != card.media.id:
        raise NotFound
    return highlight.id


def parse_place(fields: Fields) -> Selectors:
    selectors = fields.text("start_selector"), fields.text("end_selector")
    offsets = fields.number("start_offset"), fields.number("end_offset")
    if selectors[0] is None or selectors[1] is None or offsets[0] is None or offsets[1] is None:
        raise InvalidRequest("An annotation needs start_selector, start_offset, end_selector and end_offset.")
    return Selectors(selectors[0], offsets[0], selectors[1], offsets[1])


def parse_colour(text: str | None) -> Colour | None:
    """Parse a colour; one that Kept does not have becomes the default."""
    if text is None:
        return None
    return Colour(text) if text in list(Colour) else DEFAULT_COLOUR
