"""`kept read`, `kept open`, completion, and `--json` of commands that write files."""

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kept.cli.reading import find_server_url
from kept.config import Settings
from kept.storage.database.engine import Database
from support.builders.libraries import Owner, make_owner
from support.servers.commands import Outcome, kept, kept_in_thread, run_kept_process

URL = "https://example.org/lighthouse"
TEXT = "The lamp was lit at dusk.\nNobody saw <b>who</b> did it."


@pytest.fixture
async def writer(sqlite_url: str) -> AsyncIterator[Owner]:
    """Somebody whose library is in the data folder `tmp_path`."""
    database = Database(sqlite_url)
    yield make_owner(database)
    await database.close()


async def run(folder: Path, *arguments: str, **variables: str) -> Outcome:
    return await kept_in_thread(*arguments, folder=folder, **variables)


async def run_process(folder: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Python looks for browsers once in a process."""
    return await asyncio.to_thread(run_kept_process, folder, *arguments, **variables)


async def test_an_article_is_read_as_markdown_where_the_output_is_no_terminal(writer: Owner, tmp_path: Path) -> None:
    card = await writer.keep(URL, "The lighthouse", TEXT)
    for wanted in (URL, str(card.item.id), str(card.media.id)):
        done = await run(tmp_path, "read", wanted)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("# The lighthouse\n")
        assert "Nobody saw **who** did it." in done.stdout


async def test_on_a_terminal_it_is_set_in_type_and_no_line_is_too_long(writer: Owner, tmp_path: Path) -> None:
    await writer.keep(URL, "The lighthouse", " ".join(["word"] * 200))
    done = await run(tmp_path, "read", URL, FORCE_COLOR="1", COLUMNS="200", TERM="xterm")
    assert "\x1b[1" in done.stdout
    assert "# The" not in done.stdout
    assert max(len(line) for line in done.stdout.splitlines() if "word" in line) < 100


async def test_an_article_cannot_give_orders_to_the_terminal(writer: Owner, tmp_path: Path) -> None:
    await writer.keep(URL, "A\x1b]0;owned\x07 title", "Clear\x1b[2J the screen\x9b31m and &#27;[1A go up.")
    for variables in ({}, {"FORCE_COLOR": "1", "TERM": "dumb"}):
        done = await run(tmp_path, "read", URL, **variables)
        assert done.returncode == 0, done.stderr
        for order in ("\x1b]0", "\x1b[2J", "\x1b[1A", "\x07", "\x9b"):
            assert order not in done.stdout


async def test_as_json_it_comes_with_what_is_known_of_the_item(writer: Owner, tmp_path: Path) -> None:
    card = await writer.keep(URL, "The lighthouse", TEXT, tags=["sea"])
    said = json.loads((await run(tmp_path, "read", URL, "--json")).stdout)
    assert (said["id"], said["title"], said["tags"]) == (str(card.item.id), "The lighthouse", ["sea"])
    assert "The lamp was lit at dusk." in said["markdown"]


async def test_what_is_not_saved_or_not_ready_is_one_clear_line(writer: Owner, tmp_path: Path) -> None:
    await writer.save("https://example.org/new")
    gone = await run(tmp_path, "read", "https://example.org/other")
    assert (gone.returncode, gone.stderr) == (1, "kept: Not in your libraries: https://example.org/other\n")
    waiting = await run(tmp_path, "read", "https://example.org/new")
    assert (waiting.returncode, waiting.stderr) == (1, "kept: This article is not ready for reading.\n")


async def test_a_page_is_opened_in_the_readers_browser(writer: Owner, tmp_path: Path) -> None:
    card = await writer.keep(URL, "The lighthouse", TEXT)
    link = f"http://127.0.0.1:8484/read/{card.item.id}"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    browser.chmod(0o755)
    done = await run_process(tmp_path, "open", URL, BROWSER=f"{browser} %s")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert (tmp_path / "opened").read_text() == f"{link}\n"
    assert (await run(tmp_path, "open", URL, "--print")).stdout == f"{link}\n"
    assert json.loads((await run(tmp_path, "open", URL, "--json")).stdout) == {"id": str(card.item.id), "link": link}


async def test_where_there_is_no_browser_the_link_is_printed(writer: Owner, tmp_path: Path) -> None:
    card = await writer.keep(URL, "The lighthouse", TEXT)
    variables = {"PATH": str(tmp_path), "BROWSER": "", "KEPT_PUBLIC_URL": "https://kept.example.org/"}
    done = await run_process(tmp_path, "open", URL, **variables)
    assert (done.returncode, done.stdout) == (0, f"https://kept.example.org/read/{card.item.id}\n")
    assert "no browser was found" in done.stderr


@pytest.mark.parametrize(
    ("host", "address"),
    [("0.0.0.0", "http://localhost:8484"), ("::", "http://localhost:8484"), ("::1", "http://[::1]:8484")],
)
def test_an_address_to_listen_on_becomes_one_to_go_to(host: str, address: str) -> None:
    assert find_server_url(Settings(host=host)) == address


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("kept re", {"read", "reindex", "restore", "retry"}),
        pytest.param("kept read --", {"--pager", "--json", "--user"}, marks=pytest.mark.long),
    ],
)
def test_a_shell_completes_commands_and_options(tmp_path: Path, words: str, expected: set[str]) -> None:
    asked = {"_KEPT_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = run_kept_process(tmp_path, **asked)
    assert expected <= set(done.stdout.split()), done.stderr


def test_commands_that_write_files_tell_programs_what_they_wrote(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    kept("user", "add", "ann", "--password-stdin", folder=home, stdin="long enough\n")
    exported = json.loads(kept("export", "--json", "-o", str(tmp_path / "a.zip"), folder=home).stdout)
    assert exported == {"items": 0, "output": str(tmp_path / "a.zip")}
    made = json.loads(kept("backup", "--json", str(tmp_path / "b.tar"), folder=home).stdout)
    assert (made["file"], made["files"], made["skipped"]) == (str(tmp_path / "b.tar"), 0, 0)
    assert made["bytes"] == (tmp_path / "b.tar").stat().st_size
    both = kept("backup", "--json", "-", folder=home)
    assert (both.returncode, both.stdout) == (2, "")
    restored = json.loads(kept("restore", "--json", str(tmp_path / "b.tar"), folder=other).stdout)
    assert restored == {"folder": str(other), "previous": None}
    assert json.loads(kept("migrate", "--check", "--json", folder=other).stdout) == {"schema": "current"}
    assert json.loads(kept("migrate", "--json", folder=other).stdout) == {"schema": "current"}
    assert json.loads(kept("clean", "--json", folder=other).stdout) == {"removed_media": 0, "removed_files": 0}
