"""The browser's proxy, spoken to by hand: who may use it, what it lets through, what it costs."""

import asyncio
import base64
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from prometheus_client import REGISTRY

from kept.config import parse_allowed_target
from kept.fetch.outcome import FetchReason
from kept.fetch.policy import EgressPolicy
from kept.fetch.proxy import MAX_HEAD_BYTES, BrowserProxy, ProxyLimits, ProxyVisit
from kept.urls.url import get_url
from support.servers.browsers import MakeSite
from support.servers.sites import FakeDns, Request, page, redirect

MakeProxy = Callable[..., Any]

PATIENCE = 20.0
# Our sites keep connections open, whatever they are asked: the proxy hangs up for them.
QUICK = {"idle_seconds": 0.5}


@pytest.fixture
async def start_proxy() -> AsyncIterator[MakeProxy]:
    """Call it with what KEPT_FETCH_ALLOW would hold; other names are `ProxyLimits`."""
    async with contextlib.AsyncExitStack() as proxies:

        async def start(*allow: str, dns: FakeDns | None = None, **limits: Any) -> BrowserProxy:
            policy = EgressPolicy(ports={80, 443}, allow=[parse_allowed_target(text) for text in allow])
            proxy = BrowserProxy(policy=policy, resolver=dns or FakeDns(), limits=ProxyLimits(**QUICK | limits))
            await proxy.start()
            proxies.push_async_callback(proxy.close)
            return proxy

        yield start


def credentials(visit: ProxyVisit) -> str:
    token = base64.b64encode(f"{visit.username}:{visit.password}".encode()).decode()
    return f"Proxy-Authorization: Basic {token}"


def port_of(proxy: BrowserProxy) -> int:
    return int(proxy.address.rpartition(":")[2])


