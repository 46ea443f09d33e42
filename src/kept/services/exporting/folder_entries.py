"""The files of a folder export: a page for each article, which needs nothing else, in a folder for each library; and a
page that lists them."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Final
from uuid import UUID

from kept.content.export_formats import folder_index
from kept.content.export_formats.file_names import make_file_name
from kept.content.export_formats.html_file import write_html
from kept.content.export_formats.zip_stream import Deflated, Member
from kept.domain.library import Library
from kept.services.exporting.export_scope import ExportScope
from kept.services.exporting.iterate_export import iterate_export
from kept.services.exporting.open_spool import open_spool
from kept.services.exporting.read_article_file import read_article_file

INDEX: Final = "index.html"


async def folder_entries(scope: ExportScope) -> AsyncIterator[Member]:
    with open_spool() as spool:
        index, folders = Deflated(spool), _name_folders(scope.libraries)
        index.write(folder_index.BEGINNING)
        for library in scope.libraries:
            index.write(folder_index.begin_list(library))
            number = 0
            async for page in iterate_export(scope, library):
                for card in page.cards:
                    number += 1
                    article = await read_article_file(scope, page, card)
                    name = _name_file(folders[library.id], number, article.title) if article else None
                    index.write(folder_index.write_entry(card, name))
                    if article and name:
                        yield Member(name, await asyncio.to_thread(write_html, article))
            index.write(folder_index.LIST_END)
        index.write(folder_index.END)
        yield Member(INDEX, index.finish())


def _name_file(folder: str, number: int, title: str) -> str:
    return f"{folder}/{number:06}-{make_file_name(title)}.html"


def _name_folders(libraries: Iterable[Library]) -> dict[UUID, str]:
    """Libraries of one name get a number after it."""
    named: dict[UUID, str] = {}
    for library in libraries:
        name, number = make_file_name(library.name, "library"), 1
        while (folder := name if number == 1 else f"{name}-{number}") in named.values():
            number += 1
        named[library.id] = folder
    return named
