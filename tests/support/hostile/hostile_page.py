"""A page that tries every way out a browser has, each aimed at a port of its own, and the traps that count.

A vector is a piece of HTML in which `HOST:PORT` stands for its trap. Those that would take the whole page along
(redirects, popups, forms) get a page each.
"""

import asyncio
import contextlib
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

SUBRESOURCES: Mapping[str, str] = {
    "img": '<img src="http://HOST:PORT/x.png">',
    "img_https": '<img src="https://HOST:PORT/x.png">',
    "srcset": '<img srcset="http://HOST:PORT/x.png 1x">',
    "input_image": '<input type=image src="http://HOST:PORT/x.png">',
    "svg_image": '<svg><image href="http://HOST:PORT/x.png"/></svg>',
    "table_background": '<table background="http://HOST:PORT/x.png"><tr><td>x</table>',
    "iframe": '<iframe src="http://HOST:PORT/"></iframe>',
    "iframe_srcdoc": "<iframe srcdoc=\"<img src='http://HOST:PORT/x.png'>\"></iframe>",
    "iframe_javascript": "<iframe src=\"javascript:'<img src=http://HOST:PORT/x.png>'\"></iframe>",
    "iframe_meta_refresh": "<iframe srcdoc=\"<meta http-equiv=refresh content='0;url=http://HOST:PORT/'>\"></iframe>",
    "object": '<object data="http://HOST:PORT/x.html"></object>',
    "embed": '<embed src="http://HOST:PORT/x.html">',
    "audio": '<audio src="http://HOST:PORT/x.mp3" preload=auto autoplay></audio>',
    "video": '<video src="http://HOST:PORT/x.mp4" preload=auto autoplay muted></video>',
    "video_poster": '<video poster="http://HOST:PORT/x.png"></video>',
    "track": (
        '<video crossorigin src="data:video/mp4;base64,AAAA"><track default kind=captions src="http://HOST:PORT/x.vtt">'
        "</video><script>for (const t of document.querySelectorAll('track')) t.track.mode = 'showing'</script>"
    ),
    "script": '<script src="http://HOST:PORT/x.js"></script>',
    "module": '<script type=module src="http://HOST:PORT/x.mjs"></script>',
    "dynamic_import": "<script>import('http://HOST:PORT/x.mjs').catch(() => 0)</script>",
    "stylesheet": '<link rel=stylesheet href="http://HOST:PORT/x.css">',
    "css_import": '<style>@import "http://HOST:PORT/x.css";</style>',
    "css_background": '<div style="background: url(http://HOST:PORT/x.png); width: 9px; height: 9px"></div>',
    "font": (
        '<style>@font-face { font-family: f; src: url(http://HOST:PORT/x.woff) }</style><i style="font-family: f">x</i>'
    ),
    "prefetch": '<link rel=prefetch href="http://HOST:PORT/x">',
    "preload": '<link rel=preload as=image href="http://HOST:PORT/x.png">',
    "modulepreload": '<link rel=modulepreload href="http://HOST:PORT/x.mjs">',
    "preconnect": '<link rel=preconnect href="http://HOST:PORT/">',
    "fetch": "<script>fetch('http://HOST:PORT/', {mode: 'no-cors'}).catch(() => 0)</script>",
    "fetch_keepalive": (
        "<script>fetch('http://HOST:PORT/', {method: 'POST', mode: 'no-cors', keepalive: true}).catch(() => 0)</script>"
    ),
    "xhr": "<script>{ const x = new XMLHttpRequest(); x.open('GET', 'http://HOST:PORT/'); x.send() }</script>",
    "beacon": "<script>navigator.sendBeacon('http://HOST:PORT/', 'x')</script>",
    "websocket": "<script>new WebSocket('ws://HOST:PORT/')</script>",
    "websocket_tls": "<script>new WebSocket('wss://HOST:PORT/')</script>",
    "event_source": "<script>new EventSource('http://HOST:PORT/')</script>",
    "worker": (
        "<script>new Worker(URL.createObjectURL(new Blob([\"fetch('http://HOST:PORT/', {mode: 'no-cors'})\"])))"
        "</script>"
    ),
    "worker_import": (
        "<script>new Worker(URL.createObjectURL(new Blob([\"importScripts('http://HOST:PORT/x.js')\"])))</script>"
    ),
    "shared_worker": (
        "<script>new SharedWorker(URL.createObjectURL(new Blob([\"fetch('http://HOST:PORT/', {mode: 'no-cors'})\"])))"
        "</script>"
    ),
    "worklet": (
        "<script>new OfflineAudioContext(1, 1, 8000).audioWorklet.addModule('http://HOST:PORT/x').catch(() => 0)"
        "</script>"
    ),
    "form_into_frame": (
        "<iframe name=pit></iframe><form id=into action='http://HOST:PORT/' method=post target=pit></form>"
        "<script>into.submit()</script>"
    ),
    "ping": (
        "<iframe name=well></iframe><a id=pinger href='about:blank' target=well ping='http://HOST:PORT/'>x</a>"
        "<script>pinger.click()</script>"
    ),
    "stun": "<script>gather({urls: 'stun:HOST:PORT'})</script>",
    "turn_udp": "<script>gather({urls: 'turn:HOST:PORT?transport=udp', username: 'u', credential: 'c'})</script>",
    "turn_tcp": "<script>gather({urls: 'turn:HOST:PORT?transport=tcp', username: 'u', credential: 'c'})</script>",
    "turn_tls": "<script>gather({urls: 'turns:HOST:PORT?transport=tcp', username: 'u', credential: 'c'})</script>",
    "rtc_candidate": "<script>connectTo('HOST', PORT)</script>",
    "web_transport": "<script>try { new WebTransport('https://HOST:PORT/').ready.catch(() => 0) } catch {}</script>",
    "manifest": '<link rel=manifest href="http://HOST:PORT/x.json">',
    "speculation": '<script type=speculationrules>{"prefetch": [{"source": "list", "urls": ["http://HOST:PORT/"]}]}</script>',
    "csp_report": "",  # by a header: see `headers_for`
    "link_header": "",
}

