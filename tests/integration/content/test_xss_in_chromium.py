"""Sanitised markup in a real browser: nothing runs, nothing active is left, however it is put into a page.

Each payload is sanitised and then server-rendered, set as innerHTML and parsed twice, without any policy, so that the
sanitiser alone stands between it and the page; then once more under the reader's policy, which must have nothing to
object to. Raw, each in a document of its own, the policy alone must hold it. Controls show that the harness does see
an execution.
"""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

import pytest
from playwright.async_api import Browser, Route

from kept.content.article.sanitise import SanitisedArticle, sanitise_article
from support.hostile.xss import HOOKS, OWN_PAYLOADS, POKE, public_payloads

pytestmark = [
    pytest.mark.requirement("002", "§7 sanitising"),
    pytest.mark.requirement("004", "§15 XSS"),
    pytest.mark.requirement("differs", "004 §4, §8: jsdom; §12: Bleach → linkedom and nh3"),
]

ORIGIN: Final = "http://reader.test"
# The reader's policy but for frame-ancestors, which would keep our own frames empty.
READER_CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'"
)
# Payloads in one page. Raw ones have a frame each, which is what takes the time.
BATCH: Final = 250
RAW_BATCH: Final = 100

# Anything that could act, wherever it hides.
# As they are, not as the source lists them: who adds one there must look here.
FORMULAS: Final = (
    "math mi mn mo ms mtext mrow mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover "
    "munderover mmultiscripts mprescripts mspace mtable mtr mtd"
)
ACTIVE_NODES: Final = """
() => {
  const FORMULAS = new Set(%s);
  const forbidden = "script,iframe,frame,object,embed,applet,svg,form,input,button,textarea,select,base,meta," +
                    "link,style,template,noscript,video,audio,source,canvas,dialog,portal,frameset";
  const found = [];
  for (const holder of document.querySelectorAll(".payload")) {
    for (const node of holder.querySelectorAll(forbidden)) found.push(node.outerHTML.slice(0, 120));
    for (const node of holder.querySelectorAll("*")) {
      const isFormula = node.namespaceURI === "http://www.w3.org/1998/Math/MathML";
      const isHtml = node.namespaceURI === "http://www.w3.org/1999/xhtml";
      if (!isHtml && !isFormula) found.push("foreign " + node.nodeName);
      // Nothing but formulas in a formula: HTML in it is where parsers disagree.
      if (isHtml && node.closest("math")) found.push("HTML in a formula: " + node.nodeName);
      if (isFormula && (node.hasAttribute("href") || !FORMULAS.has(node.nodeName))) found.push("odd " + node.outerHTML);
      for (const {name, value} of node.attributes) {
        if (name === "id" && value.startsWith("k-")) continue;
        if (name === "class" && node.nodeName === "IMG" && value === "inline") continue;
        if (/^on|^style$|^srcdoc$|^id$|^name$|^class$|^formaction$|:href$/i.test(name)) found.push(name + "=" + value);
        const isOwn = /^(https?:\\/\\/|mailto:|#k-|\\/api\\/images\\/)/.test(value);
        if (/^(href|src|cite|action|data)$/i.test(name) && !isOwn)
          found.push(name + "=" + value);
      }
    }
  }
  return found;
}
""".replace("%s", json.dumps(FORMULAS.split()))


@dataclass(slots=True)
class Shown:
    """What a page showed itself to have done."""

    reports: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    active: list[str] = field(default_factory=list)
    holders: int = 0

    @property
    def executions(self) -> list[str]:
        return [report for report in self.reports if not report.startswith("violation")]


def _sanitised(payload: str) -> str:
    page = "https://site.example/post"
    result = sanitise_article(payload, base_url=page, canonical_url=page, media_id=UUID(int=9))
    assert isinstance(result, SanitisedArticle), (payload, result)
    return str(result.html)


async def _show(browser: Browser, documents: dict[str, str], *, script: str = "", csp: str | None = None) -> Shown:
    """Open "/" of `documents` (by path), run `script` in it, poke at everything, and tell what happened."""
    shown = Shown()
    context = await browser.new_context(service_workers="block", accept_downloads=False)
    try:
        page = await context.new_page()
        await page.expose_function("keptReport", lambda report: shown.reports.append(report))
        await page.add_init_script(HOOKS)
        await page.route("**/*", lambda route: _serve(route, documents, csp, shown.requests))
        await page.goto(f"{ORIGIN}/", wait_until="load")
        if script:
            await page.evaluate(script)
        await asyncio.wait_for(page.evaluate(POKE), timeout=60)
        shown.active = await page.evaluate(ACTIVE_NODES)
        shown.holders = await page.evaluate("document.querySelectorAll('.payload').length")
    finally:
        await context.close()
    return shown


async def _serve(route: Route, documents: dict[str, str], csp: str | None, requests: list[str]) -> None:
    url = route.request.url
    body = documents.get(url.removeprefix(ORIGIN))
    if body is not None:
        headers = {"content-type": "text/html; charset=utf-8"} | ({"content-security-policy": csp} if csp else {})
        await route.fulfill(status=200, headers=headers, body=body)
        return
    requests.append(url)
    # A refused navigation leaves the page where it is, to be looked at.
    await route.abort()


