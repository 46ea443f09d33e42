"""The folder of site rules: read once, again when it changes, and within bounds."""

import os
from pathlib import Path

import pytest

from kept.content.article.site_rule_files import RuleFaults
from kept.content.article.site_rules import SiteRule
from kept.storage import site_rules
from kept.storage.site_rules import MAX_BYTES, MAX_FILES, SiteRuleFolder, Stamp

pytestmark = pytest.mark.requirement("Kept", "site rules")

RULE = 'hosts = ["{host}"]\ntake = ["article"]\n'


def write(folder: Path, name: str, host: str) -> Path:
    path = folder / name
    path.write_text(RULE.format(host=host))
    return path


def test_without_a_folder_there_are_no_rules(tmp_path: Path) -> None:
    for path in (None, tmp_path / "nothing"):
        assert SiteRuleFolder(path).find("example.org") is None


def test_a_rule_is_found_by_its_host_and_one_file_is_enough(tmp_path: Path) -> None:
    path = write(tmp_path, "a.toml", "example.org")
    write(tmp_path, "b.toml", "*.example.net")
    write(tmp_path, "notes.txt", "example.com")
    folder = SiteRuleFolder(tmp_path)
    found = {host: folder.find(host) for host in ("www.example.org", "a.example.net", "example.com")}
    assert [rule.file if rule else None for rule in found.values()] == ["a.toml", "b.toml", None]
    assert SiteRuleFolder(path).find("example.org") is not None


def test_files_are_read_again_only_when_one_is_new_changed_or_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []
    read_rule = site_rules.read_rule

    def count(stamp: Stamp) -> SiteRule | RuleFaults:
        reads.append(stamp.path.name)
        return read_rule(stamp)

    monkeypatch.setattr(site_rules, "read_rule", count)
    folder, path = SiteRuleFolder(tmp_path), write(tmp_path, "a.toml", "example.org")
    for _ in range(3):
        assert folder.find("example.org")
    assert reads == ["a.toml"]
    write(tmp_path, "b.toml", "example.net")
    assert folder.find("example.net")
    path.write_text(RULE.format(host="changed.example"))
    assert (folder.find("example.org"), folder.find("changed.example") is not None) == (None, True)
    os.utime(path, ns=(1, 1))
    path.unlink()
    assert folder.find("changed.example") is None
    assert len(reads) == 6


def test_what_cannot_be_used_is_one_line_each_and_the_rest_is_used(tmp_path: Path) -> None:
    write(tmp_path, "a.toml", "example.org")
    write(tmp_path, "b.toml", "example.org")
    (tmp_path / "c.toml").write_text("hosts = ")
    (tmp_path / "d.toml").write_bytes(b"\xff\xfe")
    (tmp_path / "e.toml").write_text("#" * (MAX_BYTES + 1))
    (tmp_path / "f.toml").mkdir()
    read = SiteRuleFolder(tmp_path).read()
    assert [rule.file for rule in read.rules] == ["a.toml", "b.toml"]
    assert [fault.partition(":")[0] for fault in read.faults] == ["b.toml", "c.toml", "d.toml", "e.toml", "f.toml"]
    assert read.faults[0] == "b.toml: hosts: example.org is in a.toml too, which counts"
    assert all("\n" not in fault for fault in read.faults)


def test_there_is_a_limit_to_how_many_files_are_read(tmp_path: Path) -> None:
    for number in range(MAX_FILES + 5):
        write(tmp_path, f"{number:03}.toml", f"{number}.example.org")
    read = SiteRuleFolder(tmp_path).read()
    assert len(read.rules) == MAX_FILES
    assert read.faults == (f"{MAX_FILES}.toml: more than {MAX_FILES} files",)
