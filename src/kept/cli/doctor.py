"""`kept doctor`: checks of everything Kept depends on, with advice for each problem."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Final

import typer
from rich.text import Text

from kept.cli.checks.finding import Check, Finding
from kept.cli.output import AsJson, make_console, show_steps
from kept.cli.running import log_warnings
from kept.config import Settings, load_settings
from kept.version import __version__

# A container image has only what its role needs.
NOT_NEEDED_BY: Final = {"browser": ("api", "worker"), "sidecar": ("api",)}
STYLES: Final = {"ok": "green", "limited": "yellow", "broken": "red"}


def doctor(as_json: AsJson = False) -> None:
    """Check everything Kept depends on. Exits 1 if something is broken."""
    log_warnings()
    with show_steps() as show_step:
        findings = asyncio.run(examine(load_settings(), list_checks(), show_step))
    if as_json:
        print(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        show(findings)
    raise typer.Exit(1 if any(finding.state == "broken" for finding in findings) else 0)


async def examine(
    settings: Settings, checks: Mapping[str, Check], show_step: Callable[[str], None] = lambda _: None
) -> list[Finding]:
    findings = []
    for name, check in checks.items():
        show_step(f"checking {name}")
        findings.append(await examine_one(name, check, settings))
    return findings


async def examine_one(name: str, check: Check, settings: Settings) -> Finding:
    if settings.role in NOT_NEEDED_BY.get(name, ()):
        return Finding(name, "ok", f"not needed (KEPT_ROLE={settings.role})")
    try:
        return await check(settings)
    except Exception as error:  # one failing check must not prevent the others
        return Finding(name, "broken", f"could not be checked: {type(error).__name__}: {error}")


def show(findings: list[Finding]) -> None:
    console = make_console()
    for finding in findings:
        state = Text(f"{finding.state:<8}", style=STYLES[finding.state])
        # Each is one line, however long, so that piped output can be searched.
        line = Text.assemble(state, (finding.name, "bold"), f": {finding.message}")
        console.print(line, highlight=False, soft_wrap=True)
        if finding.advice:
            console.print(Text(f"        {finding.advice}"), highlight=False, soft_wrap=True)


async def check_version(settings: Settings) -> Finding:
    return Finding("kept", "ok", f"{__version__} on Python {sys.version.split()[0]}")


def list_checks() -> dict[str, Check]:
    """Return the checks by the name they are shown under, in their order."""
    from kept.cli.checks.network import check_contact, check_egress, check_site_rules
    from kept.cli.checks.programs import check_broker, check_browser, check_sidecar
    from kept.cli.checks.storing import (
        check_blobs,
        check_clock,
        check_database,
        check_disk,
        check_schema,
        check_sqlite,
    )

    return {
        "kept": check_version,
        "database": check_database,
        "schema": check_schema,
        "sqlite": check_sqlite,
        "blobs": check_blobs,
        "disk": check_disk,
        "clock": check_clock,
        "broker": check_broker,
        "browser": check_browser,
        "sidecar": check_sidecar,
        "site-rules": check_site_rules,
        "egress": check_egress,
        "contact": check_contact,
    }
