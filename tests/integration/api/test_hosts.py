"""Links are made with the host that people use, never with one that a stranger put into the request."""

from pathlib import Path
from typing import Any, Final

import pytest

from kept.api.middleware import AllowedHosts
from kept.config import Settings
from support.builders.accounts import PASSWORD
from support.servers.serving import Answer, Person, RunningKept, run_kept

pytestmark = pytest.mark.requirement("Kept", "links do not follow a foreign Host")

FOREIGN: Final = "evil.example"
SCOPE: Final[dict[str, Any]] = {"server": ("127.0.0.1", 8484)}


async def bookmarklet(person: Person, host: str) -> str:
    return (await person.get("/help", Accept="text/html", Host=host)).body.decode()


async def follow_slash(person: Person, host: str) -> Answer:
    return await person.get("/help/", Accept="text/html", Host=host)


@pytest.mark.parametrize("host", ["localhost:8484", "nas", "kept.local:80", "192.168.1.5:8484", "[fd00::1]:8484"])
async def test_a_private_host_is_the_one_links_use(reader: Person, host: str) -> None:
    assert f"http://{host}/add?window=1" in await bookmarklet(reader, host)


async def test_a_foreign_host_is_in_no_link(reader: Person) -> None:
    page = await bookmarklet(reader, FOREIGN)
    assert FOREIGN not in page
    assert f"{reader.address}/add?window=1" in page


async def test_a_redirect_does_not_follow_a_foreign_host(reader: Person) -> None:
    answer = await follow_slash(reader, FOREIGN)
    assert answer.status == 307
    assert answer.headers["Location"] == f"{reader.address}/help"


async def test_with_a_public_url_a_foreign_host_becomes_it(sqlite_url: str, tmp_path: Path) -> None:
    settings = Settings(database_url=sqlite_url, data_dir=tmp_path, public_url="https://kept.example.org")
    async with run_kept(settings) as running:
        ann = await running.make_person("ann")
        assert "kept.example.org" in (await follow_slash(ann, FOREIGN)).headers["Location"]
        assert "https://kept.example.org/add" in await bookmarklet(ann, FOREIGN)


async def test_a_host_can_be_allowed(sqlite_url: str, tmp_path: Path) -> None:
    hosts = "kept.example.net, other.example"
    async with run_kept(Settings(database_url=sqlite_url, data_dir=tmp_path, allowed_hosts=hosts)) as running:
        ann = await running.make_person("ann")
        assert "http://kept.example.net/add" in await bookmarklet(ann, "kept.example.net")
        assert FOREIGN not in await bookmarklet(ann, FOREIGN)


async def test_people_under_any_host_can_still_sign_in(running: RunningKept) -> None:
    running.make_user("ann")
    body = {"name": "ann", "password": PASSWORD}
    headers = {"Host": FOREIGN, "Origin": f"http://{FOREIGN}"}
    assert (await running.nobody.post("/api/v1/session", body, **headers)).status == 201
    cross_site = {"Host": "localhost", "Origin": f"http://{FOREIGN}"}
    assert (await running.nobody.post("/api/v1/session", body, **cross_site)).status == 403


@pytest.mark.parametrize(
    "host",
    [
        b"evil.example",
        b"8.8.8.8",
        b"[2001:4860:4860::8888]",
        b"a@b",
        b"x" * 300,
        b"",
        b"localhost:1:2",
        b"\xff",
        b"a b",
    ],
)
def test_what_is_no_private_host_is_not_allowed(host: bytes) -> None:
    assert AllowedHosts(Settings()).choose(host, SCOPE) == b"127.0.0.1:8484"
