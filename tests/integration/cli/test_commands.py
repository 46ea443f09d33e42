"""The command line as people's scripts see it: output, exit codes, one clear line for each failure."""

import json
import os
import pty
import re
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from sqlalchemy import text

from kept.config import VARIABLES
from kept.storage.migrations.schema import create_migration_engine
from kept.version import __version__
from support.servers.commands import KEPT, environment, kept
from support.servers.local_servers import free_port, wait_until


@contextmanager
def serving(folder: Path, **variables: str) -> Iterator[subprocess.Popen[str]]:
    server = subprocess.Popen(
        [KEPT, "serve"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment(folder, **variables),
    )
    try:
        yield server
    finally:
        server.kill()
        server.wait()


def first_lines(server: subprocess.Popen[str], count: int) -> list[str]:
    assert server.stdout is not None
    return [server.stdout.readline() for _ in range(count)]


def test_a_fresh_server_says_where_it_listens_and_offers_one_set_up_link(tmp_path: Path) -> None:
    port = free_port()
    with serving(tmp_path, KEPT_PORT=str(port)) as server:
        listening, first_run = first_lines(server, 2)
        assert listening == f"Kept listens on http://127.0.0.1:{port}\n"
        link = re.search(r"http://\S+/setup\?token=\S+", first_run)
        assert link
        wait_until(lambda: answers(f"http://127.0.0.1:{port}/healthz"))
        assert b"Welcome" in urllib.request.urlopen(link[0]).read()
        server.send_signal(signal.SIGTERM)
        assert server.wait(15) == 0


def answers(url: str) -> bool:
    try:
        return bool(urllib.request.urlopen(url).status == 200)
    except OSError:
        return False


def test_a_server_with_users_offers_no_set_up_link_and_takes_a_token_that_was_printed(tmp_path: Path) -> None:
    kept("user", "add", "ann", "--admin", "--password-stdin", folder=tmp_path, stdin="long enough\n")
    made = kept("token", "create", "--user", "ann", "--scopes", "read,write", folder=tmp_path)
    assert re.fullmatch(r"kept_[\w-]{43}\n", made.stdout)
    port = free_port()
    with serving(tmp_path, KEPT_PORT=str(port)) as server:
        first_lines(server, 1)  # however long it takes to start
        wait_until(lambda: answers(f"http://127.0.0.1:{port}/healthz"))
        request = urllib.request.Request(f"http://127.0.0.1:{port}/api/v1/libraries")
        request.add_header("Authorization", f"Bearer {made.stdout.strip()}")
        [library] = json.load(urllib.request.urlopen(request))["data"]
        assert library["is_default"]
        server.send_signal(signal.SIGTERM)
        assert server.stdout is not None
        assert server.stdout.read() == ""


def test_users_and_tokens_are_listed_as_json(tmp_path: Path) -> None:
    kept("user", "add", "Ann", "--admin", "--password-stdin", folder=tmp_path, stdin="long enough\n")
    kept("token", "create", "--user", "ann", "--name", "phone", folder=tmp_path)
    [user] = json.loads(kept("user", "list", "--json", folder=tmp_path).stdout)
    [token] = json.loads(kept("token", "list", "--user", "ann", "--json", folder=tmp_path).stdout)
    assert (user["name"], user["is_admin"]) == ("ann", True)
    assert (token["name"], token["scopes"]) == ("phone", ["read", "write"])


def test_links_are_saved_and_listed_from_the_shell(tmp_path: Path, httpserver: HTTPServer) -> None:
    page = '<meta property="og:title" content="A page"><meta property="og:image" content="/i.png">'
    httpserver.expect_request("/a").respond_with_data(page, content_type="text/html")
    url = httpserver.url_for("/a").replace("localhost", "127.0.0.1")
    reachable = {
        "KEPT_FETCH_ALLOW": f"127.0.0.0/8:{httpserver.port}",
        "KEPT_FETCH_PORTS": f"80,{httpserver.port}",
    }
    kept("user", "add", "ann", "--password-stdin", folder=tmp_path, stdin="long enough\n")
    saved = kept("add", url, "--tag", "Linux", "--json", folder=tmp_path, **reachable)
    [item] = json.loads(saved.stdout)
    assert (saved.returncode, item["title"], item["tags"]) == (0, "A page", ["linux"])
    mixed = kept("add", url, "not a url", folder=tmp_path, **reachable)
    assert mixed.returncode == 1
    assert "✓ A page" in mixed.stdout
    assert "✗ not a url: This is not a web URL: there is a space before its path." in mixed.stdout
    [listed] = json.loads(kept("list", "--tag", "linux", "--json", folder=tmp_path).stdout)
    assert listed["id"] == item["id"]
    assert "A page" in kept("list", folder=tmp_path).stdout


def test_what_a_command_prints_for_programs_is_nothing_but_that(tmp_path: Path) -> None:
    """In a process of its own: in this one, logs are set up already."""
    kept("user", "add", "ann", "--password-stdin", folder=tmp_path, stdin="long enough\n")
    command = [str(KEPT), "add", "http://10.0.0.1/", "--json"]
    done = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True)
    assert (json.loads(done.stdout)[0]["processing_status"], done.stderr) == ("blocked", "")


