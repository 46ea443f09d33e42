"""`kept fetch`: hop by hop, for people and as JSON."""

import asyncio
import json
from collections.abc import Iterator
from threading import Thread

import pytest
import typer
from typer.testing import CliRunner

from kept.cli.fetch import fetch
from support.servers.sites import Site, page, pages, redirect, run_site

app = typer.Typer()
app.command()(fetch)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Served from a thread: the command has an event loop of its own."""
    answers = {"/r": redirect("/[bold]p"), "/[bold]p": page(b"<p>hello"), "/out": redirect("http://10.0.0.1/admin")}
    loop, running = asyncio.new_event_loop(), run_site(pages(answers))
    thread = Thread(target=loop.run_forever)
    thread.start()
    started = asyncio.run_coroutine_threadsafe(running.__aenter__(), loop).result(10)
    monkeypatch.setenv("KEPT_FETCH_ALLOW", started.allowed)
    monkeypatch.setenv("COLUMNS", "200")
    yield started
    asyncio.run_coroutine_threadsafe(running.__aexit__(None, None, None), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


def test_a_page_is_shown_with_every_hop(site: Site) -> None:
    result = CliRunner().invoke(app, [site.url("/r")])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [site.url("/r"), "127.0.0.1", "302"] == lines[1].split()[1:4]
    assert [site.url("/[bold]p"), "127.0.0.1", "200"] == lines[2].split()[1:4]
    assert lines[3].startswith("fetched: 200, text/html, 8 bytes, ")


def test_json_tells_the_same(site: Site) -> None:
    result = CliRunner().invoke(app, [site.url("/r"), "--json", "--as-save"])
    told = json.loads(result.stdout)
    assert (told["outcome"], told["status"], told["bytes"]) == ("fetched", 200, 8)
    assert [(hop["address"], hop["status"]) for hop in told["hops"]] == [("127.0.0.1", 302), ("127.0.0.1", 200)]


def test_a_refusal_says_why(site: Site) -> None:
    result = CliRunner().invoke(app, [site.url("/out"), "--json"])
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert (told["code"], told["reason"], told["blocked"]) == ("E_FETCH_FORBIDDEN", "forbidden_address", "private")
    assert told["hops"][-1] == {"url": "http://10.0.0.1/admin", "address": None, "status": None} | {
        "ms": told["hops"][-1]["ms"]
    }
    assert "private" in CliRunner().invoke(app, [site.url("/out")]).stdout


@pytest.mark.parametrize("text", ["not a link", "mailto:a@example.com"])
def test_what_is_no_web_address_is_a_usage_error(text: str) -> None:
    result = CliRunner().invoke(app, [text])
    assert result.exit_code == 2
