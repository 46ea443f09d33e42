"""Library pages: create, rename and delete libraries, and manage their members."""

from dataclasses import dataclass
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Form, Request, Response

from kept.api.access import KeptDep, Writer
from kept.domain.account import Viewer
from kept.domain.errors import Conflict, InvalidRequest, KeptError, NotFound
from kept.domain.library import Role
from kept.services.libraries.libraries import (
    create_library,
    delete_library,
    get_library,
    list_libraries,
    rename_library,
    set_captures_pages,
)
from kept.services.libraries.members import add_member, change_role, list_members, remove_member
from kept.web.i18n import N_
from kept.web.notices import Notice, NoticeDep
from kept.web.rendering import Visit, Visiting, begin_visit, go_to
from kept.wiring.server import Kept

router = APIRouter(include_in_schema=False)

Text = Annotated[str, Form()]
ROLE_LABELS: Final = {Role.MEMBER: N_("Can read"), Role.ADMIN: N_("Can edit and manage")}


@router.get("/libraries")
async def show_libraries(visit: Visiting, notice: NoticeDep) -> Response:
    return await render_libraries(visit, notice)


async def render_libraries(
    visit: Visit, notice: Notice | None, name: str = "", error: KeptError | None = None
) -> Response:
    libraries = await visit.kept.read(list_libraries, visit.viewer)
    shown = {"libraries": libraries, "role_labels": ROLE_LABELS, "notice": notice}
    status, message = (error.http_status, error.told) if error else (200, None)
    return visit.render("libraries.html", status, **shown, name=name, error=message)


@router.post("/libraries")
async def submit_library(request: Request, viewer: Writer, kept: KeptDep, name: Text = "") -> Response:
    try:
        library = await kept.write(create_library, viewer, name=name, now=kept.now())
    except InvalidRequest as error:
        return await render_libraries(await begin_visit(request, viewer, kept), None, name, error)
    return go_to(f"/libraries/{library.id}")


@router.get("/libraries/{library_id}")
async def show_one(visit: Visiting, library_id: UUID, notice: NoticeDep) -> Response:
    return await render_library(visit, library_id, notice=notice)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a form of the page, and what was typed into it."""

    form: str
    error: KeptError
    typed: str = ""


async def render_library(
    visit: Visit, library_id: UUID, *, notice: Notice | None = None, fault: Fault | None = None
) -> Response:
    database, viewer = visit.kept.database, visit.viewer
    library, role = await database.read(get_library, viewer, library_id)
    members = await database.read(list_members, viewer, library_id)
    shown = {"library": library, "role": role, "members": members, "role_labels": ROLE_LABELS}
    status, keeps = fault.error.http_status if fault else 200, visit.kept.settings.keeps_whole_pages
    return visit.render("library_settings.html", status, **shown, notice=notice, fault=fault, keeps_whole_pages=keeps)


@router.post("/libraries/{library_id}")
async def submit_change(
    request: Request, viewer: Writer, kept: KeptDep, library_id: UUID, action: Text = "rename", name: Text = ""
) -> Response:
    try:
        return await run_change(kept, viewer, library_id, action, name)
    except (InvalidRequest, Conflict) as error:
        visit = await begin_visit(request, viewer, kept)
        return await render_library(visit, library_id, fault=Fault(action, error, name))


async def run_change(kept: Kept, viewer: Viewer, library_id: UUID, action: str, name: str) -> Response:
    match action:
        case "rename":
            await kept.write(rename_library, viewer, library_id, name=name, now=kept.now())
            return go_to(f"/libraries/{library_id}", done="saved")
        case "capture_on" | "capture_off":
            wanted = action == "capture_on"
            await kept.write(set_captures_pages, viewer, library_id, wanted=wanted, now=kept.now())
            return go_to(f"/libraries/{library_id}", done="saved")
        case "delete":
            await kept.write(delete_library, viewer, library_id)
            return go_to("/libraries", done="gone")
        case "leave":
            await kept.write(remove_member, viewer, library_id, viewer.user_id)
            return go_to("/libraries", done="left")
    raise InvalidRequest(N_("Unknown action."))


@router.post("/libraries/{library_id}/members")
async def submit_member(
    request: Request, viewer: Writer, kept: KeptDep, library_id: UUID, user_name: Text = "", role: Text = Role.MEMBER
) -> Response:
    # 404 for a library that the viewer cannot see, before anything is said of names
    await kept.read(get_library, viewer, library_id)
    try:
        await kept.write(add_member, viewer, library_id, user_name=user_name, role=parse_role(role), now=kept.now())
    except (InvalidRequest, Conflict, NotFound) as error:
        visit = await begin_visit(request, viewer, kept)
        return await render_library(visit, library_id, fault=Fault("member", error, user_name))
    return go_to(f"/libraries/{library_id}", done="joined")


@router.post("/libraries/{library_id}/members/{user_id}")
async def submit_member_change(
    request: Request, viewer: Writer, kept: KeptDep, library_id: UUID, user_id: UUID, action: Text = ""
) -> Response:
    try:
        if action == "remove":
            await kept.write(remove_member, viewer, library_id, user_id)
        else:
            await kept.write(change_role, viewer, library_id, user_id, role=parse_role(action))
    except (InvalidRequest, Conflict) as error:
        visit = await begin_visit(request, viewer, kept)
        return await render_library(visit, library_id, fault=Fault("members", error))
    return go_to(f"/libraries/{library_id}", done="saved")


def parse_role(text: str) -> Role:
    try:
        return Role(text)
    except ValueError:
        raise InvalidRequest(N_("Unknown role.")) from None
