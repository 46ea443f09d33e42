"""Libraries and their members; exports of libraries as files."""

from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field, StrictBool

from kept.api.access import Finder, KeptDep, Reader, Writer
from kept.api.envelope import ApiModel, Data, RequestModel, errors
from kept.api.requests import find_base_url
from kept.api.uploads import export_response
from kept.domain.exporting import ExportFormat
from kept.domain.library import Library, Role
from kept.services.exporting.libraries import KINDS, export_library, prepare_export
from kept.services.libraries.libraries import create_library, list_libraries, rename_library, set_captures_pages
from kept.services.libraries.libraries import delete_library as remove_library
from kept.services.libraries.libraries import get_library as load_library
from kept.services.libraries.members import add_member, change_role, list_members, remove_member

router = APIRouter(prefix="/api/v1/libraries", tags=["libraries"])

Name = Annotated[str, Field(min_length=1, max_length=200)]


class LibraryOut(ApiModel):
    id: UUID
    name: str
    is_default: bool
    role: Role
    captures_pages: bool = Field(description="Whether a copy of the whole page is kept of everything saved here.")
    created_at: datetime
    updated_at: datetime


class MemberOut(ApiModel):
    user_id: UUID
    user_name: str
    role: Role


class LibraryIn(RequestModel):
    name: Name


class LibraryPatch(RequestModel):
    name: Name | None = None
    captures_pages: StrictBool | None = None


class MemberIn(RequestModel):
    user_name: Name
    role: Role = Role.MEMBER


class RoleIn(RequestModel):
    role: Role


def library_out(library: Library, role: Role) -> LibraryOut:
    return LibraryOut.of(library, role=role)


@router.get("")
async def get_libraries(viewer: Finder, kept: KeptDep) -> Data[list[LibraryOut]]:
    """List the libraries the user is a member of, the personal one first."""
    return Data(data=[library_out(*found) for found in await kept.read(list_libraries, viewer)])


@router.post("", status_code=201)
async def post_library(body: LibraryIn, viewer: Writer, kept: KeptDep) -> Data[LibraryOut]:
    library = await kept.write(create_library, viewer, name=body.name, now=kept.now())
    return Data(data=library_out(library, Role.ADMIN))


@router.get("/{library_id}", responses=errors(404))
async def get_library(library_id: UUID, viewer: Reader, kept: KeptDep) -> Data[LibraryOut]:
    return Data(data=library_out(*await kept.read(load_library, viewer, library_id)))


@router.patch("/{library_id}", responses=errors(403, 404))
async def patch_library(library_id: UUID, body: LibraryPatch, viewer: Writer, kept: KeptDep) -> Data[LibraryOut]:
    """Change the fields of a library that are sent."""
    database, now = kept.database, kept.now()
    library, role = await database.read(load_library, viewer, library_id)
    if body.captures_pages is not None:
        library = await database.write(set_captures_pages, viewer, library_id, wanted=body.captures_pages, now=now)
    if body.name is not None or body.captures_pages is None:
        library = await database.write(rename_library, viewer, library_id, name=body.name or library.name, now=now)
    return Data(data=library_out(library, role))


@router.delete("/{library_id}", status_code=204, responses=errors(403, 404, 409))
async def delete_library(library_id: UUID, viewer: Writer, kept: KeptDep) -> None:
    """Delete a shared library and its items. Pages saved in other libraries are not affected."""
    await kept.write(remove_library, viewer, library_id)


@router.get("/{library_id}/members", responses=errors(404))
async def get_members(library_id: UUID, viewer: Reader, kept: KeptDep) -> Data[list[MemberOut]]:
    members = await kept.read(list_members, viewer, library_id)
    return Data(data=[MemberOut.model_validate(member) for member in members])


@router.post("/{library_id}/members", status_code=201, responses=errors(403, 404, 409))
async def post_member(library_id: UUID, body: MemberIn, viewer: Writer, kept: KeptDep) -> Data[MemberOut]:
    member = await kept.write(add_member, viewer, library_id, user_name=body.user_name, role=body.role, now=kept.now())
    return Data(data=MemberOut.model_validate(member))


@router.patch("/{library_id}/members/{user_id}", responses=errors(403, 404, 409))
async def patch_member(library_id: UUID, user_id: UUID, body: RoleIn, viewer: Writer, kept: KeptDep) -> Data[MemberOut]:
    member = await kept.write(change_role, viewer, library_id, user_id, role=body.role)
    return Data(data=MemberOut.model_validate(member))


@router.delete("/{library_id}/members/{user_id}", status_code=204, responses=errors(403, 404, 409))
async def delete_member(library_id: UUID, user_id: UUID, viewer: Writer, kept: KeptDep) -> None:
    """Remove a member, or leave the library."""
    await kept.write(remove_member, viewer, library_id, user_id)


# --- exports ----------------------------------------------------------------------------------------------------------


export_router = APIRouter(prefix="/api/v1/export", tags=["export"])

EXPORTED: Final[dict[str, dict[str, object]]] = {kind.content_type.partition(";")[0]: {} for kind in KINDS.values()}


class ExportQuery(RequestModel):
    format: ExportFormat = ExportFormat.JSON
    library_id: UUID | None = None


@export_router.get("", response_class=Response, responses={200: {"content": EXPORTED}, **errors(404)})
async def get_export(
    query: Annotated[ExportQuery, Query()], viewer: Reader, request: Request, kept: KeptDep
) -> Response:
    """Export all libraries of the user, or one of them, as one file.

    `json` is a ZIP with everything, which Kept can import; `html` bookmarks for browsers; `csv` for spreadsheets;
    `epub` an e-book with all articles; `folder` a ZIP with self-contained web pages. Of the user's highlights:
    `highlights-markdown` a ZIP with a Markdown file a page, `highlights-csv` what Readwise imports, `highlights-json`
    W3C annotations.
    """
    base_url = find_base_url(request, kept)
    scope = await prepare_export(kept.images, viewer, query.library_id, kept.now(), base_url=base_url)
    return export_response(await export_library(scope, query.format))
