"""Instapaper's CSV. `Unread`, `Archive` and `Starred` are its own places, every other folder is somebody's; older
files have no `Tags`, which are a JSON list."""

from collections.abc import Iterator
from typing import Final

from kept.content.import_formats.csv_rows import Row, read_csv
from kept.content.import_formats.uploaded_file import FileReader, UploadedFile
from kept.content.import_formats.values import parse_json_list, parse_moment, text_of
from kept.domain.imported import ImportedEntry, ImportedHighlight, ImportedLink

COLUMNS: Final = frozenset({"url", "title", "selection", "folder"})
OWN_FOLDERS: Final = frozenset({"unread", "archive", "starred", ""})


def recognises(file: UploadedFile) -> bool:
    return file.columns >= COLUMNS


def read(file: UploadedFile) -> Iterator[ImportedEntry]:
    return read_csv(file, read_row)


def read_row(row: Row) -> ImportedEntry:
    folder = row.get("folder", "").strip()
    selection = text_of(row.get("selection"))
    return ImportedLink(
        url=row.get("url", ""),
        title=row.get("title"),
        tags=parse_json_list(row.get("tags", "")) or (),
        folders=() if folder.lower() in OWN_FOLDERS else ((folder,),),
        added_at=parse_moment(row.get("timestamp")),
        is_read=folder.lower() == "archive",
        is_archived=folder.lower() == "archive",
        is_favourite=folder.lower() == "starred",
        highlights=(ImportedHighlight(selection),) if selection else (),
    )


READER: Final = FileReader("instapaper", "Instapaper", recognises, read)
