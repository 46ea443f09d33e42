"""Nothing internal can be reached: our own set of hostile URLs, on loopback alone, so that it runs everywhere.

The port of a listening site counts as an ordinary web port here; only the address stands between us and it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from kept.config import parse_allowed_target
from kept.domain.failures import FailureCode
from kept.fetch.outcome import Fetched, FetchFailed, FetchReason
from kept.fetch.policy import EgressPolicy, Refusal, TrustLevel
from kept.urls.host import IPAddress
from kept.urls.url import NormalisedUrl, get_url, parse_url
from support.servers.sites import LIMITS, FakeDns, Site, make_gate, page, pages, redirect, run_site

pytestmark = [
    pytest.mark.requirement("000", "FR-018", "US6.2", "SC-005"),
    pytest.mark.requirement("002", "§9 fetch hardening"),
    pytest.mark.requirement("003", "§8.1 SSRF"),
    pytest.mark.requirement("001", "§9"),
]

LOOPBACKS = [
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "0x7f.1",
    "0x7f000001",
    "0177.0.0.1",
    "0177.0.0.01",
    "2130706433",
    "017700000001",
    "1２7.0.0.1",
    "127。0。0。1",
    "①②⑦.⓪.⓪.①",
    "0.0.0.0",
    "0",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[2002:7f00:1::1]",
    "localhost",
    "LOCALHOST.",
    "a.localhost",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "evil.example",
    "rebinding.example",
    "printer.local",
    "metadata.google.internal",
]

ZONE = {
    "localhost": ["127.0.0.1", "::1"],
    "a.localhost": ["127.0.0.1"],
    "evil.example": ["127.0.0.1"],
    "printer.local": ["127.0.0.1"],
    "metadata.google.internal": ["127.0.0.1"],
}
TURNS = {"rebinding.example": [["93.184.216.34", "127.0.0.1"], ["127.0.0.1"], ["::1"], ["127.0.0.1", "::1"]]}


@asynccontextmanager
async def listening() -> AsyncIterator[Site]:
    """One port on both loopback addresses."""
    async with (
        run_site(pages({"/": page(b"secret")})) as site,
        await asyncio.start_server(site.serve, "::1", site.port),
    ):
        yield site


@pytest.mark.parametrize("host", LOOPBACKS)
async def test_no_spelling_of_loopback_leads_to_a_connection(host: str) -> None:
    async with listening() as site, make_gate(dns=FakeDns(ZONE, TURNS), ports=[site.port]) as gate:
        url = parse_url(f"http://{host}:{site.port}/")
        assert isinstance(url, NormalisedUrl)
        for _ in range(4):
            failed = await gate.fetch(url, LIMITS)
            assert isinstance(failed, FetchFailed)
            assert (failed.code, failed.is_transient) == (FailureCode.FETCH_FORBIDDEN, False)
            assert failed.blocked is not None
            assert "127" not in failed.message
        assert site.connections == 0


@pytest.mark.parametrize("host", LOOPBACKS)
@pytest.mark.parametrize("hops", range(5))
async def test_no_redirect_leads_there_either(host: str, hops: int) -> None:
    async with listening() as inside:
        chain = {f"/{hop}": redirect(f"/{hop - 1}") for hop in range(1, hops + 1)}
        chain["/0"] = redirect(f"http://{host}:{inside.port}/")
        dns = FakeDns({**ZONE, "public.example": ["127.0.0.1"]}, TURNS)
        async with run_site(pages(chain)) as outside, make_gate(outside.allowed, dns=dns, ports=[inside.port]) as gate:
            failed = await gate.fetch(get_url(outside.url(f"/{hops}", host="public.example")), LIMITS)
        assert isinstance(failed, FetchFailed)
        assert failed.code is FailureCode.FETCH_FORBIDDEN
        assert failed.redirects == hops + 1
        assert inside.connections == 0


async def test_a_name_that_moves_inside_after_the_first_fetch_is_not_followed() -> None:
    inside = Site(pages({"/": page(b"secret")}), "127.0.0.2")
    turns = {"moving.example": [["127.0.0.1"], ["127.0.0.2"], ["127.0.0.1", "127.0.0.2"]]}
    closing = pages({"/": page(Connection="close")})  # so that each fetch has to connect anew
    async with (
        run_site(closing) as site,
        await asyncio.start_server(inside.serve, "127.0.0.2", site.port),
        make_gate(site.allowed, dns=FakeDns(turns=turns)) as gate,
    ):
        outcomes = [await gate.fetch(get_url(site.url(host="moving.example")), LIMITS) for _ in range(3)]
    assert [isinstance(outcome, Fetched) for outcome in outcomes] == [True, False, False]
    assert inside.connections == 0


async def test_the_verdict_at_the_socket_alone_is_enough() -> None:
    class Careless(EgressPolicy):
        """Forgets to judge URLs and answers."""

        def judge_url(self, url: NormalisedUrl, trust_level: TrustLevel) -> Refusal | None:
            return None

        def judge_answer(self, name: str, port: int, addresses: object, trust_level: TrustLevel) -> Refusal | None:
            return None

    async with listening() as site, make_gate(dns=FakeDns(ZONE), policy=Careless(ports=[site.port])) as gate:
        for host in ("127.0.0.1", "[::1]", "evil.example", "localhost"):
            failed = await gate.fetch(get_url(f"http://{host}:{site.port}/"), LIMITS)
            assert isinstance(failed, FetchFailed)
            assert failed.reason is FetchReason.FORBIDDEN_ADDRESS
        assert site.connections == 0


async def test_the_verdict_on_the_answer_is_there_before_the_socket() -> None:
    class Blind(EgressPolicy):
        """Never sees a socket."""

        judged: list[IPAddress] = []  # noqa: RUF012

        def judge_answer(self, name: str, port: int, addresses: object, trust_level: TrustLevel) -> Refusal | None:
            return Refusal(FetchReason.FORBIDDEN_NAME)

        def judge_socket(self, address: IPAddress, port: int, trust_level: TrustLevel) -> Refusal | None:
            self.judged.append(address)
            return None

    async with listening() as site, make_gate(dns=FakeDns(ZONE), policy=Blind(ports=[site.port])) as gate:
        failed = await gate.fetch(get_url(f"http://evil.example:{site.port}/"), LIMITS)
    assert isinstance(failed, FetchFailed)
    assert failed.reason is FetchReason.FORBIDDEN_NAME
    assert Blind.judged == []


async def test_what_the_operator_allowed_may_be_saved() -> None:
    async with run_site(pages({"/": page(), "/r": redirect("/")})) as site, make_gate(site.allowed) as gate:
        assert isinstance(await gate.fetch(get_url(site.url()), LIMITS), Fetched)
        assert isinstance(await gate.fetch(get_url(site.url("/r")), LIMITS), Fetched)


async def test_a_redirect_from_elsewhere_may_not_reach_what_the_operator_allowed() -> None:
    dns = FakeDns({"public.example": ["127.0.0.1"]})
    async with (
        run_site(pages({"/": page(b"secret")})) as nas,
        run_site(pages({"/": redirect(nas.url())})) as public,
        make_gate(nas.allowed, public.allowed, dns=dns, ports=[nas.port]) as gate,
    ):
        saved = await gate.fetch(get_url(nas.url()), LIMITS)
        assert isinstance(saved, Fetched)  # and its connection is kept alive
        failed = await gate.fetch(get_url(public.url(host="public.example")), LIMITS)
    assert isinstance(failed, FetchFailed)
    assert failed.reason is FetchReason.FORBIDDEN_ADDRESS
    assert len(nas.requests) == 1


async def test_having_left_the_saved_host_a_redirect_may_not_come_back_to_it() -> None:
    async with run_site(pages({})) as nas:
        there = f"http://public.example:{nas.port}/there"
        nas.handler = pages({"/": redirect(there), "/there": redirect(nas.url("/secret")), "/secret": page(b"secret")})
        dns = FakeDns({"public.example": ["127.0.0.1"]})
        async with make_gate(nas.allowed, dns=dns, ports=[nas.port]) as gate:
            failed = await gate.fetch(get_url(nas.url()), LIMITS)
    assert isinstance(failed, FetchFailed)
    assert failed.reason is FetchReason.FORBIDDEN_ADDRESS
    assert [request.target for request in nas.requests] == ["/"]


async def test_the_allow_list_never_opens_metadata() -> None:
    policy = EgressPolicy(ports=[80], allow=[parse_allowed_target("0.0.0.0/0:80"), parse_allowed_target("[::/0]:80")])
    async with make_gate(dns=FakeDns({"evil.example": ["169.254.169.254"]}), policy=policy) as gate:
        for host in ("169.254.169.254", "evil.example", "[fd00:ec2::254]", "168.63.129.16", "100.100.100.200"):
            failed = await gate.fetch(get_url(f"http://{host}/"), LIMITS)
            assert isinstance(failed, FetchFailed)
            assert failed.blocked == "metadata"
