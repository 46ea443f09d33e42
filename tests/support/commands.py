"""The command line, run in the test's own process."""

import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest

from kept.cli.main import main

KEPT = Path(sys.executable).with_name("kept")


@dataclass(frozen=True)
class Outcome:
    returncode: int
    stdout: str
    stderr: str


def kept(*arguments: str, folder: Path, stdin: str = "", **variables: str) -> Outcome:
    """A command, in this process: starting Python for each would take most of the time."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with (
        mock.patch.dict(os.environ, environment(folder, variables), clear=True),
        mock.patch.object(sys, "argv", ["kept", *arguments]),
        mock.patch.object(sys, "stdin", io.StringIO(stdin)),
        redirect_stdout(stdout),
        redirect_stderr(stderr),
        pytest.raises(SystemExit) as exit_,
    ):
        main()
    return Outcome(int(exit_.value.code or 0), stdout.getvalue(), stderr.getvalue())


def environment(folder: Path, variables: dict[str, str]) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("KEPT_")}
    return clean | {"KEPT_DATA_DIR": str(folder)} | variables
