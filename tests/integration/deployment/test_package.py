"""Sdist and wheel: what is in them, that neither is built without the bundle, that the wheel serves alone."""

import email
import re
import shutil
import sys
import tarfile
import tomllib
import venv
import zipfile
from email.message import Message
from pathlib import Path

import pytest

from kept.subprocesses.sidecar import BUNDLE
from support.fixtures.extraction import require_node
from support.servers.packages import ROOT, build, build_packages, copy_source, run


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_source(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module")
def packages(source: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    require_node()
    return build_packages(source, tmp_path_factory.mktemp("dist"))


@pytest.mark.parametrize("target", ["sdist", "wheel"])
@pytest.mark.parametrize("part", [f"src/kept/subprocesses/{BUNDLE.name}", "src/kept/web/bundled/sources.sha256"])
def test_a_build_without_the_bundle_fails_with_one_clear_line(
    source: Path, tmp_path: Path, target: str, part: str
) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(source, bare, ignore=shutil.ignore_patterns(Path(part).name))
    built = build(bare, target, tmp_path / "dist")
    assert built.returncode != 0
    [line] = built.stderr.strip().splitlines()
    assert line.startswith(f"kept: {part} is missing")
    assert not list((tmp_path / "dist").glob("kept-*"))


def test_an_editable_install_needs_no_bundle(source: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(source, bare, ignore=shutil.ignore_patterns(BUNDLE.name))
    script = f"from hatchling.build import build_editable; print(build_editable({str(tmp_path)!r}))"
    built = run(sys.executable, "-c", script, cwd=bare)
    assert built.returncode == 0, built.stderr


def test_the_sdist_and_the_wheel_hold_the_bundle_and_the_type_marker(packages: tuple[Path, Path]) -> None:
    sdist, wheel = packages
    with tarfile.open(sdist) as archive:
        in_sdist = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"src/kept/subprocesses/{BUNDLE.name}", "src/kept/py.typed", "hatch_build.py"} <= in_sdist
    in_wheel = set(zipfile.ZipFile(wheel).namelist())
    assert {f"kept/subprocesses/{BUNDLE.name}", "kept/py.typed", "kept/web/static/kept.css"} <= in_wheel
    catalogues = {f"kept/web/locales/{name}/LC_MESSAGES/kept.po" for name in ("de", "fr", "es", "zh_Hans")}
    assert catalogues <= in_wheel
    fonts = {"serif.woff2", "sans.woff2", "LICENSE-source-serif-4.txt", "LICENSE-figtree.txt"}
    assert {"kept/web/bundled/kept.css", *(f"kept/web/bundled/fonts/{name}" for name in fonts)} <= in_wheel
    assert "src/kept/web/bundled/fonts/serif.woff2" in in_sdist


def read_metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return email.message_from_bytes(archive.read(name))


def test_the_metadata_is_complete(packages: tuple[Path, Path]) -> None:
    metadata = read_metadata(packages[1])
    for field in ("Summary", "Author", "License-Expression", "Keywords", "Requires-Python", "Description-Content-Type"):
        assert metadata[field], field
    urls = {value.partition(",")[0] for value in metadata.get_all("Project-URL", [])}
    assert urls == {"Homepage", "Documentation", "Repository", "Issues", "Changelog"}
    assert "Typing :: Typed" in metadata.get_all("Classifier", [])


def test_every_link_and_image_of_the_readme_on_a_package_index_is_absolute(packages: tuple[Path, Path]) -> None:
    readme = str(read_metadata(packages[1]).get_payload())
    targets = re.findall(r"\]\(([^)\s]+)\)", readme)
    assert len(targets) > 10
    assert [target for target in targets if not target.startswith("https://")] == []
    assert "/raw/main/docs/images/library.png" in readme


def test_the_extra_named_all_is_every_other_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    [everything] = extras["all"]
    assert everything.startswith("kept[")
    assert set(everything.removeprefix("kept[").removesuffix("]").split(",")) == extras.keys() - {"all"}


@pytest.fixture(scope="module")
def installed(packages: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`kept` from the wheel in an environment of its own, which borrows only the dependencies of this one."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    packages_folder = next((folder / "lib").iterdir()) / "site-packages"
    # A .pth file found through another is not followed, so that the editable Kept of this environment stays out.
    (packages_folder / "dependencies.pth").write_text(str(Path(pytest.__file__).parents[1]))
    with zipfile.ZipFile(packages[1]) as archive:
        archive.extractall(packages_folder)
    script = folder / "bin" / "kept"
    script.write_text(f"#!{python}\nfrom kept.cli.main import main\nmain()\n")
    script.chmod(0o755)
    return script


def test_the_wheel_serves_saves_and_reads_with_no_repository(installed: Path, tmp_path: Path) -> None:
    python = installed.with_name("python")
    where = run(python, "-c", "import kept; print(kept.__file__)", cwd=tmp_path).stdout
    assert where.startswith(str(installed.parents[1]))
    tried = run(sys.executable, ROOT / "tools" / "smoke.py", installed, cwd=tmp_path, timeout=600)
    assert tried.returncode == 0, tried.stderr
    assert tried.stdout.splitlines()[-1] == "article: read"
