"""A bare Debian in a folder, made by debootstrap from this machine's own package sources, and commands inside it.

Commands run in a mount namespace of their own, so that nothing stays mounted whatever happens; the network is this
machine's loopback and whatever else it reaches.
"""

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

SOURCES: Final = (Path("/etc/apt/sources.list"), Path("/etc/apt/sources.list.d"))
CERTIFICATES: Final = Path("/etc/ssl/certs/ca-certificates.crt")
# What this machine's tools need to be told about certificates, a Debian in a folder must be told too.
TRUST: Final = {name: str(CERTIFICATES) for name in ("PIP_CERT", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")}
MIRROR: Final = re.compile(r"(?:^URIs:|^deb)\s+(?:\[[^]]*\]\s+)?(\S+)", re.MULTILINE)
BARE: Final = ("python3", "python3-pip", "git", "ca-certificates")

needs_debootstrap = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("debootstrap") is None,
    reason="NOT ROOT, OR NO debootstrap: a fresh Debian is not tried",
)


@dataclass(frozen=True)
class Debian:
    root: Path
    suite: str

    def command(self, script: str, user: str = "root", **variables: str) -> list[str]:
        """For subprocess: the script in this Debian, as this user."""
        usual = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": f"/home/{user}", "LANG": "C.UTF-8"}
        environment = " ".join(
            f"{name}={shlex.quote(value)}" for name, value in {**usual, **TRUST, **variables}.items()
        )
        mounts = [f"mount --rbind /{name} {name}" for name in ("proc", "sys", "dev")]
        inside = f"/usr/sbin/chroot --userspec={user} / /usr/bin/env -i {environment} sh -c {shlex.quote(script)}"
        # The folder becomes the namespace's root. From a mere chroot no user may make namespaces, which Chromium's
        # sandbox is made of.
        enter = [f"mount --bind {self.root} {self.root}", f"cd {self.root}", *mounts, "pivot_root . mnt", "cd /"]
        return ["unshare", "--mount", "sh", "-ec", "; ".join([*enter, "umount -l /mnt", f"exec {inside}"])]

    def run(self, script: str, user: str = "root", **variables: str) -> str:
        done = subprocess.run(self.command(script, user, **variables), capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout


def make_debian(folder: Path, suite: str) -> Debian:
    """Empty but for Python, pip, git and certificates, with an ordinary user `reader`."""
    mirror = find_mirror()
    include = ",".join(BARE)
    made = subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={include}", suite, str(folder), mirror],
        capture_output=True,
        text=True,
        timeout=900,
    )
    if made.returncode != 0:
        pytest.skip(f"debootstrap {suite} DID NOT WORK HERE: {made.stdout[-300:]}")
    for name in ("hosts", "resolv.conf"):
        shutil.copyfile(f"/etc/{name}", folder / "etc" / name)
    shutil.copyfile(CERTIFICATES, folder / CERTIFICATES.relative_to("/"))
    debian = Debian(folder, suite)
    debian.run("useradd --create-home reader && mkdir -p /home/root")
    return debian


def find_mirror() -> str:
    for place in SOURCES:
        for file in sorted(place.iterdir()) if place.is_dir() else [place]:
            if file.is_file() and (found := MIRROR.search(file.read_text())):
                return found[1]
    pytest.skip("THIS MACHINE NAMES NO DEBIAN MIRROR: a fresh Debian is not tried")
