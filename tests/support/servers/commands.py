"""The command line, run in the test's own process."""

import asyncio
import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import typer

from kept.cli.main import app, main

KEPT = Path(sys.executable).with_name("kept")
COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Outcome:
    returncode: int
    output: bytes
    stderr: str

    @property
    def stdout(self) -> str:
        return self.output.decode()


def kept(*arguments: str, folder: Path, stdin: str | bytes = "", **variables: str) -> Outcome:
    """A command, in this process: starting Python for each would take most of the time.

    In a test that is `async`, await `kept_in_thread`: a command has an event loop of its own.
    """
    given = stdin if isinstance(stdin, bytes) else stdin.encode()
    stdout, stderr = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with (
        mock.patch.dict(os.environ, environment(folder, **variables), clear=True),
        mock.patch.object(sys, "argv", ["kept", *arguments]),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")),
        redirect_stdout(stdout),
        redirect_stderr(stderr),
        pytest.raises(SystemExit) as exit_,
    ):
        main()
    stdout.flush()
    return Outcome(int(exit_.value.code or 0), stdout.buffer.getvalue(), stderr.getvalue())


async def kept_in_thread(*arguments: str, folder: Path, **variables: str) -> Outcome:
    return await asyncio.to_thread(kept, *arguments, folder=folder, **variables)


def run_kept_process(
    folder: Path, *arguments: str | Path, stdin: str = "", **variables: str
) -> "subprocess.CompletedProcess[str]":
    """A command in a process of its own, as a person's shell runs it."""
    return subprocess.run(
        [KEPT, *arguments],
        env=environment(folder, **variables),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def environment(folder: Path, **variables: str) -> dict[str, str]:
    """Of a process that uses this data folder, whatever the machine it runs on says of Kept."""
    return clean_environment() | {"KEPT_DATA_DIR": str(folder)} | variables


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("KEPT_")}
