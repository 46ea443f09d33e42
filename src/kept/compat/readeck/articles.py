"""A bookmark's article: as a fragment of HTML, as EPUB, as Markdown."""

from typing import Annotated, Final
from urllib.parse import quote
from uuid import UUID

from fastapi import Path, Response
from fastapi.responses import HTMLResponse, PlainTextResponse

from kept.compat.readeck.bookmarks import describe
from kept.compat.readeck.bookmarks_out import BookmarkWriter, write_front_matter
from kept.compat.readeck.ids import parse_id
from kept.compat.readeck.visiting import Visit, Visiting, answer_json, create_router
from kept.content.export_formats.article_file import link_images
from kept.domain.item import Card
from kept.domain.media import ImageKind
from kept.services.exporting.articles import FileFormat, export_article
from kept.services.pages.cards import read_card
from kept.services.reading.articles import read_article

router = create_router()

# Should a browser show it: nothing runs, nothing is sent.
GUARD: Final = {"Content-Security-Policy": "sandbox; default-src 'none'; img-src 'self'"}
BookmarkId = Annotated[str, Path()]


@router.get("/api/bookmarks/{bookmark_id}/article")
async def get_article(bookmark_id: BookmarkId, visit: Visiting) -> Response:
    """Without marks of highlights: clients draw their own, by the paths of elements."""
    card, _ = await visit.kept.read(read_card, visit.viewer, parse_id(bookmark_id))
    return HTMLResponse(await write_article(visit, card, await visit.open_writer()), headers=GUARD)


async def write_article(visit: Visit, card: Card, writer: BookmarkWriter) -> str:
    article = await visit.kept.read(read_article, visit.viewer, card.media.id)

    def url_of(image_id: UUID) -> str:
        return writer.images.link_to(ImageKind.IMAGE, image_id)

    return link_images(article.html, url_of)


@router.get("/api/bookmarks/{bookmark_id}/article.epub")
async def get_epub(bookmark_id: BookmarkId, visit: Visiting) -> Response:
    """Without marks of highlights: KOReader has its own, and a mark would change the path of what it stands in."""
    file = await export_article(
        visit.kept.images,
        visit.viewer,
        parse_id(bookmark_id),
        FileFormat.EPUB,
        now=visit.kept.now(),
        with_highlights=False,
    )
    name = f"attachment; filename=\"{bookmark_id}.epub\"; filename*=UTF-8''{quote(file.name)}"
    return Response(file.data, media_type="application/epub+zip", headers={"Content-Disposition": name})


@router.get("/api/bookmarks/{bookmark_id}/article.md")
async def get_markdown(bookmark_id: BookmarkId, visit: Visiting) -> Response:
    card, _ = await visit.kept.read(read_card, visit.viewer, parse_id(bookmark_id))
    text = await write_markdown(visit, card)
    return Response(text.encode(), media_type="text/markdown; charset=utf-8", headers=GUARD)


async def write_markdown(visit: Visit, card: Card) -> str:
    file = await export_article(
        visit.kept.images, visit.viewer, card.item.id, FileFormat.MARKDOWN, now=visit.kept.now()
    )
    return write_front_matter(card) + file.data.decode()


@router.get("/api/bookmarks/{bookmark_id}/x/log")
async def get_log(bookmark_id: BookmarkId, visit: Visiting) -> Response:
    card, _ = await visit.kept.read(read_card, visit.viewer, parse_id(bookmark_id))
    return PlainTextResponse(f"{card.media.processing_status}\n{card.media.failure_message or ''}\n", headers=GUARD)


@router.get("/api/bookmarks/{bookmark_id}/x/props.json")
async def get_props(bookmark_id: BookmarkId, visit: Visiting) -> Response:
    return answer_json(await describe(visit, parse_id(bookmark_id)))
