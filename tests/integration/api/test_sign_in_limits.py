"""Guessing passwords is slowed down, whatever the spelling of the name; nobody is locked out by a stranger."""

import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest

from kept.config import Settings
from kept.services.accounts import sessions
from support.builders.accounts import PASSWORD
from support.servers.serving import Answer, RunningKept, run_kept

pytestmark = pytest.mark.requirement("Kept", "password guessing is slowed down; strangers lock nobody out")

SPELLINGS: Final = ("ann", "ANN", "Ann", " ann ", "ａｎｎ", "Ａnn", "aｎn", "anｎ", "𝐚nn", "a𝐧n", "ᵃnn", "𝒶nn", "ⓐnn")


async def sign_in(running: RunningKept, name: str, password: str, *, address: str = "", cookie: str = "") -> Answer:
    headers = {"Origin": running.address}
    if address:
        headers["X-Forwarded-For"] = address
    if cookie:
        headers["Cookie"] = cookie
    return await running.nobody.post("/api/v1/session", {"name": name, "password": password}, **headers)


def device_cookie(answer: Answer) -> str:
    cookies = answer.headers.getall("Set-Cookie")
    return next(str(cookie).partition(";")[0] for cookie in cookies if cookie.startswith("kept_device="))


@pytest.fixture
async def running(sqlite_url: str, tmp_path: Path) -> AsyncIterator[RunningKept]:
    """Its limits are for an hour: on a busy machine a test takes minutes."""
    async with run_kept(Settings(database_url=sqlite_url, data_dir=tmp_path, login_rate="10/hour")) as kept:
        yield kept


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "SLOW_SECONDS", 0.1)


async def test_every_spelling_of_a_name_counts_for_the_same_limit(running: RunningKept) -> None:
    running.make_user("ann")
    answers = [(await sign_in(running, name, "a wrong one")).status for name in SPELLINGS]
    assert answers == [401] * 10 + [429] * (len(SPELLINGS) - 10)


async def test_a_stranger_cannot_lock_a_name_out(running: RunningKept) -> None:
    running.make_user("ann")
    for number in range(4):
        for _ in range(11):
            await sign_in(running, "ann", "a wrong one", address=f"203.0.113.{number}")
    assert (await sign_in(running, "ann", "a wrong one", address="203.0.113.1")).status == 429
    assert (await sign_in(running, "ann", PASSWORD, address="198.51.100.1")).status == 201


async def test_attempts_at_one_name_from_many_addresses_are_answered_later_whatever_its_spelling(
    running: RunningKept, monkeypatch: pytest.MonkeyPatch
) -> None:
    running.make_user("ann")
    for number, name in enumerate(SPELLINGS[:10]):
        assert (await sign_in(running, name, "a wrong one", address=f"203.0.113.{number}")).status == 401
    monkeypatch.setattr(sessions, "SLOW_SECONDS", 1.5)
    started = time.monotonic()
    assert (await sign_in(running, SPELLINGS[10], "a wrong one", address="203.0.113.99")).status == 401
    assert time.monotonic() - started >= 1.5


async def test_a_device_that_signed_in_before_is_not_limited_by_others(running: RunningKept) -> None:
    running.make_user("ann")
    cookie = device_cookie(await sign_in(running, "ann", PASSWORD))
    for _ in range(11):
        limited = await sign_in(running, "ann", "a wrong one")
    assert limited.status == 429
    assert (await sign_in(running, "ann", PASSWORD)).status == 429
    assert (await sign_in(running, "ann", PASSWORD, cookie=cookie)).status == 201


async def test_a_known_device_has_a_limit_of_its_own(running: RunningKept) -> None:
    running.make_user("ann")
    cookie = device_cookie(await sign_in(running, "ann", PASSWORD))
    answers = [(await sign_in(running, "ann", "a wrong one", cookie=cookie)).status for _ in range(11)]
    assert answers == [401] * 10 + [429]


async def test_the_mark_of_a_device_is_good_for_one_person_and_cannot_be_made_up(running: RunningKept) -> None:
    running.make_user("ann")
    running.make_user("bob")
    anns = device_cookie(await sign_in(running, "ann", PASSWORD))
    for cookie in (anns, anns[:-1] + ("0" if anns[-1] != "0" else "1"), "kept_device=x.y", "kept_device=x"):
        for _ in range(11):
            answer = await sign_in(running, "bob", "a wrong one", address="203.0.113.9", cookie=cookie)
        assert answer.status == 429


async def test_one_address_has_a_limit_for_all_names(running: RunningKept) -> None:
    answers = [(await sign_in(running, f"nobody{number}", "a wrong one")).status for number in range(31)]
    assert answers == [401] * 30 + [429]


async def test_addresses_of_one_ipv6_network_count_as_one(running: RunningKept) -> None:
    answers = [
        (await sign_in(running, "ann", "a wrong one", address=f"2001:db8::{number:x}")).status for number in range(11)
    ]
    assert answers == [401] * 10 + [429]
