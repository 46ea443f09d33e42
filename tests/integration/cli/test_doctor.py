"""`kept doctor` finds what is wrong, says what to do, and finds nothing where nothing is."""

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from kept.cli.checks import network, storing
from kept.cli.checks.network import check_contact, check_site_rules
from kept.cli.doctor import list_checks
from kept.config import Settings
from kept.fetch.policy import EgressPolicy
from kept.version import __version__
from support.servers.commands import kept
from support.servers.local_servers import free_port

pytestmark = pytest.mark.requirement("Kept", "site rules")


def examine(folder: Path, **variables: str) -> tuple[int, dict[str, Any]]:
    outcome = kept("doctor", "--json", folder=folder, **variables)
    return outcome.returncode, {finding["name"]: finding for finding in json.loads(outcome.stdout)}


def test_a_sound_machine_is_found_sound_in_every_part(tmp_path: Path) -> None:
    kept("migrate", folder=tmp_path)
    code, found = examine(tmp_path, KEPT_USER_AGENT_CONTACT_URL="mailto:ann@example.org")
    assert code == 0
    assert list(found) == list(list_checks())
    states = {name: finding["state"] for name, finding in found.items()}
    del states["browser"]  # where tests run as root, it has no sandbox
    assert set(states.values()) == {"ok"}
    assert list((tmp_path / "blobs").iterdir()) == []


def test_each_finding_is_one_line_and_says_where_the_database_is(tmp_path: Path) -> None:
    folder = tmp_path / "a folder with a name that is much longer than a line of a terminal has room for"
    kept("migrate", folder=folder)
    lines = kept("doctor", folder=folder).stdout.splitlines()
    findings = [line for line in lines if not line.startswith(" ")]
    assert [line.split()[1].rstrip(":") for line in findings] == list(list_checks())
    assert f"SQLite at {folder / 'kept.db'} answers" in findings[1]


