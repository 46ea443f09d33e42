"""A hostile page tries every way out; with our flags and proxy none leads anywhere, without them nearly all do."""

import asyncio
import contextlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from playwright.async_api import Error, async_playwright

from kept.fetch.browser.rendered import Rendered
from support.hostile.hostile_page import NAVIGATIONS, SUBRESOURCES, Hits, Trap, set_traps, write_pages
from support.servers.browsers import MakePool, MakeSite, Stage, get_html, page, render
from support.servers.sites import Site

pytestmark = [
    pytest.mark.requirement("000", "FR-018", "US6.2", "SC-005"),
    pytest.mark.requirement("002", "§9 fetch hardening"),
    pytest.mark.requirement("003", "§8.1 SSRF"),
]

# Of the vectors, those that a plain Chromium must be seen to use, lest the traps prove nothing. Left out are the few
# that depend on a headless browser's mood.
MUST_FIRE = (set(SUBRESOURCES) | set(NAVIGATIONS)) - {
    "preconnect",
    "manifest",
    "speculation",
    "view_source",
    "track",
    "ping",
}


async def visit_unguarded(chromium: Path, here: Site, traps: Mapping[str, Trap]) -> None:
    """The control: the same pages in Chromium as Playwright starts it, until every trap that must has been sprung."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium)
        for path, names in (("/all", SUBRESOURCES), *((f"/{name}", [name]) for name in NAVIGATIONS)):
            tab = await (await browser.new_context()).new_page()
            with contextlib.suppress(Error):
                await tab.goto(here.url(path), wait_until="commit", timeout=20_000)
            await wait_for_hits(traps[name] for name in names if name in MUST_FIRE)
        await browser.close()


async def wait_for_hits(traps: Iterable[Trap], seconds: float = 20) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            for trap in traps:
                while not trap.count().any:
                    await asyncio.sleep(0.02)


async def test_no_vector_of_a_hostile_page_reaches_another_port(
    make_pool: MakePool, site: MakeSite, chromium_program: Path
) -> None:
    here = await site({})
    paths = ["/all", *(f"/{name}" for name in NAVIGATIONS)]
    with set_traps() as traps:
        here.handler = (await site(write_pages(traps, "127.0.0.1"))).handler
        pool = make_pool(here.allowed, settle_seconds=3.0)
        refused = 0
        for path in paths:
            outcome = await render(pool, here.url(path), screenshot=True)
            refused += sum(outcome.refusals.values()) if isinstance(outcome, Rendered) else 1
        guarded = {name: trap.count() for name, trap in traps.items()}

        await visit_unguarded(chromium_program, here, traps)
        control = {name: trap.count() for name, trap in traps.items()}

    print("vector: TCP and UDP hits without our flags, with them")
    for name, hits in control.items():
        print(f"{name:>20}: {hits.tcp:2} {hits.udp:2}   {guarded[name].tcp} {guarded[name].udp}")
    assert {name: hits for name, hits in guarded.items() if hits != Hits(0, 0)} == {}
    assert {name for name in MUST_FIRE if not control[name].any} == set()
    assert sum(hits.udp for hits in control.values()) >= 2
    assert refused >= 25


async def test_a_page_cannot_read_files(stage: Stage, tmp_path: Path) -> None:
    secret = tmp_path / "secret.html"
    secret.write_text("<script>document.title = 'secret'</script>the secret")
    url = secret.as_uri()
    stage.play(
        {
            "/": page(
                f"<iframe src='{url}'></iframe><object data='{url}'></object><img src='{url}'>"
                f"<script>fetch('{url}').then(r => r.text()).then(t => document.body.append(t)).catch(() => 0);"
                f"try {{ open('{url}') }} catch {{}} location = '{url}'</script>"
            ),
            "/redirect": page("", "302 Found", Location=url),
        }
    )

    seen = await stage.render(screenshot=True)
    redirected = await stage.render("/redirect")

    assert "the secret" not in get_html(seen)
    assert isinstance(seen, Rendered)
    assert seen.title != "secret"
    assert not isinstance(redirected, Rendered)