def test_failed_pages_are_queued_again_from_the_shell(tmp_path: Path) -> None:
    kept("user", "add", "ann", "--password-stdin", folder=tmp_path, stdin="long enough\n")
    [blocked] = json.loads(kept("add", "http://10.0.0.1/", "--json", folder=tmp_path).stdout)
    assert blocked["processing_status"] == "blocked"
    other_code = kept("retry", "--code", "E_FETCH_FAILED", folder=tmp_path)
    assert (other_code.returncode, other_code.stdout) == (0, "queued 0\n")
    by_code = kept("retry", "--code", "E_FETCH_FORBIDDEN", "--json", folder=tmp_path)
    assert json.loads(by_code.stdout) == {"queued": 1, "refused": []}
    [listed] = json.loads(kept("list", "--json", folder=tmp_path).stdout)
    assert listed["processing_status"] == "extracting"
    again = kept("retry", blocked["id"], folder=tmp_path)
    assert (again.returncode, again.stdout) == (1, "queued 0\n")
    assert "nothing to retry" in again.stderr
    assert kept("retry", folder=tmp_path).returncode == 2


def test_pages_are_retried_by_item_id_media_id_and_url(tmp_path: Path) -> None:
    add_user(tmp_path, "ann")
    urls = [f"http://10.0.0.1/{name}" for name in "abc"]
    saved = json.loads(kept("add", *urls, "--json", folder=tmp_path).stdout)
    named = (saved[0]["id"], saved[1]["media_id"], "HTTP://10.0.0.1:80/c#part")
    assert json.loads(kept("retry", *named, "--json", folder=tmp_path).stdout) == {"queued": 3, "refused": []}
    listed = json.loads(kept("list", "--json", folder=tmp_path).stdout)
    assert {item["processing_status"] for item in listed} == {"extracting"}


def test_a_name_that_leads_to_no_page_is_told(tmp_path: Path) -> None:
    outcome = kept("retry", "http://10.0.0.1/unknown", "not a url", folder=tmp_path)
    assert (outcome.returncode, outcome.stdout) == (1, "queued 0\n")
    assert outcome.stderr.splitlines() == [
        "kept: Nothing was saved from http://10.0.0.1/unknown.",
        "kept: not a url is neither an id nor a web URL.",
    ]


def test_the_list_names_the_site_of_every_page(tmp_path: Path) -> None:
    add_user(tmp_path, "ann")
    kept("add", "http://10.0.0.1/a", folder=tmp_path)
    assert "10.0.0.1" in kept("list", folder=tmp_path, COLUMNS="200").stdout.replace("http://10.0.0.1/a", "")


def test_a_tag_in_brackets_is_listed_as_it_is(tmp_path: Path) -> None:
    kept("user", "add", "ann", "--password-stdin", folder=tmp_path, stdin="correct horse battery staple\n")
    kept("add", "http://10.0.0.1/a", "--tag", "[/]", "--tag", "[red]x", folder=tmp_path)
    assert "[/], [red]x" in kept("list", folder=tmp_path).stdout


def test_the_version_is_printed(tmp_path: Path) -> None:
    outcome = kept("--version", folder=tmp_path)
    assert (outcome.returncode, outcome.stdout) == (0, f"kept {__version__}\n")


def test_stats_are_in_plain_words(tmp_path: Path) -> None:
    add_user(tmp_path, "ann")
    kept("add", "http://10.0.0.1/", folder=tmp_path)
    told = kept("stats", folder=tmp_path, COLUMNS="200").stdout
    assert "SC-" not in told
    assert re.search(r"saves that showed title and excerpt at once +0 of 0 +at least 80 %", told)
    assert re.search(r"must not be fetched, and were not +100 % +1 of 1", told)
    assert "1 page saved; 0 in several libraries, each stored once." in told
    assert json.loads(kept("stats", "--json", folder=tmp_path).stdout)["figures"][0]["code"] == "SC-001"


