from typing import Any
from uuid import uuid4

import pytest

from support.servers.serving import Answer, Person, RunningKept


async def make_library(person: Person, name: str = "Team") -> str:
    answer = await person.post("/api/v1/libraries", {"name": name})
    assert answer.status == 201
    return str(answer.data["id"])


async def invite(library_id: str, admin: Person, guest: Person, role: str = "member") -> Answer:
    assert guest.user is not None
    body = {"user_name": guest.user.name, "role": role}
    return await admin.post(f"/api/v1/libraries/{library_id}/members", body)


async def test_everybody_begins_with_one_personal_library(running: RunningKept) -> None:
    ann = await running.make_person("ann")
    [library] = (await ann.get("/api/v1/libraries")).data
    assert (library["is_default"], library["role"]) == (True, "admin")


async def test_a_personal_library_can_be_renamed_but_not_shared_or_removed(running: RunningKept) -> None:
    ann, bob = await running.make_person("ann"), await running.make_person("bob")
    library_id = (await ann.get("/api/v1/libraries")).data[0]["id"]
    renamed = await ann.patch(f"/api/v1/libraries/{library_id}", {"name": "  Ann's   shelf "})
    assert renamed.data["name"] == "Ann's shelf"
    assert (await invite(library_id, ann, bob)).status == 409
    assert (await ann.delete(f"/api/v1/libraries/{library_id}")).status == 409
    assert ann.user is not None
    assert (await ann.delete(f"/api/v1/libraries/{library_id}/members/{ann.user.id}")).status == 409


async def test_what_one_is_no_member_of_is_not_there_and_looks_like_what_does_not_exist(running: RunningKept) -> None:
    ann, bob = await running.make_person("ann"), await running.make_person("bob")
    hidden, missing = await make_library(ann), str(uuid4())
    requests: list[tuple[str, str, Any]] = [
        ("GET", "", None),
        ("PATCH", "", {"name": "x"}),
        ("DELETE", "", None),
        ("GET", "/members", None),
        ("POST", "/members", {"user_name": "bob"}),
        ("PATCH", f"/members/{ann.user.id if ann.user else ''}", {"role": "member"}),
        ("DELETE", f"/members/{ann.user.id if ann.user else ''}", None),
    ]
    for method, path, body in requests:
        seen = await bob.call(method, f"/api/v1/libraries/{hidden}{path}", body)
        unseen = await bob.call(method, f"/api/v1/libraries/{missing}{path}", body)
        assert seen.status == unseen.status == 404
        assert without_request_id(seen) == without_request_id(unseen)


def without_request_id(answer: Answer) -> dict[str, str]:
    return {name: value for name, value in answer.json["error"].items() if name != "request_id"}


async def test_a_member_sees_a_library_but_may_not_change_it(running: RunningKept) -> None:
    ann, bob, eve = [await running.make_person(name) for name in ("ann", "bob", "eve")]
    library_id = await make_library(ann)
    assert (await invite(library_id, ann, bob)).status == 201
    assert (await bob.get(f"/api/v1/libraries/{library_id}")).data["role"] == "member"
    assert [m["user_name"] for m in (await bob.get(f"/api/v1/libraries/{library_id}/members")).data] == ["ann", "bob"]
    for answer in (
        await bob.patch(f"/api/v1/libraries/{library_id}", {"name": "mine"}),
        await bob.delete(f"/api/v1/libraries/{library_id}"),
        await invite(library_id, bob, eve),
    ):
        assert (answer.status, answer.error_code) == (403, "E_FORBIDDEN")


async def test_a_member_may_leave_and_an_admin_may_remove(running: RunningKept) -> None:
    ann, bob, eve = [await running.make_person(name) for name in ("ann", "bob", "eve")]
    assert bob.user is not None
    assert eve.user is not None
    library_id = await make_library(ann)
    await invite(library_id, ann, bob)
    await invite(library_id, ann, eve)
    assert (await bob.delete(f"/api/v1/libraries/{library_id}/members/{bob.user.id}")).status == 204
    assert (await ann.delete(f"/api/v1/libraries/{library_id}/members/{eve.user.id}")).status == 204
    assert (await bob.get(f"/api/v1/libraries/{library_id}")).status == 404


async def test_the_last_admin_can_neither_leave_nor_step_down(running: RunningKept) -> None:
    ann, bob = await running.make_person("ann"), await running.make_person("bob")
    assert ann.user is not None
    library_id = await make_library(ann)
    await invite(library_id, ann, bob)
    member = f"/api/v1/libraries/{library_id}/members/{ann.user.id}"
    assert (await ann.delete(member)).status == 409
    assert (await ann.patch(member, {"role": "member"})).status == 409
    assert bob.user is not None
    await ann.patch(f"/api/v1/libraries/{library_id}/members/{bob.user.id}", {"role": "admin"})
    assert (await ann.patch(member, {"role": "member"})).data["role"] == "member"


async def test_inviting_twice_is_a_conflict_and_inviting_nobody_is_not_found(running: RunningKept) -> None:
    ann, bob = await running.make_person("ann"), await running.make_person("bob")
    library_id = await make_library(ann)
    assert [(await invite(library_id, ann, bob)).status for _ in range(2)] == [201, 409]
    answer = await ann.post(f"/api/v1/libraries/{library_id}/members", {"user_name": "nobody"})
    assert answer.status == 404


@pytest.mark.parametrize("body", [{}, {"name": ""}, {"name": " "}, {"name": "x" * 201}, {"name": "a", "b": 1}, [], "x"])
async def test_a_bad_body_gets_a_clear_error(running: RunningKept, body: Any) -> None:
    ann = await running.make_person("ann")
    answer = await ann.post("/api/v1/libraries", body)
    assert (answer.status, answer.error_code) == (400, "E_INVALID_REQUEST")
    assert answer.json["error"]["message"]
