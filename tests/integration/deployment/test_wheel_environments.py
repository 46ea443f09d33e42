"""The wheel in fresh environments, with every dependency from the package index: on each Python it is made for, with
the Node that the extra brings, and on a machine without Node.

A Python comes from this machine, or else from a Debian that has it, made by debootstrap.
"""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import pytest

from support.fixtures.extraction import require_node
from support.servers.commands import clean_environment
from support.servers.debian import Debian, make_debian
from support.servers.packages import ROOT, build_packages, copy_source

pytestmark = [pytest.mark.long, pytest.mark.requirement("Kept", "the wheel on each Python, with and without Node")]

SUITE_OF: Final = {"3.11": "bookworm", "3.13": "trixie"}
SMOKE: Final = ROOT / "tools" / "smoke.py"
UV: Final = str(ROOT / ".tools" / "bin" / "uv")
INSTALLING_SECONDS: Final = 900
TRYING_SECONDS: Final = 1200


class Machine(Protocol):
    """Somewhere with a Python and without Node."""

    def install(self, wheel: Path, extras: str) -> None:
        """Kept in a new virtual environment."""

    def try_once(self, *options: str) -> list[str]:
        """What tools/smoke.py says of it."""


@dataclass(frozen=True)
class DebianMachine:
    debian: Debian

    def install(self, wheel: Path, extras: str) -> None:
        for file in (wheel, SMOKE):
            shutil.copy(file, self.debian.root / "srv" / file.name)
        self.debian.run("rm -rf /srv/env && python3 -m venv /srv/env")
        self.debian.run(f"/srv/env/bin/pip install --quiet --no-input '/srv/{wheel.name}{extras}'")

    def try_once(self, *options: str) -> list[str]:
        command = f"cd /srv && python3 smoke.py /srv/env/bin/kept {' '.join(options)}"
        return read_steps(self.debian.command(command), clean_environment())


@dataclass(frozen=True)
class ThisMachine:
    python: str
    folder: Path

    def install(self, wheel: Path, extras: str) -> None:
        shutil.rmtree(self.folder / "env", ignore_errors=True)
        environment = str(self.folder / "env")
        for command in (
            [UV, "venv", "--quiet", "--no-python-downloads", "--python", self.python, environment],
            [UV, "pip", "install", "--quiet", "--python", f"{environment}/bin/python", f"{wheel}{extras}"],
        ):
            done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALLING_SECONDS)
            assert done.returncode == 0, done.stderr[-2000:]

    def try_once(self, *options: str) -> list[str]:
        """With nothing on the path, this machine's Node is not found."""
        (self.folder / "bin").mkdir(exist_ok=True)
        programs = self.folder / "env/bin"
        command = [str(programs / "python"), str(SMOKE), str(programs / "kept"), *options]
        return read_steps(command, clean_environment() | {"PATH": str(self.folder / "bin")})


def read_steps(command: list[str], variables: dict[str, str]) -> list[str]:
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=TRYING_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_node()
    source = copy_source(tmp_path_factory.mktemp("source"))
    return build_packages(source, tmp_path_factory.mktemp("dist"))[1]


def find_python(version: str) -> str | None:
    """On the path, or where pyenv has it. One that does not start (a shim that leads nowhere) is none."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates = [shutil.which(f"python{version}"), *map(str, pyenv.glob(f"versions/{version}.*/bin/python{version}"))]
    for candidate in filter(None, candidates):
        ask = "import sys; print(*sys.version_info[:2], sep='.'); print(sys.executable)"
        done = subprocess.run([candidate, "-c", ask], capture_output=True, text=True)
        if done.returncode == 0 and done.stdout.startswith(f"{version}\n"):
            return done.stdout.splitlines()[1]
    return None


@pytest.fixture(scope="module", params=["3.11", "3.12", "3.13"])
def machine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    version, folder = request.param, tmp_path_factory.mktemp("machine")
    python = find_python(version)
    if python is not None:
        return ThisMachine(python, folder)
    if version not in SUITE_OF or os.geteuid() != 0 or shutil.which("debootstrap") is None:
        pytest.skip(f"THERE IS NO PYTHON {version} HERE, AND NO DEBIAN TO HAVE IT FROM: the wheel is not tried on it")
    debian = make_debian(folder / "root", SUITE_OF[version])
    debian.run("apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv")
    assert debian.run("python3 --version").split()[1].startswith(f"{version}.")
    return DebianMachine(debian)


def test_with_the_extra_for_node_the_wheel_makes_articles(machine: Machine, wheel: Path) -> None:
    machine.install(wheel, "[node]")
    assert machine.try_once()[-1] == "article: read"


def test_without_node_the_wheel_serves_and_says_what_is_missing(machine: Machine, wheel: Path) -> None:
    machine.install(wheel, "")
    assert machine.try_once("--without-node")[-1] == "article: waits for Node"