def add_user(folder: Path, name: str, *options: str) -> None:
    done = kept("user", "add", name, *options, "--password-stdin", folder=folder, stdin="long enough\n")
    assert done.returncode == 0, done.stderr


def test_tokens_of_everybody_are_listed_and_revoked_by_id_or_name(tmp_path: Path) -> None:
    for user in ("ann", "bob"):
        add_user(tmp_path, user)
        for name in ("phone", f"{user}-laptop"):
            kept("token", "create", "--user", user, "--name", name, folder=tmp_path)
    found = json.loads(kept("token", "list", "--json", folder=tmp_path).stdout)
    assert [(token["user"], token["name"]) for token in found] == [
        ("ann", "phone"),
        ("ann", "ann-laptop"),
        ("bob", "phone"),
        ("bob", "bob-laptop"),
    ]
    assert found[0]["id"] in kept("token", "list", folder=tmp_path).stdout
    unclear = kept("token", "revoke", "phone", folder=tmp_path)
    assert (unclear.returncode, unclear.stderr) == (
        1,
        "kept: Several tokens are named phone: give an id, or --user.\n",
    )
    assert kept("token", "revoke", "tablet", folder=tmp_path).stderr == "kept: There is no token tablet.\n"
    assert kept("token", "revoke", found[0]["id"], "bob-laptop", folder=tmp_path).returncode == 0
    left = json.loads(kept("token", "list", "--json", folder=tmp_path).stdout)
    assert [(token["user"], token["name"]) for token in left] == [("ann", "ann-laptop"), ("bob", "phone")]


def test_a_user_is_removed_after_a_question(tmp_path: Path) -> None:
    add_user(tmp_path, "root", "--admin")
    add_user(tmp_path, "ann")
    kept("add", "http://10.0.0.1/", "--user", "ann", folder=tmp_path)
    refused = kept("user", "remove", "ann", folder=tmp_path)
    assert refused.returncode == 1
    assert "Deleted with ann: “My library”, 1 item with notes and tags, 0 API tokens" in refused.stderr
    assert refused.stderr.endswith("kept: No terminal to ask: use --yes.\n")
    assert len(json.loads(kept("user", "list", "--json", folder=tmp_path).stdout)) == 2
    assert kept("user", "remove", "ann", "--yes", folder=tmp_path).stderr == "removed ann\n"
    [left] = json.loads(kept("user", "list", "--json", folder=tmp_path).stdout)
    assert left["name"] == "root"
    assert kept("user", "remove", "ann", "--yes", folder=tmp_path).stderr == "kept: There is no user named ann.\n"


@pytest.mark.parametrize(("typed", "left"), [(b"n\n", {"root", "ann"}), (b"y\n", {"root"})])
def test_the_question_before_a_removal_is_obeyed(tmp_path: Path, typed: bytes, left: set[str]) -> None:
    add_user(tmp_path, "root", "--admin")
    add_user(tmp_path, "ann")
    terminal, inside = pty.openpty()
    os.write(terminal, typed)
    command = [str(KEPT), "user", "remove", "ann"]
    done = subprocess.run(command, env=environment(tmp_path), stdin=inside, capture_output=True, text=True)
    os.close(terminal)
    os.close(inside)
    assert "This can't be undone." in done.stderr
    assert "Remove ann? [y/N]" in done.stderr
    found = json.loads(kept("user", "list", "--json", folder=tmp_path).stdout)
    assert {user["name"] for user in found} == left


def test_saving_needs_to_know_whose_library(tmp_path: Path) -> None:
    assert kept("add", "example.org", folder=tmp_path).stderr.startswith("kept: There are no users yet")
    for name in ("ann", "bob"):
        kept("user", "add", name, "--password-stdin", folder=tmp_path, stdin="long enough\n")
    assert kept("list", folder=tmp_path).stderr == "kept: There are several users: choose one with --user.\n"
    assert kept("list", "--user", "ann", "--library", "Nowhere", folder=tmp_path).stderr == (
        "kept: There is no library named Nowhere.\n"
    )


def test_config_shows_values_and_hides_secrets(tmp_path: Path) -> None:
    shown = kept("config", "--json", folder=tmp_path, KEPT_DATABASE_URL="postgresql://kept:hunter2@db/kept")
    values = json.loads(shown.stdout)
    assert (values["port"], values["data_dir"], values["database_url"]) == (8484, str(tmp_path), "(secret)")
    assert "hunter2" not in kept("config", folder=tmp_path, KEPT_DATABASE_URL="postgresql://k:hunter2@db/k").stdout


