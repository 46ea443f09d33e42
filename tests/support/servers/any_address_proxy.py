"""Run inside the namespace of `any_address`: every case through the browser's proxy, and Chromium on a hostile page.

`python -m support.servers.any_address_proxy proxy` reads cases as JSON lines; `… browser PROGRAM HOME` visits one page
with our flags and once more without them, and says which addresses and how many name look-ups were seen.
"""

import asyncio
import base64
import json
import os
import re
import socket
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import structlog
from playwright.async_api import async_playwright

from kept.fetch.browser.pool import BrowserPool, PoolOptions
from kept.fetch.browser.rendered import Rendered
from kept.fetch.policy import EgressPolicy
from kept.fetch.proxy import BrowserProxy, ProxyVisit
from kept.urls.url import get_url
from support.servers.any_address import (
    Case,
    Listener,
    count_attempts,
    listening_sockets,
    run_inside,
    show_that_the_listener_hears,
    write_cases,
)
from support.servers.sites import PORTS, FakeDns, Request, page

MODULE = "support.servers.any_address_proxy"
PUBLIC_SITE = "93.184.216.34"
ASK = "HTTP/1.1\r\nProxy-Authorization: Basic {token}\r\n\r\n"

# Names and addresses a page might want: one vector each, enough to see whether any gets past the proxy.
HOSTILE = """<!doctype html><title>hostile</title>
<link rel=dns-prefetch href=//prefetched.example><link rel=preconnect href=http://preconnected.example>
<img src=http://pictured.example/x><img src=http://10.0.0.1/x><img src=http://169.254.169.254/latest/meta-data/>
<img src=http://[fd00:ec2::254]/x><iframe src=http://192.168.1.1/></iframe><script>
fetch('http://fetched.example/', {mode: 'no-cors'}).catch(() => 0); new WebSocket('ws://100.64.0.1/');
new WebSocket('wss://sockets.example/'); navigator.sendBeacon('http://172.16.0.1/', 'x');
const peer = new RTCPeerConnection({iceServers: [{urls: ['stun:stunned.example:80', 'stun:10.0.0.2:80']}]});
peer.createDataChannel('x'); peer.createOffer().then(offer => peer.setLocalDescription(offer));
</script>"""


@dataclass(frozen=True)
class ProxyResult:
    """`answers` are the status codes the proxy gave, 0 where it hung up without one."""

    url: str
    answers: list[int]
    reached: list[str]
    attempts: int


@dataclass(frozen=True)
class BrowserResult:
    outcome: str
    reached: list[str]
    looked_up: int


def run_proxy_cases(cases: Sequence[Case]) -> list[ProxyResult]:
    lines = run_inside(MODULE, "proxy", lines=write_cases(cases))
    return [ProxyResult(**json.loads(line)) for line in lines]


def run_browsers(program: Path, home: Path) -> tuple[BrowserResult, BrowserResult]:
    guarded, control = (
        BrowserResult(**json.loads(line)) for line in run_inside(MODULE, "browser", str(program), str(home))
    )
    return guarded, control


def write_requests(url: str) -> list[str]:
    """The request lines by which a browser, or somebody who knows the secret, could mean this URL."""
    authority = re.split(r"[/?#\\]", url.partition("//")[2])[0]
    named = authority if re.search(r":\d+$", authority) else f"{authority}:{443 if url.startswith('https') else 80}"
    host = authority.rpartition("@")[2]
    return [f"GET {url} ", f"CONNECT {named} ", f"CONNECT {authority} ", f"GET http://{host}/ ", f"CONNECT {host}:80 "]


async def try_proxy_case(case: Case, listener: Listener) -> ProxyResult:
    proxy = BrowserProxy(policy=EgressPolicy(ports=PORTS), resolver=FakeDns(turns=case.turns))
    await proxy.start()
    listener.reached.clear()
    before, requests = count_attempts(), write_requests(case.url)
    with proxy.visit(get_url("http://saved.example/")) as visit:
        answers = [await send(proxy, visit, request) for request in requests]
    attempts = count_attempts() - before - len(requests)  # our own to the proxy
    await proxy.close()
    return ProxyResult(case.url, answers, list(listener.reached), attempts)


async def send(proxy: BrowserProxy, visit: ProxyVisit, request: str) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(proxy.address.rpartition(":")[2]))
    token = base64.b64encode(f"{visit.username}:{visit.password}".encode()).decode()
    writer.write(f"{request}{ASK.format(token=token)}".encode(errors="surrogatepass"))
    async with asyncio.timeout(20):
        try:
            words = (await reader.readline()).split()
        except ConnectionResetError:
            words = []
    writer.close()
    return int(words[1]) if len(words) > 1 else 0


async def try_proxy_cases(listener: Listener) -> None:
    for line in sys.stdin:
        print(json.dumps(asdict(await try_proxy_case(Case(**json.loads(line)), listener))))


class NameServer:
    """Counts questions on port 53 of every address, and answers none."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        self.socket.bind(("::", 53))
        self.socket.setblocking(False)

    def count(self) -> int:
        count = 0
        while True:
            try:
                self.socket.recv(65536)
            except BlockingIOError:
                return count
            count += 1


async def visit_guarded(program: str, home: str) -> str:
    options = PoolOptions(Path(program), "Kept/test", sandbox=os.getuid() != 0, folder_parent=Path(home))
    dns = FakeDns({"site.example": [PUBLIC_SITE]})
    pool = BrowserPool(options, policy=EgressPolicy(ports=PORTS), resolver=dns)
    outcome = await pool.render(get_url("http://site.example/"), want_html=True, want_screenshot=True, seconds=60)
    await pool.close()
    return f"rendered {outcome.title}" if isinstance(outcome, Rendered) else outcome.reason


async def visit_unguarded(program: str, listener: Listener) -> str:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program)
        tab = await browser.new_page()
        await tab.goto(f"http://{PUBLIC_SITE}/", wait_until="commit")
        async with asyncio.timeout(30):
            while not {"10.0.0.1", "192.168.1.1"} <= set(listener.reached):
                await asyncio.sleep(0.05)
        title = await tab.title()
        await browser.close()
    return f"rendered {title}"


async def try_browsers(listener: Listener, program: str, home: str) -> None:
    names = NameServer()
    for visit in (visit_guarded(program, home), visit_unguarded(program, listener)):
        listener.reached.clear()
        names.count()
        outcome = await visit
        print(json.dumps(asdict(BrowserResult(outcome, sorted(set(listener.reached)), names.count()))))


def answer_hostile(_request: Request) -> bytes:
    return page(HOSTILE.encode(), Connection="close")


async def main(task: str, *arguments: str) -> None:
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    listener = Listener(answer_hostile) if task == "browser" else Listener()
    for sock in listening_sockets():
        await asyncio.start_server(listener.serve, sock=sock)
    await show_that_the_listener_hears(listener)
    await (try_browsers(listener, *arguments) if task == "browser" else try_proxy_cases(listener))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
