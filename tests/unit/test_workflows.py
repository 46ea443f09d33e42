"""Workflows, issue forms, dependabot and pre-commit hooks: they follow their schemas and name only what exists."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from check_jsonschema.builtin_schemas import get_builtin_schema
from jsonschema.validators import validator_for

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").iterdir())
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").iterdir() if path.stem != "config")
SCHEMAS = [
    *((path, "vendor.github-workflows") for path in WORKFLOWS),
    *((path, "vendor.github-issue-forms") for path in FORMS),
    (GITHUB / "ISSUE_TEMPLATE" / "config.yml", "vendor.github-issue-config"),
    (GITHUB / "dependabot.yaml", "vendor.dependabot"),
]
REGISTRY_HOST = re.compile(r"\b(?:ghcr|docker|quay|gcr|mcr\.microsoft)\.(?:io|com)\b|index-url|registry\.[a-z]")


def find_faults(document: Any, schema_name: str) -> list[str]:
    schema = get_builtin_schema(schema_name)
    validator = validator_for(schema)(schema)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


def load(path: Path) -> Any:
    """As GitHub reads it: `on` is a word and not a truth, which YAML 1.1 takes it for."""
    document = yaml.safe_load(path.read_text())
    return {"on" if name is True else name: value for name, value in document.items()}


def jobs_of(path: Path) -> dict[str, Any]:
    return dict(load(path)["jobs"])


def steps_of(path: Path) -> list[dict[str, Any]]:
    return [step for job in jobs_of(path).values() for step in job["steps"]]


@pytest.mark.parametrize(("path", "schema"), SCHEMAS, ids=lambda value: getattr(value, "name", value))
def test_a_file_follows_its_schema(path: Path, schema: str) -> None:
    assert find_faults(load(path), schema) == []


def test_a_workflow_that_is_wrong_would_be_noticed() -> None:
    wrong = load(GITHUB / "workflows" / "test.yaml")
    wrong["jobs"]["quick"]["runs"] = wrong["jobs"]["quick"].pop("runs-on")
    assert find_faults(wrong, "vendor.github-workflows")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actionlint_finds_nothing(path: Path) -> None:
    actionlint = shutil.which("actionlint")
    if actionlint is None:
        pytest.skip("NOT RUN: there is no actionlint on this machine (its PyPI package fetches it from elsewhere)")
    checked = subprocess.run([actionlint, path], capture_output=True, text=True, check=False, timeout=60)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_do_little_and_ends(path: Path) -> None:
    assert load(path)["permissions"] == {"contents": "read"}
    for name, job in jobs_of(path).items():
        assert job["timeout-minutes"] <= 120, name
        assert re.fullmatch(r"ubuntu-\d\d\.\d\d|\$\{\{ matrix\.machine \}\}", job["runs-on"]), name


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_to_a_major_version(path: Path) -> None:
    used = [step["uses"] for step in steps_of(path) if "uses" in step]
    assert used
    for action in used:
        assert re.fullmatch(r"[\w.-]+/[\w./-]+@(v\d+|release/v\d+)", action)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_untrusted_text_is_put_into_a_script(path: Path) -> None:
    """An expression in `run` is pasted into a shell, and branch names are anybody's; a variable is not pasted."""
    for step in steps_of(path):
        assert "${{" not in step.get("run", "")


@pytest.mark.parametrize("path", [*WORKFLOWS, GITHUB / "dependabot.yaml"], ids=lambda path: path.name)
def test_no_registry_is_named(path: Path) -> None:
    assert REGISTRY_HOST.findall(path.read_text()) == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_what_a_script_runs_exists(path: Path) -> None:
    scripts = " ".join(step.get("run", "") for step in steps_of(path))
    for name in re.findall(r"(?<![\w/])(?:\./)?((?:tools|docker|js)/[\w./-]+|test|requirements\.lock)\b", scripts):
        assert (ROOT / name).is_file(), name


def test_images_are_built_for_both_architectures_with_provenance_and_sbom() -> None:
    [job] = jobs_of(GITHUB / "workflows" / "images.yaml").values()
    [build] = [step["with"] for step in job["steps"] if "build-push-action" in step.get("uses", "")]
    assert build["platforms"] == "linux/amd64,linux/arm64"
    assert (build["provenance"], build["sbom"]) == ("mode=max", True)
    stages = re.findall(r"^FROM \S+ AS (\S+)", (ROOT / build["file"]).read_text(), re.MULTILINE)
    assert set(job["strategy"]["matrix"]["target"]) == {"all", "api", "worker", "render"} <= set(stages)


def test_every_version_of_python_in_the_metadata_is_tested() -> None:
    said = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', (ROOT / "pyproject.toml").read_text())
    for name, job in (("test.yaml", "quick"), ("wheels.yaml", "try")):
        assert jobs_of(GITHUB / "workflows" / name)[job]["strategy"]["matrix"]["python"] == said


def test_the_hooks_are_the_projects_own_checks() -> None:
    config = load(ROOT / ".pre-commit-config.yaml")
    assert [repo["repo"] for repo in config["repos"]] == ["local"]
    for hook in config["repos"][0]["hooks"]:
        assert hook["language"] == "system"
        program, *arguments = hook["entry"].split()
        assert program == "python3" or (ROOT / program).is_file(), hook["id"]
        for argument in arguments:
            assert not argument.startswith(("tests/", "tools/")) or (ROOT / argument).is_file(), argument
