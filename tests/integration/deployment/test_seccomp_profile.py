"""The profile for containers with a browser: Chromium's sandbox works under it, and what it forbids is forbidden.

Loaded by libseccomp itself, as a container engine does, without an engine.
"""

import ctypes.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kept.fetch.browser.chromium import find_chromium

PROFILE = Path(__file__).parents[3] / "docker" / "seccomp-chromium.json"
NOBODY = 65534
# As an engine does it: rules, no new privileges, an ordinary user, exec.
UNDER_PROFILE = f"""
import ctypes, json, os, sys
library = ctypes.CDLL("libseccomp.so.2")
library.seccomp_init.restype = ctypes.c_void_p
context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(0x7FFF0000)))
for group in json.load(open({str(PROFILE)!r}))["syscalls"]:
    for name in group["names"]:
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number != -1:  # an older library does not know the newest calls
            action = ctypes.c_uint32(0x00050000 | group["errnoRet"])
            assert library.seccomp_rule_add(context, action, ctypes.c_int(number), ctypes.c_uint(0)) == 0, name
os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})
ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)
assert library.seccomp_load(context) == 0
if sys.argv[1] == "-c":
    exec(sys.argv[2])
else:
    os.execvp(sys.argv[1], sys.argv[1:])
"""

needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or ctypes.util.find_library("seccomp") is None,
    reason="NOT ROOT, OR NO libseccomp: the seccomp profile is only read, not tried",
)


def run_under_profile(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-c", UNDER_PROFILE, *command],
        capture_output=True,
        text=True,
        timeout=120,
        env={"PATH": os.environ["PATH"], **environment},
    )


@needs_root
def test_chromium_starts_with_its_sandbox_under_the_profile(tmp_path: Path) -> None:
    chromium = find_chromium()
    if chromium is None:
        pytest.skip("NO CHROMIUM: the seccomp profile is not tried with it")
    home = Path("/tmp") / f"kept-seccomp-{os.getpid()}"
    home.mkdir(mode=0o700)
    os.chown(home, NOBODY, NOBODY)
    options = ["--headless", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={home}/profile"]
    try:
        shown = run_under_profile(
            str(chromium), *options, "--dump-dom", "data:text/html,<p>It runs</p>", HOME=str(home)
        )
    finally:
        subprocess.run(["rm", "-rf", home], check=True)
    assert "<p>It runs</p>" in shown.stdout, shown.stderr[-2000:]


@needs_root
def test_what_it_forbids_is_forbidden() -> None:
    tried = """
import ctypes, os
library = ctypes.CDLL(None, use_errno=True)
assert library.unshare(0x10000000) == 0, "user namespaces are what it is for"
for call, arguments in (("mount", (b"none", b"/tmp", b"tmpfs", 0, None)), ("setns", (0, 0)), ("swapoff", (b"/x",))):
    assert getattr(library, call)(*arguments) == -1 and ctypes.get_errno() == 1, call
assert library.syscall(321, 0, 0, 0) == -1 and ctypes.get_errno() == 1, "bpf"
print("forbidden")
"""
    assert run_under_profile("-c", tried).stdout == "forbidden\n"


def test_it_is_a_profile_an_engine_can_read() -> None:
    profile = json.loads(PROFILE.read_text())
    assert profile["defaultAction"] == "SCMP_ACT_ALLOW"
    names = [name for group in profile["syscalls"] for name in group["names"]]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z0-9_]+", name) for name in names)
    assert {group["action"] for group in profile["syscalls"]} == {"SCMP_ACT_ERRNO"}
    # what Chromium's sandbox is made of
    assert not {"clone", "clone3", "unshare", "chroot", "prctl", "seccomp", "capset", "ptrace"} & set(names)
