"""The documentation site, built strictly and opened in a browser: it asks no other host for anything."""

import functools
import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.fixtures.tools import load_tool
from support.servers.chromium import open_chromium

ROOT = Path(__file__).parents[3]
PAGES = ("", "install/", "operating/", "api-reference/", "decisions/", "benchmarks/")


def build(config: Path, into: Path) -> "subprocess.CompletedProcess[str]":
    command: list[str | Path] = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", config, "-d", into]
    variables = os.environ | {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}
    return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_spec("mkdocs") is None:
        pytest.skip("NOT RUN: mkdocs is not installed; tools/docs.sh installs it")
    folder = tmp_path_factory.mktemp("site")
    built = build(ROOT / "mkdocs.yaml", folder)
    assert built.returncode == 0, built.stderr
    return folder


@pytest.fixture(scope="module")
def origin(site: Path) -> Iterator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def test_no_page_names_a_resource_of_another_host(site: Path) -> None:
    assert len(list(site.rglob("*.html"))) > 60
    assert list(load_tool("check_site").find_foreign(site)) == []


def test_pages_from_outside_the_docs_folder_are_there_and_their_links_lead_within_the_site(site: Path) -> None:
    index = (site / "index.html").read_text()
    assert 'href="operating/"' in index
    assert 'src="images/library.png"' in index
    assert "Unreleased" in (site / "changelog" / "index.html").read_text()
    assert "GET /api/v1/items" in (site / "api-reference" / "index.html").read_text()


async def test_a_browser_that_reads_and_searches_the_site_asks_no_other_host(origin: str) -> None:
    asked: list[str] = []
    async with open_chromium() as browser:
        page = await browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        for path in PAGES:
            answer = await page.goto(origin + path, wait_until="networkidle")
            assert answer is not None
            assert answer.status == 200, path
        await page.goto(origin)
        await page.get_by_placeholder("Search").fill("backup")
        await page.locator(".md-search-result__item").first.wait_for()
    assert len(asked) > len(PAGES)
    assert [url for url in asked if not url.startswith((origin, "data:", "blob:"))] == []


def test_a_link_to_nowhere_fails_the_build(site: Path, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text("[gone](gone.md)")
    config = tmp_path / "mkdocs.yaml"
    lines = (ROOT / "mkdocs.yaml").read_text().partition("hooks:")[0]
    config.write_text(lines.replace("docs_dir: docs", f"docs_dir: {docs}").replace("site_dir: site", ""))
    built = build(config, tmp_path / "site")
    assert built.returncode != 0
    assert "gone.md" in built.stderr
