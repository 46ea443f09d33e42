"""`./bench all` runs every bench and tells what went wrong; `./test --long` runs it."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks"
BENCHES = sorted(path.stem for path in FOLDER.glob("*.py"))
MEASURING = [name for name in BENCHES if name != "all"]


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"bench_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


def test_running_all_tells_a_goal_missed_from_an_error() -> None:
    every = load("all")
    verdict = every.Verdict
    assert every.judge(0, "fine") is verdict.GOOD
    assert every.judge(1, "missed: a goal") is verdict.SLOW
    assert every.judge(1, "Traceback (most recent call last):\n …") is verdict.FAILED
    assert every.judge(0, "Traceback (most recent call last):\n …") is verdict.FAILED
    assert every.judge(2, "usage: …") is verdict.FAILED
    assert every.judge(3, "promises broken") is verdict.FAILED
    assert every.judge(-9, "") is verdict.FAILED
    assert every.judge(1, "The pages to measure on are not here: …") is verdict.ABSENT


def test_running_all_runs_every_one() -> None:
    assert load("all").list_benches() == MEASURING


@pytest.mark.requirement(
    "Kept",
    "a saved page is readable soon (`./bench ingest`)",
    "a claim costs the same with 1,000 and 100,000 jobs (`./bench claim`)",
    "search among 100,000 articles; cost of the index (`./bench search`)",
    "a page with 1,000 highlights, and a list of 50,000 (`./bench highlights`)",
)
@pytest.mark.long
def test_all_of_them_run_without_an_error() -> None:
    variables = {name: value for name, value in os.environ.items() if name != "XDG_DATA_HOME"}
    done = subprocess.run(
        [ROOT / "bench", "all", "--quick"], env=variables, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stdout + done.stderr
