from datetime import timedelta

import pytest

from kept.domain.account import Scope, Session
from kept.ids import new_id
from kept.services.accounts.secrets import hash_secret
from kept.services.accounts.users import offer_set_up
from kept.storage import users
from support.builders.accounts import PASSWORD
from support.fixtures.transactions import reading, writing
from support.servers.serving import Person, RunningKept

HOUR = timedelta(hours=1)


async def offer(running: RunningKept, valid_for: timedelta = HOUR) -> str:
    secret = await running.kept.write(offer_set_up, valid_for=valid_for, now=running.kept.now())
    assert secret is not None
    return secret


async def test_the_set_up_link_makes_the_first_admin_once(running: RunningKept) -> None:
    body = {"token": await offer(running), "name": "Ann", "password": PASSWORD}
    first = await running.nobody.post("/api/v1/setup", body, Origin=running.address)
    again = await running.nobody.post("/api/v1/setup", body, Origin=running.address)
    assert (first.status, first.data["name"], first.data["is_admin"]) == (201, "ann", True)
    assert (again.status, again.error_code) == (403, "E_FORBIDDEN")
    assert await running.kept.write(offer_set_up, valid_for=HOUR, now=running.kept.now()) is None


async def test_a_newer_set_up_link_replaces_the_older_and_an_expired_one_is_refused(running: RunningKept) -> None:
    old = await offer(running)
    expired = await offer(running, valid_for=timedelta(seconds=-1))
    for token in (old, expired, "guess"):
        body = {"token": token, "name": "ann", "password": PASSWORD}
        assert (await running.nobody.post("/api/v1/setup", body, Origin=running.address)).status == 403


async def test_a_refused_set_up_leaves_the_link_unused(running: RunningKept) -> None:
    secret = await offer(running)
    short = {"token": secret, "name": "ann", "password": "short"}
    assert (await running.nobody.post("/api/v1/setup", short, Origin=running.address)).status == 400
    good = {"token": secret, "name": "ann", "password": PASSWORD}
    assert (await running.nobody.post("/api/v1/setup", good, Origin=running.address)).status == 201


async def test_an_unknown_name_and_a_wrong_password_get_the_same_answer(running: RunningKept) -> None:
    running.make_user("ann")
    wrong = await running.nobody.post("/api/v1/session", {"name": "ann", "password": "x"}, Origin=running.address)
    unknown = await running.nobody.post("/api/v1/session", {"name": "bob", "password": "x"}, Origin=running.address)
    assert wrong.status == unknown.status == 401
    assert wrong.json["error"]["message"] == unknown.json["error"]["message"]


async def test_signing_in_is_limited_per_name_and_says_when_to_come_back(running: RunningKept) -> None:
    running.make_user("ann")
    body = {"name": "ann", "password": "wrong"}
    answers = [await running.nobody.post("/api/v1/session", body, Origin=running.address) for _ in range(11)]
    assert [answer.status for answer in answers] == [401] * 10 + [429]
    assert answers[-1].error_code == "E_RATE_LIMITED"
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60


async def test_a_session_begins_and_ends(running: RunningKept) -> None:
    running.make_user("ann")
    signed_in = await running.nobody.post(
        "/api/v1/session", {"name": "ANN", "password": PASSWORD}, Origin=running.address
    )
    header = signed_in.headers["Set-Cookie"]
    assert all(part in header for part in ("kept_session=", "HttpOnly", "SameSite=lax", "Path=/"))
    cookie = header.partition(";")[0]
    sessions = await running.nobody.get("/api/v1/sessions", Cookie=cookie)
    assert [session["is_current"] for session in sessions.data] == [True]
    assert (await running.nobody.call("DELETE", "/api/v1/session", Cookie=cookie, Origin=running.address)).status == 204
    assert (await running.nobody.get("/api/v1/me", Cookie=cookie)).status == 401


async def test_over_https_the_cookie_is_bound_to_the_host(running: RunningKept) -> None:
    running.make_user("ann")
    answer = await running.nobody.post(
        "/api/v1/session",
        {"name": "ann", "password": PASSWORD},
        **{"Sec-Fetch-Site": "same-origin", "X-Forwarded-Proto": "https"},
    )
    header = answer.headers["Set-Cookie"]
    assert header.startswith("__Host-kept_session=")
    assert "Secure" in header
    assert "Domain" not in header


