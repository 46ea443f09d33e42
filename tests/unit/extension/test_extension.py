"""The browser extension's files: its pure modules by Node's own test runner, its manifest, texts and packages."""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
EXTENSION = ROOT / "extension"
SCRIPTS = sorted(EXTENSION.rglob("*.js"))
PAGES = sorted(EXTENSION.rglob("*.html"))
MANIFEST = json.loads((EXTENSION / "manifest.json").read_text())
MESSAGES = json.loads((EXTENSION / "_locales" / "en" / "messages.json").read_text())
# What would run foreign text as markup or code.
DANGEROUS = re.compile(r"innerHTML|outerHTML\s*=|insertAdjacentHTML|document\.write|\beval\(|new Function")


def test_the_pure_modules_pass_their_own_tests() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("NODE IS NOT INSTALLED: the extension's modules are not tested")
    files = sorted(str(path) for path in Path(__file__).parent.glob("*.test.mjs"))
    ran = subprocess.run([node, "--test", "--test-reporter=tap", *files], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    passed = re.search(r"^# pass (\d+)$", ran.stdout, re.MULTILINE)
    assert passed is not None
    assert int(passed[1]) >= 15


def test_it_asks_for_few_permissions_and_for_no_host_when_it_is_installed() -> None:
    assert MANIFEST["permissions"] == ["activeTab", "alarms", "contextMenus", "scripting", "storage"]
    assert "host_permissions" not in MANIFEST
    assert "content_scripts" not in MANIFEST
    assert "web_accessible_resources" not in MANIFEST
    assert "externally_connectable" not in MANIFEST


def test_its_pages_run_their_own_scripts_alone() -> None:
    policy = MANIFEST["content_security_policy"]["extension_pages"]
    assert "default-src 'none'; script-src 'self'; style-src 'self';" in policy
    assert "unsafe" not in policy
    for page in PAGES:
        text = page.read_text()
        assert re.findall(r"<script[^>]*>", text) == re.findall(r'<script type="module" src="[a-z_]+\.js">', text)
        assert not re.search(r"\son[a-z]+=|\sstyle=|https?://", text), page


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_turns_no_text_into_markup_or_code(path: Path) -> None:
    assert not DANGEROUS.search(path.read_text())


def test_every_text_that_is_used_exists_and_none_is_left_over() -> None:
    source = "\n".join(path.read_text() for path in (*SCRIPTS, *PAGES, EXTENSION / "manifest.json"))
    used = set(re.findall(r'data-(?:text|label|hint)="(\w+)"', source)) | set(re.findall(r"__MSG_(\w+)__", source))
    used |= set(re.findall(r'\b(?:say|button|tell)\("(\w+)"', source))
    named = {name for name in MESSAGES if re.search(rf'"(?:state_|menu_)?{name.split("_", 1)[-1]}"', source)}
    assert {name for name in used if name not in MESSAGES and f"state_{name}" not in MESSAGES} == set()
    assert set(MESSAGES) - used - named - {f"state_{name}" for name in used} == set()


def pack(folder: Path) -> dict[str, bytes]:
    command = [sys.executable, str(ROOT / "tools" / "pack_extension.py"), "--out", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_both_packages_are_made_of_one_source_and_are_the_same_each_time(tmp_path: Path) -> None:
    first, second = pack(tmp_path / "first"), pack(tmp_path / "second")
    assert first == second
    version = MANIFEST["version"]
    assert set(first) == {f"kept-extension-{version}-{browser}.zip" for browser in ("chromium", "firefox")}
    chromium, firefox = (
        zipfile.ZipFile(tmp_path / "first" / f"kept-extension-{version}-{browser}.zip")
        for browser in ("chromium", "firefox")
    )
    assert chromium.namelist() == firefox.namelist() == sorted(chromium.namelist())
    assert json.loads(chromium.read("manifest.json")) == MANIFEST
    manifest = json.loads(firefox.read("manifest.json"))
    assert manifest["background"] == {"scripts": ["background.js"], "type": "module"}
    assert "pageCapture" not in json.dumps(manifest)
    assert manifest["permissions"] == MANIFEST["permissions"]
    others = [name for name in chromium.namelist() if name != "manifest.json"]
    assert all(chromium.read(name) == firefox.read(name) for name in others)


def test_it_has_the_version_of_the_server() -> None:
    from kept.version import __version__

    assert MANIFEST["version"] == __version__