NAVIGATIONS: Mapping[str, str] = {
    "redirect_http": "",  # by a status: see `redirect_to`
    "redirect_meta": '<meta http-equiv=refresh content="0;url=http://HOST:PORT/">',
    "redirect_script": "<script>location = 'http://HOST:PORT/'</script>",
    "redirect_late": "<script>setTimeout(() => location.replace('http://HOST:PORT/'), 50)</script>",
    "form_post": "<form id=f action='http://HOST:PORT/' method=post></form><script>f.submit()</script>",
    "popup": "<script>open('http://HOST:PORT/')</script>",
    "popup_link": "<a id=a href='http://HOST:PORT/' target=_blank>x</a><script>a.click()</script>",
    "download": "<a id=d href='http://HOST:PORT/x' download>x</a><script>d.click()</script>",
    "view_source": "<script>open('view-source:http://HOST:PORT/'); location = 'view-source:http://HOST:PORT/'</script>",
}

PRELUDE = """<!doctype html><title>hostile</title><p>hostile</p><script>
window.peers = [];
function gather(server) {
  const peer = new RTCPeerConnection({iceServers: [server], iceCandidatePoolSize: 1});
  peers.push(peer); peer.createDataChannel('x');
  peer.createOffer().then(offer => peer.setLocalDescription(offer)).catch(() => 0);
}
async function connectTo(host, port) {  // what a peer does with an address the other side names
  const one = new RTCPeerConnection(), two = new RTCPeerConnection();
  peers.push(one, two); one.createDataChannel('x');
  await one.setLocalDescription(await one.createOffer());
  await two.setRemoteDescription(one.localDescription);
  await two.setLocalDescription(await two.createAnswer());
  await one.setRemoteDescription(two.localDescription);
  await one.addIceCandidate({sdpMid: '0', sdpMLineIndex: 0,
    candidate: `candidate:1 1 udp 2122260223 ${host} ${port} typ host`});
}
</script>
"""


@dataclass(frozen=True)
class Hits:
    tcp: int
    udp: int

    @property
    def any(self) -> bool:
        return bool(self.tcp or self.udp)


class Trap:
    """One port, TCP and UDP, that counts whoever comes."""

    def __init__(self, address: str) -> None:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.tcp = socket.socket(family, socket.SOCK_STREAM)
        self.tcp.bind((address, 0))
        self.tcp.listen(50)
        self.tcp.setblocking(False)
        self.port: int = self.tcp.getsockname()[1]
        self.udp = socket.socket(family, socket.SOCK_DGRAM)
        self.udp.bind((address, self.port))
        self.udp.setblocking(False)
        self.tcp_hits = self.udp_hits = 0
        for sock in (self.tcp, self.udp):
            asyncio.get_running_loop().add_reader(sock, self.count)

    def count(self) -> Hits:
        """Whoever has come so far. A caller is hung up on at once, lest the page wait for an answer."""
        with contextlib.suppress(BlockingIOError):
            while True:
                self.tcp.accept()[0].close()
                self.tcp_hits += 1
        with contextlib.suppress(BlockingIOError):
            while True:
                self.udp.recv(65536)
                self.udp_hits += 1
        return Hits(self.tcp_hits, self.udp_hits)

    def close(self) -> None:
        for sock in (self.tcp, self.udp):
            asyncio.get_running_loop().remove_reader(sock)
            sock.close()


@contextlib.contextmanager
def set_traps(address: str = "127.0.0.1") -> Iterator[dict[str, Trap]]:
    traps = {name: Trap(address) for name in (*SUBRESOURCES, *NAVIGATIONS)}
    try:
        yield traps
    finally:
        for trap in traps.values():
            trap.close()


def arm(html: str, trap: Trap, host: str) -> str:
    return html.replace("HOST", host).replace("PORT", str(trap.port))


def write_pages(traps: Mapping[str, Trap], host: str) -> dict[str, bytes]:
    """Answers by path: `/all` has every sub-resource, `/NAME` one navigation each."""
    body = PRELUDE + "\n".join(arm(html, traps[name], host) for name, html in SUBRESOURCES.items())
    headers = [
        f"Content-Security-Policy-Report-Only: default-src 'none'; report-uri http://{host}:{traps['csp_report'].port}/",
        f"Link: <http://{host}:{traps['link_header'].port}/x.css>; rel=preload; as=style",
    ]
    answers = {"/all": answer("200 OK", headers, body)}
    for name, html in NAVIGATIONS.items():
        answers[f"/{name}"] = answer("200 OK", [], PRELUDE + arm(html, traps[name], host))
    location = f"Location: http://{host}:{traps['redirect_http'].port}/"
    return answers | {"/redirect_http": answer("302 Found", [location], "")}


def answer(status: str, headers: list[str], body: str) -> bytes:
    raw = body.encode()
    lines = [f"HTTP/1.1 {status}", "Content-Type: text/html", f"Content-Length: {len(raw)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + raw