async def test_a_session_that_ran_out_is_nobody(running: RunningKept) -> None:
    ann = running.make_user("ann")
    now = running.kept.now()
    session = Session(new_id(), "", now, now, now - timedelta(seconds=1))
    with writing(running.kept.database) as tx:
        users.insert_session(tx, ann.id, session, hash_secret("old"))
    assert (await running.nobody.get("/api/v1/me", Cookie="kept_session=old")).status == 401


async def test_a_token_is_shown_once_and_only_its_hash_is_kept(running: RunningKept) -> None:
    ann = await running.make_person("ann")
    made = await ann.post("/api/v1/tokens", {"name": "phone", "scopes": ["read"]})
    assert made.status == 201
    token = made.data["token"]
    assert token.startswith("kept_")
    listed = await ann.get("/api/v1/tokens")
    assert token not in listed.body.decode()
    with reading(running.kept.database) as tx:
        rows = tx.exec_driver_sql("SELECT * FROM api_tokens").all()
    assert token not in str(rows)


async def test_a_token_says_when_it_was_last_used(running: RunningKept) -> None:
    ann = await running.make_person("ann")
    await ann.get("/api/v1/me")
    [token] = (await ann.get("/api/v1/tokens")).data
    assert token["last_used_at"] is not None


async def test_a_revoked_token_is_nobody_and_only_its_owner_can_revoke_it(running: RunningKept) -> None:
    ann, bob = await running.make_person("ann"), await running.make_person("bob")
    [token] = (await ann.get("/api/v1/tokens")).data
    assert (await bob.delete(f"/api/v1/tokens/{token['id']}")).status == 404
    assert (await ann.delete(f"/api/v1/tokens/{token['id']}")).status == 204
    assert (await ann.get("/api/v1/me")).status == 401


async def test_nobody_makes_a_token_that_reaches_further_than_they_do(running: RunningKept) -> None:
    ann = await running.make_person("ann")
    answer = await ann.post("/api/v1/tokens", {"name": "x", "scopes": ["admin"]})
    assert (answer.status, answer.error_code) == (403, "E_FORBIDDEN")


async def test_me_tells_who_one_is_and_what_one_may(running: RunningKept) -> None:
    ann = await running.make_person("ann", scopes={Scope.READ})
    me = (await ann.get("/api/v1/me")).data
    assert (me["user"]["name"], me["scopes"]) == ("ann", ["read"])
    assert me["default_library_id"] == (await ann.get("/api/v1/libraries")).data[0]["id"]


async def test_an_admin_adds_users_and_a_taken_name_is_a_conflict(running: RunningKept) -> None:
    root = await running.make_person("root", is_admin=True)
    body = {"name": "Bob", "password": PASSWORD}
    assert (await root.post("/api/v1/users", body)).status == 201
    again = await root.post("/api/v1/users", {**body, "name": "BOB"})
    assert (again.status, again.error_code) == (409, "E_CONFLICT")
    assert [user["name"] for user in (await root.get("/api/v1/users")).data] == ["bob", "root"]


@pytest.mark.parametrize("header", ["Basic abc", "Bearer", "Bearer kept_ü", "kept_x"])
async def test_odd_authorization_headers_are_nobody(running: RunningKept, header: str) -> None:
    assert (await running.nobody.get("/api/v1/me", Authorization=header)).status == 401


async def change_password(ann: Person, **others: object) -> int:
    body = {"current": PASSWORD, "new": "another good one", **others}
    return (await ann.post("/api/v1/me/password", body)).status


@pytest.mark.requirement("Kept", "a password change can revoke tokens")
async def test_a_password_change_leaves_tokens_unless_told_to_revoke_them(running: RunningKept) -> None:
    ann, bob = await running.make_person("ann"), await running.make_person("bob")
    assert await change_password(ann, current="a wrong one") == 403
    assert await change_password(ann) == 204
    assert (await ann.get("/api/v1/me")).status == 200
    assert await change_password(ann, current="another good one", new="a third good one", revoke_tokens=True) == 204
    assert (await ann.get("/api/v1/me")).status == 401
    assert (await bob.get("/api/v1/me")).status == 200


async def test_the_page_offers_to_revoke_tokens_with_the_password(running: RunningKept) -> None:
    ann = await running.make_person("ann")
    assert b'name="revoke_tokens"' in (await ann.get("/account", Accept="text/html")).body
    form = {"current": PASSWORD, "new": "another good one", "revoke_tokens": "1"}
    answer = await ann.send("/account/password", form)
    assert (answer.status, answer.headers["Location"]) == (303, "/account?done=password_and_tokens")
    assert (await ann.get("/api/v1/me")).status == 401
