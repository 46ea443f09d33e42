"""Images built by buildah and run by podman, in a store of their own, without a daemon.

Base images come from debootstrap, because no registry is asked: a stand-in is a bare Debian with what the Dockerfile
expects of the real one.
"""

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from support.servers.debian import TRUST, Debian, make_debian
from support.servers.serving import Person

REPOSITORY: Final = Path(__file__).parents[3]
PYTHON, NODE = "localhost/python:3.11.2-stand-in", "localhost/node:18.0.0-stand-in"
TOOLS: Final = ("buildah", "podman", "runc", "debootstrap")

needs_containers = pytest.mark.skipif(
    os.geteuid() != 0 or any(shutil.which(tool) is None for tool in TOOLS),
    reason=f"NOT ROOT, OR NOT ALL OF {', '.join(TOOLS)}: no image is built or run",
)


@dataclass(frozen=True)
class Store:
    folder: Path
    built: set[str] = field(default_factory=set)

    @property
    def options(self) -> list[str]:
        return [
            "--storage-driver",
            "overlay",
            "--root",
            str(self.folder / "store"),
            "--runroot",
            str(self.folder / "run"),
        ]

    def buildah(self, *arguments: str, seconds: float = 300) -> str:
        return call(["buildah", *self.options, *arguments], seconds)

    def podman(self, *arguments: str, seconds: float = 120) -> str:
        return call(["podman", *self.options, "--runtime", "runc", *arguments], seconds)

    def make_base_images(self, debian: Debian) -> None:
        container = self.buildah("from", "scratch")
        self.buildah("add", "--quiet", container, str(debian.root), "/")
        trust = [part for name, value in TRUST.items() for part in ("--env", f"{name}={value}")]
        self.buildah("config", *trust, container)
        self.buildah("commit", "--quiet", container, PYTHON)
        install = "apt-get update -qq && apt-get install -y -qq --no-install-recommends nodejs npm"
        self.buildah("run", "--isolation", "chroot", "--network", "host", container, "sh", "-c", install, seconds=900)
        self.buildah("commit", "--quiet", container, NODE)
        self.buildah("rm", container)

    def build(self, target: str) -> str:
        """The Dockerfile as it is; the image's name."""
        image = f"localhost/kept-{target}:test"
        if image not in self.built:
            self.build_from(REPOSITORY, REPOSITORY / "docker" / "Dockerfile", image, "--target", target)
            self.built.add(image)
        return image

    def build_from(self, context: Path, dockerfile: Path, image: str, *options: str) -> None:
        isolation = ["--isolation", "chroot", "--network", "host", "--pull-never", "--format", "docker", "--layers"]
        bases = ["--build-arg", f"PYTHON={PYTHON}", "--build-arg", f"NODE={NODE}"]
        what = ["--tag", image, "--file", str(dockerfile), str(context)]
        self.buildah("build", *isolation, *bases, *options, *what, seconds=1800)

    def install(self, *packages: str) -> str:
        """A bare Debian with these packages; the image's name. Skips where they cannot be installed."""
        image = f"localhost/{packages[0]}:stand-in"
        if self.has_image(image):
            return image
        container = self.buildah("from", "--pull-never", PYTHON)
        install = f"apt-get update -qq && apt-get install -y -qq --no-install-recommends {' '.join(packages)}"
        try:
            run = ("run", "--isolation", "chroot", "--network", "host", container, "sh", "-c", install)
            self.buildah(*run, seconds=900)
        except AssertionError as error:
            pytest.skip(f"{packages} CANNOT BE INSTALLED FROM DEBIAN'S PACKAGES HERE: {str(error)[-300:]}")
        self.buildah("commit", "--quiet", container, image)
        self.buildah("rm", container)
        return image

    def start(self, image: str, volume: str, *command: str, user: str = "10001:10001", **variables: str) -> str:
        """As compose.yaml runs it: read-only, without capabilities, under the profile. The container's id."""
        options = (*confinement(volume), "--user", user, *setting(variables))
        return self.podman("run", "--detach", *options, image, *command).strip()

    def start_plain(self, image: str, options: Sequence[str], *command: str) -> str:
        """One of the parts that are not ours."""
        return self.podman("run", "--detach", *PLAIN, *options, image, *command).strip()

    def run(self, image: str, volume: str, *command: str, **variables: str) -> str:
        """A command that ends; what it prints."""
        return self.podman("run", "--rm", *confinement(volume), *setting(variables), image, *command)

    def add_person(self, container: str, address: str) -> Person:
        """An account and a token, made inside."""
        self.podman("exec", container, "sh", "-c", "echo 'long enough' | kept user add ann --password-stdin")
        return Person(address, self.podman("exec", container, "kept", "token", "create", "--user", "ann"))

    def has_image(self, name: str) -> bool:
        return name in self.buildah("images", "--format", "{{.Name}}:{{.Tag}}").splitlines()

    def examine(self, image: str, volume: str) -> dict[str, dict[str, str]]:
        """What `kept doctor` finds inside."""
        container = self.start(image, volume, "kept", "doctor", "--json")
        self.podman("wait", container)
        found = json.loads(self.podman("logs", container))
        self.podman("rm", "--force", container)
        return {finding["name"]: finding for finding in found}


# One network for all: podman's own needs more of the machine than a test may ask for.
PLAIN: Final = (
    *("--network", "host", "--no-healthcheck"),
    *("--ulimit", "nofile=16384:16384", "--ulimit", "nproc=2048:2048"),
)


def confinement(volume: str) -> list[str]:
    profile = REPOSITORY / "docker" / "seccomp-chromium.json"
    return [
        *(*PLAIN, "--read-only", "--tmpfs", "/tmp:size=1g,mode=1777", "--volume", f"{volume}:/data"),
        *("--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--security-opt", f"seccomp={profile}"),
    ]


@contextlib.contextmanager
def show_logs(store: Store, containers: Iterable[str]) -> Iterator[None]:
    """Of those that are there in the end, where something went wrong."""
    try:
        yield
    except BaseException:
        for container in containers:
            print(container, store.podman("logs", "--tail", "50", container))
        raise


def setting(variables: dict[str, str]) -> list[str]:
    return [part for name, value in variables.items() for part in ("--env", f"{name}={value}")]


def call(command: list[str], seconds: float) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    assert done.returncode == 0, f"{command[:1]} {command[7:12]}: {done.stdout[-1500:]} {done.stderr[-3000:]}"
    return done.stdout.strip()


def make_store(folder: Path) -> Store:
    store = Store(folder)
    if (folder / "store").exists() and store.has_image(NODE):
        return store
    debian = make_debian(folder / "debian", "bookworm")
    (debian.root / "usr/local/bin/python").symlink_to("/usr/bin/python3")
    for marker in debian.root.glob("usr/lib/python3*/EXTERNALLY-MANAGED"):
        marker.unlink()  # the real image lets pip install
    store.make_base_images(debian)
    return store
