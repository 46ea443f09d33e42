"""Commands that change accounts, for scripts; lists and searches over all libraries; progress where it belongs."""

import asyncio
import json
import os
import pty
import subprocess
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from kept.cli import doctor
from kept.cli.checks.finding import Finding
from kept.clock import utc_now
from kept.config import Settings
from kept.domain.account import Scope, User, Viewer
from kept.services.libraries.libraries import create_library
from kept.storage.database.engine import Database
from support.servers.commands import KEPT, environment, kept

pytestmark = pytest.mark.requirement("Kept", "account commands with `--json`; lists over all libraries from the shell")

PASSWORD = "long enough\n"


def run(folder: Path, *arguments: str, stdin: str = "") -> Any:
    """What a command prints as JSON: that and nothing else."""
    done = kept(*arguments, "--json", folder=folder, stdin=stdin)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return json.loads(done.stdout)


def test_every_change_of_an_account_is_told_as_json(tmp_path: Path) -> None:
    root = run(tmp_path, "user", "add", "root", "--admin", "--password-stdin", stdin=PASSWORD)
    ann = run(tmp_path, "user", "add", "ann", "--password-stdin", stdin=PASSWORD)
    assert ((root["name"], root["is_admin"]), (ann["name"], ann["is_admin"])) == (("root", True), ("ann", False))
    made = run(tmp_path, "token", "create", "--user", "ann", "--name", "phone")
    assert (made["user"], made["name"], made["scopes"]) == ("ann", "phone", ["read", "write"])
    assert made["token"].startswith("kept_")
    [revoked] = run(tmp_path, "token", "revoke", made["id"])
    assert revoked["id"] == made["id"]
    assert "token" not in revoked
    changed = run(tmp_path, "user", "password", "ann", "--password-stdin", stdin=PASSWORD)
    assert (changed["id"], changed["revoked_tokens"]) == (ann["id"], 0)
    removed = run(tmp_path, "user", "remove", "ann", "--yes")
    assert (removed["name"], removed["deleted_items"], removed["handed_over_libraries"]) == ("ann", 0, [])
    assert [library["name"] for library in removed["deleted_libraries"]] == ["My library"]


def test_a_password_reset_revokes_tokens_only_if_it_is_told_to(tmp_path: Path) -> None:
    for name in ("ann", "bob"):
        run(tmp_path, "user", "add", name, "--password-stdin", stdin=PASSWORD)
        run(tmp_path, "token", "create", "--user", name)
    run(tmp_path, "token", "create", "--user", "ann")
    assert run(tmp_path, "user", "password", "ann", "--password-stdin", stdin=PASSWORD)["revoked_tokens"] == 0
    assert len(run(tmp_path, "token", "list", "--user", "ann")) == 2

    done = kept("user", "password", "ann", "--revoke-tokens", "--password-stdin", folder=tmp_path, stdin=PASSWORD)

    assert (done.returncode, done.stderr) == (0, "revoked 2 API tokens of ann\n")
    assert [token["user"] for token in run(tmp_path, "token", "list")] == ["bob"]


def make_library(folder: Path, user: dict[str, Any], name: str) -> UUID:
    async def make() -> UUID:
        database = Database(Settings(data_dir=folder).sqlalchemy_url)
        viewer = Viewer(User(UUID(user["id"]), user["name"], is_admin=False, created_at=utc_now()), frozenset(Scope))
        made = await database.write(create_library, viewer, name=name, now=utc_now())
        await database.close()
        return made.id

    return asyncio.run(make())


def test_all_libraries_are_listed_and_searched_at_once(tmp_path: Path) -> None:
    ann = run(tmp_path, "user", "add", "ann", "--password-stdin", stdin=PASSWORD)
    for number in (1, 2):
        make_library(tmp_path, ann, f"Team {number}")
        url = f"magnet:?xt=harbour{number}"
        assert kept("add", url, "--tag", "boats", "--library", f"Team {number}", folder=tmp_path).returncode == 0

    assert len(run(tmp_path, "list", "--library", "Team 1")) == 1
    for command in (("list", "--library", "all"), ("search", "tag:boats", "--library", "all")):
        found = {item["url"] for item in run(tmp_path, *command)}
        assert found == {"magnet:?xt=harbour1", "magnet:?xt=harbour2"}, command


def test_a_library_that_is_named_all_is_that_library(tmp_path: Path) -> None:
    ann = run(tmp_path, "user", "add", "ann", "--password-stdin", stdin=PASSWORD)
    library_id = make_library(tmp_path, ann, "all")
    kept("add", "magnet:?xt=own", folder=tmp_path)
    kept("add", "magnet:?xt=named", "--library", "all", folder=tmp_path)
    [item] = run(tmp_path, "list", "--library", "all")
    assert (item["url"], item["library_id"]) == ("magnet:?xt=named", str(library_id))


async def test_doctor_says_what_it_checks_while_it_does() -> None:
    async def check(settings: Settings) -> Finding:
        return Finding("disk", "ok", "there is room")

    steps: list[str] = []
    await doctor.examine(Settings(), {"disk": check, "clock": check}, steps.append)
    assert steps == ["checking disk", "checking clock"]


def test_progress_is_on_the_terminal_and_the_data_in_the_pipe(tmp_path: Path) -> None:
    run(tmp_path, "user", "add", "ann", "--password-stdin", stdin=PASSWORD)
    terminal, inside = pty.openpty()
    command = [str(KEPT), "add", "magnet:?xt=1", "magnet:?xt=2", "--json"]
    variables = environment(tmp_path) | {"TERM": "xterm-256color"}
    done = subprocess.run(command, env=variables, stdout=subprocess.PIPE, stderr=inside, text=True)
    os.close(inside)
    shown = os.read(terminal, 100_000).decode()
    os.close(terminal)
    assert len(json.loads(done.stdout)) == 2
    assert "saving" in shown