def test_every_part_that_is_broken_is_told_with_advice(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")
    broken = {
        "KEPT_EXECUTOR": "celery",
        "KEPT_BROKER_URL": f"redis://:hunter2@127.0.0.1:{free_port()}/0",
        "KEPT_DATABASE_URL": f"postgresql://kept:hunter2@127.0.0.1:{free_port()}/kept",
        "KEPT_CHROMIUM": "/bin/false",
        "KEPT_NODE": "/bin/false",
    }
    code, found = examine(tmp_path / "data", **broken)
    assert code == 1
    for name in ("database", "schema", "blobs", "broker", "browser", "sidecar"):
        assert (found[name]["state"], bool(found[name]["advice"])) == ("broken", True), found[name]
    assert "hunter2" not in str(found)
    assert found["egress"]["state"] == "ok"


def test_what_is_missing_but_can_be_done_without_is_no_failure(tmp_path: Path) -> None:
    code, found = examine(tmp_path, KEPT_CHROMIUM="/nowhere/chromium", KEPT_NODE="/nowhere/node")
    assert code == 0
    assert {name: found[name]["state"] for name in ("schema", "browser", "sidecar")} == dict.fromkeys(
        ("schema", "browser", "sidecar"), "limited"
    )


@pytest.mark.parametrize(("role", "not_needed"), [("api", ["browser", "sidecar"]), ("worker", ["browser"])])
def test_an_image_is_judged_by_what_its_role_needs(tmp_path: Path, role: str, not_needed: list[str]) -> None:
    _, found = examine(tmp_path, KEPT_ROLE=role, KEPT_CHROMIUM="/nowhere/chromium", KEPT_NODE="/nowhere/node")

    assert [name for name in ("browser", "sidecar") if found[name]["state"] == "ok"] == not_needed


def test_a_browser_that_takes_no_screenshot_is_broken_though_it_tells_its_version(tmp_path: Path) -> None:
    hollow = tmp_path / "chromium"
    hollow.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Chromium 156.0 || exit 1\n')
    hollow.chmod(0o755)

    _, found = examine(tmp_path / "data", KEPT_CHROMIUM=str(hollow))

    assert found["browser"]["state"] == "broken"
    assert "Chromium 156.0 takes no screenshots: " in found["browser"]["message"]
    assert found["browser"]["advice"]


@pytest.mark.requirement("003", "§6.2 User-Agent with a contact URL")
@pytest.mark.parametrize(
    ("settings", "sent", "advised"),
    [
        ({}, f"Kept/{__version__}”", True),
        ({"public_url": "http://192.168.1.5:8484"}, f"Kept/{__version__}”", True),
        ({"public_url": "https://kept.example.org"}, "(+https://kept.example.org/bot)", True),
        ({"user_agent_contact_url": "mailto:ann@example.org"}, "(+mailto:ann@example.org)", False),
    ],
)
def test_doctor_tells_what_sites_are_told_and_asks_for_a_contact(
    settings: dict[str, Any], sent: str, advised: bool
) -> None:
    found = asyncio.run(check_contact(Settings(**settings)))
    assert sent in found.message
    assert ("KEPT_USER_AGENT_CONTACT_URL" in found.advice) is advised
    assert found.state == ("limited" if advised else "ok")


def test_a_clock_that_went_back_is_seen_by_the_files_it_left(tmp_path: Path) -> None:
    kept("migrate", folder=tmp_path)
    later = time.time() + 3600
    os.utime(tmp_path / "kept.db", (later, later))
    assert asyncio.run(storing.check_clock(Settings(data_dir=tmp_path))).state == "limited"


def test_a_full_disk_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for free, expected in ((0, "broken"), (500 * 1024**2, "limited"), (2 * 1024**3, "ok")):
        usage = type("Usage", (), {"free": free})
        monkeypatch.setattr("shutil.disk_usage", lambda path, usage=usage: usage)
        assert asyncio.run(storing.check_disk(Settings(data_dir=tmp_path))).state == expected


def test_a_gate_that_leads_inside_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EgressPolicy, "judge_socket", lambda *_: None)
    found = asyncio.run(network.check_egress(Settings(data_dir=tmp_path)))
    assert (found.state, found.advice) == ("broken", network.ADVICE)
    assert "127.0.0.1" in found.message


def test_a_policy_that_lets_metadata_through_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = EgressPolicy.judge_socket

    def forgetful(self: EgressPolicy, address: Any, *others: Any) -> Any:
        return None if str(address) == "169.254.169.254" else judge(self, address, *others)

    monkeypatch.setattr(EgressPolicy, "judge_socket", forgetful)
    found = asyncio.run(network.check_egress(Settings(data_dir=tmp_path)))
    assert (found.state, found.message) == ("broken", "the gate would connect to 169.254.169.254")


def test_what_the_operator_opened_is_told_and_is_no_fault(tmp_path: Path) -> None:
    found = asyncio.run(network.check_egress(Settings(data_dir=tmp_path, fetch_allow="192.168.1.0/24:8080")))
    assert found.state == "ok"
    assert "192.168.1.0/24:8080" in found.message


async def test_site_rules_are_listed_and_their_faults_told(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    assert (await check_site_rules(settings)).message == f"none in {tmp_path / 'site-rules'}"
    settings.site_rules_folder.mkdir()
    (settings.site_rules_folder / "a.toml").write_text('hosts = ["example.org"]\nbrowser = true')
    sound = await check_site_rules(settings)
    assert (sound.state, sound.message) == ("ok", "a.toml (example.org)")
    (settings.site_rules_folder / "b.toml").write_text('hosts = ["example.net"]\ntake = "p"')
    found = await check_site_rules(settings)
    assert (found.state, found.message) == ("limited", "b.toml: take: must be a list; in use: a.toml (example.org)")
    assert "kept extract --rules" in found.advice
    missing = await check_site_rules(Settings(data_dir=tmp_path, site_rules=tmp_path / "nowhere"))
    assert (missing.state, missing.message) == ("limited", f"there is no folder {tmp_path / 'nowhere'}")