async def ask(proxy: BrowserProxy, line: str, *headers: str, body: bytes = b"") -> bytes:
    """One request, and everything that comes back until the proxy hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port_of(proxy))
    writer.write("\r\n".join((line, *headers, "", "")).encode() + body)
    async with asyncio.timeout(PATIENCE):
        try:
            answer = await reader.read()
        except ConnectionResetError:
            answer = b""
    writer.close()
    return answer


async def open_tunnel(
    proxy: BrowserProxy, visit: ProxyVisit, target: str
) -> tuple[bytes, asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port_of(proxy))
    writer.write(f"CONNECT {target} HTTP/1.1\r\n{credentials(visit)}\r\n\r\n".encode())
    async with asyncio.timeout(PATIENCE):
        return await reader.readuntil(b"\r\n\r\n"), reader, writer


def count_refusals_in_metrics() -> float:
    labels = [{"outcome": "failed", "reason": reason} for reason in ("loopback", "private")]
    return sum(REGISTRY.get_sample_value("kept_egress_total", label) or 0 for label in labels)


async def test_it_listens_on_loopback_only(start_proxy: MakeProxy) -> None:
    proxy = await start_proxy()

    assert proxy.address.startswith("http://127.0.0.1:")


@pytest.mark.parametrize(
    "header",
    [
        "Accept: */*",
        "Proxy-Authorization: Basic " + base64.b64encode(b"wrong:wrong").decode(),
        "Proxy-Authorization: Basic nonsense",
        "Authorization: Basic " + base64.b64encode(b"wrong:wrong").decode(),
    ],
)
@pytest.mark.parametrize("form", ["CONNECT {host} HTTP/1.1", "GET http://{host}/ HTTP/1.1"])
async def test_whoever_does_not_know_the_secret_is_turned_away(
    start_proxy: MakeProxy, site: MakeSite, form: str, header: str
) -> None:
    here = await site({"/": page()})
    proxy = await start_proxy(here.allowed)
    with proxy.visit(get_url(here.url())):
        answer = await ask(proxy, form.format(host=f"127.0.0.1:{here.port}"), header)

    assert answer.startswith(b"HTTP/1.1 407 ")
    assert here.connections == 0


async def test_a_secret_is_worth_nothing_once_its_visit_is_over(start_proxy: MakeProxy, site: MakeSite) -> None:
    here = await site({"/": page()})
    proxy = await start_proxy(here.allowed)
    with proxy.visit(get_url(here.url())) as visit:
        during = await ask(proxy, f"GET {here.url()} HTTP/1.1", credentials(visit))

    after = await ask(proxy, f"GET {here.url()} HTTP/1.1", credentials(visit))

    assert during.startswith(b"HTTP/1.1 200 ")
    assert after.startswith(b"HTTP/1.1 407 ")


async def test_connections_are_cut_when_the_visit_ends(start_proxy: MakeProxy, site: MakeSite) -> None:
    here = await site({"/": page()})
    proxy = await start_proxy(here.allowed)
    with proxy.visit(get_url(here.url())) as visit:
        head, reader, writer = await open_tunnel(proxy, visit, f"127.0.0.1:{here.port}")

    async with asyncio.timeout(PATIENCE):
        rest = await reader.read()
    writer.close()

    assert (head.split()[1], rest) == (b"200", b"")


async def test_a_request_passes_whole_and_the_secret_does_not(start_proxy: MakeProxy, site: MakeSite) -> None:
    seen: list[Request] = []

    async def echo(request: Request, writer: asyncio.StreamWriter) -> None:
        seen.append(request)
        writer.write(page(b"answer"))

    here = await site(echo)
    proxy = await start_proxy(here.allowed)
    with proxy.visit(get_url(here.url())) as visit:
        answer = await ask(
            proxy,
            f"POST {here.url('/path?q=1')} HTTP/1.1",
            credentials(visit),
            "Content-Length: 4",
            "X-Kept: yes",
            body=b"body",
        )

    assert answer.endswith(b"\r\n\r\nanswer")
    assert b"\r\nConnection: close\r\n" in answer
    assert seen[0].target == "/path?q=1"
    assert seen[0].headers["x-kept"] == "yes"
    assert "proxy-authorization" not in seen[0].headers


async def test_bytes_pass_a_tunnel_both_ways(start_proxy: MakeProxy, site: MakeSite) -> None:
    here = await site({"/": page(b"through the tunnel")})
    proxy = await start_proxy(here.allowed)
    with proxy.visit(get_url(here.url())) as visit:
        head, reader, writer = await open_tunnel(proxy, visit, f"127.0.0.1:{here.port}")
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        async with asyncio.timeout(PATIENCE):
            answer = await reader.readuntil(b"tunnel")
        writer.close()

    assert head.startswith(b"HTTP/1.1 200 ")
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert visit.bytes_relayed > len(answer)


@pytest.mark.parametrize("target", ["127.0.0.1:80", "10.0.0.1:443", "[::1]:80", "0x7f.1:80", "evil.example:80"])
async def test_what_the_policy_refuses_is_refused_here_and_counted(start_proxy: MakeProxy, target: str) -> None:
    proxy = await start_proxy(dns=FakeDns({"evil.example": ["192.168.1.1"]}))
    before = count_refusals_in_metrics()
    with proxy.visit(get_url("http://public.example/")) as visit:
        tunnel = await ask(proxy, f"CONNECT {target} HTTP/1.1", credentials(visit))
        plain = await ask(proxy, f"GET http://{target}/ HTTP/1.1", credentials(visit))

    assert tunnel.startswith(b"HTTP/1.1 502 ")
    assert plain == b""  # an answer of ours would pass for the site's
    assert sum(visit.refusals.values()) == 2
    assert count_refusals_in_metrics() == before + 2
    assert {failure.reason for failure in visit.failures.values()} == {FetchReason.FORBIDDEN_ADDRESS}


async def test_a_name_that_does_not_exist_is_a_failure_and_no_refusal(start_proxy: MakeProxy) -> None:
    proxy = await start_proxy()
    with proxy.visit(get_url("http://public.example/")) as visit:
        await ask(proxy, "CONNECT nowhere.example:443 HTTP/1.1", credentials(visit))

    assert visit.failures["nowhere.example", 443].reason is FetchReason.NO_SUCH_NAME
    assert visit.refusals == {}


async def test_the_allow_list_counts_for_the_saved_host_only(start_proxy: MakeProxy, site: MakeSite) -> None:
    here = await site({"/": page()})
    dns = FakeDns({"home.example": ["127.0.0.1"], "other.example": ["127.0.0.1"]})
    proxy = await start_proxy(here.allowed, dns=dns)
    with proxy.visit(get_url(f"http://home.example:{here.port}/")) as visit:
        own = await ask(proxy, f"GET http://home.example:{here.port}/ HTTP/1.1", credentials(visit))
        by_other_name = await ask(proxy, f"GET http://other.example:{here.port}/ HTTP/1.1", credentials(visit))
        by_address = await ask(proxy, f"GET {here.url()} HTTP/1.1", credentials(visit))

    assert own.startswith(b"HTTP/1.1 200 ")
    assert (by_other_name, by_address) == (b"", b"")
    assert here.connections == 1


async def test_a_page_that_was_led_elsewhere_finds_no_way_back(start_proxy: MakeProxy, site: MakeSite) -> None:
    answers = {"/": page(), "/out": redirect("http://public.example/"), "/in": redirect("/")}
    here = await site(answers)
    proxy = await start_proxy(here.allowed)
    navigation = "Upgrade-Insecure-Requests: 1"
    with proxy.visit(get_url(here.url())) as visit:
        await ask(proxy, f"GET {here.url('/in')} HTTP/1.1", credentials(visit), navigation)
        stayed = await ask(proxy, f"GET {here.url()} HTTP/1.1", credentials(visit))
        await ask(proxy, f"GET {here.url('/out')} HTTP/1.1", credentials(visit), navigation)
        returned = await ask(proxy, f"GET {here.url()} HTTP/1.1", credentials(visit))

    assert stayed.startswith(b"HTTP/1.1 200 ")
    assert returned == b""


async def test_a_visit_that_has_used_up_its_bytes_gets_no_more(start_proxy: MakeProxy, site: MakeSite) -> None:
    here = await site({"/": page(b"x" * 300_000)})
    proxy = await start_proxy(here.allowed, visit_bytes=200_000)
    with proxy.visit(get_url(here.url())) as visit:
        first = await ask(proxy, f"GET {here.url()} HTTP/1.1", credentials(visit))
        second = await ask(proxy, f"GET {here.url()} HTTP/1.1", credentials(visit))

    assert 0 < len(first) < 200_000
    assert second == b""
    assert visit.failures["127.0.0.1", here.port].reason is FetchReason.TOO_LARGE


async def test_a_visit_may_not_connect_for_ever(start_proxy: MakeProxy, site: MakeSite) -> None:
    here = await site({"/": page()})
    proxy = await start_proxy(here.allowed, visit_connections=2)
    with proxy.visit(get_url(here.url())) as visit:
        answers = [await ask(proxy, f"GET {here.url()} HTTP/1.1", credentials(visit)) for _ in range(4)]

    assert [bool(answer) for answer in answers] == [True, True, False, False]
    assert here.connections == 2


async def test_too_many_callers_at_once_are_hung_up_on(start_proxy: MakeProxy) -> None:
    proxy = await start_proxy(open_connections=3)
    waiting = [await asyncio.open_connection("127.0.0.1", port_of(proxy)) for _ in range(3)]

    assert await ask(proxy, "GET http://example.com/ HTTP/1.1") == b""

    for _, writer in waiting:
        writer.close()


async def test_a_head_without_end_is_not_read_to_its_end(start_proxy: MakeProxy) -> None:
    proxy = await start_proxy()

    assert await ask(proxy, "GET http://example.com/ HTTP/1.1", "X: " + "x" * 3 * MAX_HEAD_BYTES) == b""


async def test_a_caller_who_says_nothing_is_not_waited_for(start_proxy: MakeProxy) -> None:
    proxy = await start_proxy(head_seconds=0.2)
    reader, writer = await asyncio.open_connection("127.0.0.1", port_of(proxy))

    async with asyncio.timeout(PATIENCE):
        assert await reader.read() == b""
    writer.close()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"", FetchReason.READ_TIMED_OUT),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 3 * MAX_HEAD_BYTES, FetchReason.HEADERS_TOO_LARGE),
        (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", FetchReason.BAD_RESPONSE),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", FetchReason.BAD_RESPONSE),
    ],
)
async def test_a_site_that_does_not_answer_properly_is_recorded(
    start_proxy: MakeProxy, site: MakeSite, answer: bytes, reason: FetchReason
) -> None:
    async def misbehave(_request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)

    here = await site(misbehave)
    proxy = await start_proxy(here.allowed, idle_seconds=0.5)
    with proxy.visit(get_url(here.url())) as visit:
        passed = await ask(proxy, f"GET {here.url()} HTTP/1.1", credentials(visit))

    assert passed == b""
    assert visit.failures["127.0.0.1", here.port].reason is reason


async def test_interim_answers_pass_before_the_final_one(start_proxy: MakeProxy, site: MakeSite) -> None:
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
    here = await site({"/": hints + page(b"final")})
    proxy = await start_proxy(here.allowed)
    with proxy.visit(get_url(here.url())) as visit:
        answer = await ask(proxy, f"GET {here.url()} HTTP/1.1", credentials(visit))

    assert answer.startswith(b"HTTP/1.1 103 ")
    assert answer.endswith(b"final")


async def test_a_second_request_on_the_same_connection_goes_nowhere(start_proxy: MakeProxy, site: MakeSite) -> None:
    """It might be for another host, and would reach the first one's server."""
    here = await site({"/": page(b"first"), "/smuggled": page(b"second")})
    proxy = await start_proxy(here.allowed)
    with proxy.visit(get_url(here.url())) as visit:
        await ask(
            proxy,
            f"GET {here.url()} HTTP/1.1",
            credentials(visit),
            body=b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
        )

    assert [request.target for request in here.requests] == ["/"]