def _rendered(payloads: list[str]) -> str:
    holders = "\n".join(f'<div class="payload">{payload}</div>' for payload in payloads)
    return f"<!doctype html><html lang=en><title>Reader</title><body>{holders}</body></html>"


def _set_inner_html(payloads: list[str], *, times: int) -> str:
    again = "holder.innerHTML = holder.innerHTML;" * (times - 1)
    return f"""() => {{
      for (const payload of {json.dumps(payloads)}) {{
        const holder = document.createElement("div");
        holder.className = "payload";
        document.body.append(holder);
        holder.innerHTML = payload;
        {again}
      }}
    }}"""


EMPTY: Final = {"/": "<!doctype html><title>Reader</title><body></body>"}


async def _assert_harmless(browser: Browser, payloads: list[str]) -> None:
    for start in range(0, len(payloads), BATCH):
        batch = [_sanitised(payload) for payload in payloads[start : start + BATCH]]
        ways = {
            "server-rendered": await _show(browser, {"/": _rendered(batch)}),
            "innerHTML": await _show(browser, EMPTY, script=_set_inner_html(batch, times=1)),
            "parsed twice": await _show(browser, EMPTY, script=_set_inner_html(batch, times=2)),
            "under the policy": await _show(browser, {"/": _rendered(batch)}, csp=READER_CSP),
        }
        for way, shown in ways.items():
            assert shown.reports == [], (way, start)
            assert shown.active == [], (way, start)
            # Each payload stayed in its own holder: none closed it or swallowed the next.
            assert shown.holders == len(batch), (way, start)
            ours = (f"{ORIGIN}/api/images/", f"{ORIGIN}/favicon.ico")
            assert [url for url in shown.requests if not url.startswith(ours)] == [], (way, start)


async def _assert_raw_is_held_by_the_policy(browser: Browser, payloads: list[str]) -> None:
    for start in range(0, len(payloads), RAW_BATCH):
        batch = payloads[start : start + RAW_BATCH]
        documents = {f"/raw/{number}": _rendered([payload]) for number, payload in enumerate(batch)}
        documents["/"] = "<!doctype html><body>" + "".join(f"<iframe src='{path}'></iframe>" for path in documents)
        shown = await _show(browser, documents, csp=f"{READER_CSP}; frame-src 'self'")
        assert shown.executions == [], start


def _sample() -> list[str]:
    payloads = public_payloads()
    return payloads[:: len(payloads) // 250][:250]


async def test_the_harness_sees_an_execution_an_active_node_and_a_request(browser: Browser) -> None:
    payloads = ["<img src=x onerror=canary(1)>", "<svg></svg>", "<script>alert(2)</script>"]
    shown = await _show(browser, {"/": _rendered(payloads)})
    assert sorted(shown.executions) == ["alert: 2", "canary: 1"]
    assert any("onerror" in node for node in shown.active)
    assert any("<svg" in node for node in shown.active)
    assert f"{ORIGIN}/x" in shown.requests


async def test_the_harness_sees_what_innerhtml_runs_and_what_waits_for_a_person(browser: Browser) -> None:
    payloads = ["<img src=x onerror=canary(1)>", "<p onclick=canary(2)>x</p>", "<a href='javascript:canary(3)'>x</a>"]
    shown = await _show(browser, EMPTY, script=_set_inner_html(payloads, times=2))
    assert {"canary: 1", "canary: 2", "canary: 3"} <= set(shown.executions)


async def test_the_harness_sees_an_execution_in_a_frame_and_a_violation_of_the_policy(browser: Browser) -> None:
    documents = {"/": "<iframe src=/raw></iframe>", "/raw": _rendered(["<img src=x onerror=canary(1)>"])}
    assert (await _show(browser, documents)).executions == ["canary: 1"]
    held = await _show(browser, documents, csp=f"{READER_CSP}; frame-src 'self'")
    assert held.executions == []
    assert any(report.startswith("violation: script-src") for report in held.reports)


async def test_our_own_payloads_are_live_before_and_harmless_after(browser: Browser) -> None:
    documents = {f"/raw/{number}": _rendered([payload]) for number, payload in enumerate(OWN_PAYLOADS)}
    documents["/"] = "<body>" + "".join(f"<iframe src='{path}'></iframe>" for path in documents)
    live = await _show(browser, documents)
    assert len(live.executions) >= 10
    await _assert_harmless(browser, OWN_PAYLOADS)


async def test_our_own_payloads_do_not_run_raw_under_the_readers_policy(browser: Browser) -> None:
    await _assert_raw_is_held_by_the_policy(browser, OWN_PAYLOADS)


async def test_a_sample_of_250_public_payloads_is_harmless(browser: Browser) -> None:
    await _assert_harmless(browser, _sample())


async def test_a_sample_of_250_public_payloads_does_not_run_raw_under_the_readers_policy(browser: Browser) -> None:
    await _assert_raw_is_held_by_the_policy(browser, _sample())


@pytest.mark.long
async def test_every_public_payload_is_harmless(browser: Browser) -> None:
    await _assert_harmless(browser, public_payloads())


@pytest.mark.long
async def test_no_public_payload_runs_raw_under_the_readers_policy(browser: Browser) -> None:
    await _assert_raw_is_held_by_the_policy(browser, public_payloads())