def test_settings_come_from_a_file_and_variables_win(tmp_path: Path) -> None:
    (tmp_path / "kept.toml").write_text('port = 9000\nhost = "0.0.0.0"\n')
    chosen = {"KEPT_CONFIG": str(tmp_path / "kept.toml"), "KEPT_PORT": "9001"}
    values = json.loads(kept("config", "--json", folder=tmp_path, **chosen).stdout)
    assert (values["port"], values["host"]) == (9001, "0.0.0.0")


def test_the_file_in_the_data_folder_is_read_wherever_that_folder_is(tmp_path: Path) -> None:
    (tmp_path / "kept.toml").write_text("port = 9000\n")
    values = json.loads(kept("config", "--json", folder=tmp_path).stdout)
    assert (values["port"], values["data_dir"]) == (9000, str(tmp_path))
    assert json.loads(kept("config", "--json", folder=tmp_path, KEPT_PORT="9001").stdout)["port"] == 9001


def test_doctor_finds_a_new_machine_in_order_and_a_broken_one_not(tmp_path: Path) -> None:
    assert kept("doctor", folder=tmp_path).returncode == 0
    broken = kept(
        "doctor", "--json", folder=tmp_path, KEPT_DATABASE_URL=f"postgresql://kept@127.0.0.1:{free_port()}/kept"
    )
    assert broken.returncode == 1
    [database] = [finding for finding in json.loads(broken.stdout) if finding["name"] == "database"]
    assert database["state"] == "broken"
    assert database["advice"]


def test_migrate_check_tells_and_migrate_does(tmp_path: Path) -> None:
    assert kept("migrate", "--check", folder=tmp_path).stdout == "empty\n"
    assert kept("migrate", folder=tmp_path).returncode == 0
    assert kept("migrate", "--check", folder=tmp_path).stdout == "current\n"


