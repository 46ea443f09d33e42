"""An entry as a file, in every format but PDF, which Kept does not make."""

import asyncio
import csv
import io
import json
from collections.abc import Callable
from typing import Any, Final

from fastapi import APIRouter, Response

from kept.api.access import KeptDep
from kept.compat.access import TokenReader
from kept.compat.wallabag.answers import WallabagRoute, entry_out
from kept.content.export_formats.csv_file import neutralise
from kept.content.export_formats.html_file import POLICY
from kept.domain.errors import Conflict, NotFound
from kept.domain.synced import NumberKind
from kept.services.exporting.articles import CONTENT_TYPES, FileFormat, export_article
from kept.services.syncing.lists import get_synced_item
from kept.services.syncing.numbers import find_by_number

router = APIRouter(route_class=WallabagRoute)

ARTICLE_FORMATS: Final = {"epub": FileFormat.EPUB, "txt": FileFormat.TEXT, "md": FileFormat.MARKDOWN}
CSV_COLUMNS: Final = ("title", "url", "content", "tags", "mimetype", "language")


@router.get("/api/entries/{number:int}/export.{extension}")
async def export_entry(number: int, extension: str, viewer: TokenReader, kept: KeptDep) -> Response:
    item_id = await kept.read(find_by_number, viewer, NumberKind.ITEM, number)
    name = f"{number}.{extension}"
    if extension in ARTICLE_FORMATS:
        form = ARTICLE_FORMATS[extension]
        try:
            file = await export_article(kept.images, viewer, item_id, form, now=kept.now())
        except Conflict:
            raise NotFound("There is no article to export yet.") from None
        return file_out(file.data, CONTENT_TYPES[form].partition(";")[0], name_file(file.name, name))
    if extension not in WRITERS:
        raise NotFound
    write, content_type = WRITERS[extension]
    entry = entry_out(await kept.read(get_synced_item, viewer, item_id), viewer)
    return file_out(await asyncio.to_thread(write, entry), content_type, name)


def file_out(data: bytes, content_type: str, name: str) -> Response:
    """Return a file with its name in quotes and nothing after it, as wallabag-client requires."""
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Content-Type": content_type,
        # if a browser shows it: no scripts, no frames, nothing from other hosts
        "Content-Security-Policy": f"sandbox; {POLICY}",
    }
    return Response(data, headers=headers)


def name_file(name: str, otherwise: str) -> str:
    """Return the name if it is ASCII, as headers are, else `otherwise`."""
    return name if name.isascii() else otherwise


def write_json(entry: dict[str, Any]) -> bytes:
    return json.dumps([entry], ensure_ascii=False).encode("utf-8", "replace")


def write_csv(entry: dict[str, Any]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";", quoting=csv.QUOTE_ALL)
    writer.writerow(CSV_COLUMNS)
    cells = {**entry, "tags": ", ".join(tag["label"] for tag in entry["tags"])}
    writer.writerow([neutralise(str(cells[name] or "")) for name in CSV_COLUMNS])
    return out.getvalue().encode("utf-8", "replace")


def write_xml(entry: dict[str, Any]) -> bytes:
    from xml.etree import ElementTree  # only this request needs it

    root = ElementTree.Element("response")
    element = ElementTree.SubElement(root, "item", key="0")
    for name, value in entry.items():
        if isinstance(value, str | int) and not name.startswith("_"):
            ElementTree.SubElement(element, name).text = "".join(filter(is_xml_character, str(value)))
    tags = ElementTree.SubElement(element, "tags")
    for tag in entry["tags"]:
        ElementTree.SubElement(tags, "item").text = "".join(filter(is_xml_character, tag["label"]))
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def is_xml_character(character: str) -> bool:
    return character in "\t\n\r" or (character >= " " and character not in "\ufffe\uffff")


WRITERS: Final[dict[str, tuple[Callable[[dict[str, Any]], bytes], str]]] = {
    "json": (write_json, "application/json"),
    "csv": (write_csv, "application/csv"),
    "xml": (write_xml, "application/xml"),
}