@pytest.mark.parametrize(
    ("variables", "complaint", "code"),
    [
        ({"KEPT_PORT": "eighty"}, "kept: KEPT_PORT: ", 2),
        ({"KEPT_CONFIG": "/nowhere/kept.toml"}, "kept: KEPT_CONFIG: there is no file /nowhere/kept.toml", 2),
        ({"KEPT_DATABASE_URL": "postgresql://kept:hunter2@127.0.0.1:1/kept"}, "kept: cannot open the database ", 1),
        ({"KEPT_DATA_DIR": "/dev/null/kept"}, "kept: cannot make the folder /dev/null/kept", 1),
        ({"KEPT_HOST": "no-such-host.invalid"}, "kept: cannot listen on no-such-host.invalid:8484: ", 1),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_a_server_that_cannot_start_says_why_in_one_line(
    tmp_path: Path, variables: dict[str, str], complaint: str, code: int
) -> None:
    outcome = kept("serve", folder=tmp_path, **variables)
    assert outcome.returncode == code
    [line] = [line for line in outcome.stderr.splitlines() if not line.startswith("{")]
    assert line.startswith(complaint)
    assert "hunter2" not in outcome.stderr + outcome.stdout


@pytest.mark.parametrize("command", [("serve",), ("list",), ("backup", "-")], ids=lambda command: command[0])
def test_a_file_that_is_no_database_is_one_clear_line(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "kept.db").write_bytes(b"no database " * 1000)
    outcome = kept(*command, folder=tmp_path)
    assert outcome.returncode == 1
    [line] = [line for line in outcome.stderr.splitlines() if not line.startswith("{")]
    assert line.startswith("kept: cannot ")
    assert line.endswith("file is not a database")


@pytest.mark.parametrize(
    "command",
    [("config",), pytest.param(("migrate", "--check"), marks=pytest.mark.long)],
    ids=lambda command: command[0],
)
def test_output_to_a_full_disk_is_one_clear_line(tmp_path: Path, command: tuple[str, ...]) -> None:
    variables = environment(tmp_path)
    with Path("/dev/full").open("wb") as full:
        outcome = subprocess.run(
            [KEPT, *command], stdout=full, stderr=subprocess.PIPE, env=variables, text=True, check=False
        )
    assert (outcome.returncode, outcome.stderr) == (1, "kept: cannot write: No space left on device\n")


@pytest.mark.parametrize(
    "command", [("serve",), pytest.param(("serve", "--port", "0"), marks=pytest.mark.long), ("config",)], ids=" ".join
)
def test_a_command_whose_output_nobody_reads_ends_without_a_word(tmp_path: Path, command: tuple[str, ...]) -> None:
    unread, output = os.pipe()
    os.close(unread)
    variables = environment(tmp_path, KEPT_PORT="0", KEPT_LOG_LEVEL="error")
    outcome = subprocess.run(
        [KEPT, *command], stdout=output, stderr=subprocess.PIPE, env=variables, text=True, check=False, timeout=60
    )
    os.close(output)
    assert (outcome.returncode, outcome.stderr) == (1, "")


def test_a_port_in_use_is_one_clear_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        outcome = kept("serve", folder=tmp_path, KEPT_PORT=str(port))
    assert (outcome.returncode, outcome.stderr) == (
        1,
        f"kept: cannot listen on 127.0.0.1:{port}: Address already in use\n",
    )


def test_a_newer_schema_is_one_clear_line(tmp_path: Path) -> None:
    kept("migrate", folder=tmp_path)
    engine = create_migration_engine(f"sqlite:///{tmp_path / 'kept.db'}")
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    outcome = kept("serve", folder=tmp_path)
    assert outcome.returncode == 1
    assert outcome.stderr.startswith("kept: The database was written by a newer Kept")


def test_without_automatic_migration_an_old_schema_is_one_clear_line(tmp_path: Path) -> None:
    outcome = kept("serve", folder=tmp_path, KEPT_AUTO_MIGRATE="false")
    assert outcome.returncode == 1
    assert outcome.stderr.startswith("kept: The database is older than this Kept; run `kept migrate`")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("serve",),
        ("migrate",),
        ("doctor",),
        ("config",),
        ("add",),
        ("list",),
        ("fetch",),
        ("retry",),
        ("user",),
        ("user", "add"),
        ("user", "list"),
        ("user", "password"),
        ("token",),
        ("token", "create"),
        ("token", "list"),
        ("token", "revoke"),
        ("user", "remove"),
        ("stats",),
    ],
)
def test_every_command_has_help(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    outcome = kept(*arguments, "--help", folder=tmp_path)
    assert outcome.returncode == 0
    assert "Usage" in outcome.stdout


def test_wrong_input_is_refused_with_a_reason(tmp_path: Path) -> None:
    for arguments, stdin, complaint in (
        (("user", "add", "ann", "--password-stdin"), "short\n", "kept: A password has at least"),
        (("user", "add", "a b", "--password-stdin"), "long enough\n", "kept: A user name is"),
        (("token", "create", "--user", "nobody"), "", "kept: There is no user named nobody."),
        (("token", "create", "--user", "x", "--scopes", "root"), "", "kept: Scopes are read, save, write, admin."),
    ):
        outcome = kept(*arguments, folder=tmp_path, stdin=stdin)
        assert outcome.returncode == 1
        assert outcome.stderr.startswith(complaint)


def test_search_and_reindex_from_the_shell(tmp_path: Path) -> None:
    assert (
        kept("user", "add", "ann", "--password-stdin", folder=tmp_path, stdin="correct horse battery").returncode == 0
    )
    assert kept("add", "magnet:?xt=harbour", "--tag", "boats", folder=tmp_path).returncode == 0
    found = kept("search", "boats", "harbour", folder=tmp_path)
    assert found.returncode == 0, found.stderr
    assert "magnet:?xt=harbour" in found.stdout
    assert "boats" in found.stdout
    [item] = json.loads(kept("search", "tag:boats", "--json", folder=tmp_path).stdout)
    assert item["url"] == "magnet:?xt=harbour"
    assert kept("search", "nothing", folder=tmp_path).returncode == 1
    assert json.loads(kept("reindex", "--json", folder=tmp_path).stdout) == {"indexed": 2}
    assert "Indexed 2" in kept("reindex", folder=tmp_path).stdout
    assert kept("search", "boats", folder=tmp_path).returncode == 0


def test_in_a_pipe_nothing_of_the_settings_is_cut(tmp_path: Path) -> None:
    endpoint = "http://a-store-with-a-name-that-is-longer-than-a-terminal-is-wide.internal.example.org:9000"
    lines = kept("config", folder=tmp_path, KEPT_S3_ENDPOINT=endpoint).stdout.splitlines()

    assert [line.split()[1] for line in lines if line.split()[0] == "KEPT_S3_ENDPOINT"] == [endpoint]
    assert [line.split()[0] for line in lines[1:]] == list(VARIABLES.values())  # and no limit
