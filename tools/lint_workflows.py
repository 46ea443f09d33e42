"""Workflows, issue forms, dependabot and pre-commit hooks: they follow their schemas and name only what exists."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from check_jsonschema.builtin_schemas import get_builtin_schema
from jsonschema.validators import validator_for

ROOT = Path(__file__).parents[1]
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
MACHINE = re.compile(r"ubuntu-\d\d\.\d\d|\$\{\{ matrix\.machine \}\}")
ACTION = re.compile(r"[\w.-]+/[\w./-]+@(v\d+|release/v\d+)")
OWN_FILE = re.compile(r"(?<![\w/])(?:\./)?((?:tools|docker|js)/[\w./-]+|test|requirements\.lock)\b")
MAX_MINUTES = 120


def find_faults() -> Iterator[str]:
    for path, schema in SCHEMAS:
        yield from (f"{place_of(path)}: {fault}" for fault in find_schema_faults(load(path), schema))
    for path in WORKFLOWS:
        yield from (f"{place_of(path)}: {fault}" for fault in find_workflow_faults(path))
    for path in [*WORKFLOWS, GITHUB / "dependabot.yaml"]:
        found = REGISTRY_HOST.findall(path.read_text())
        yield from (f"{place_of(path)}: names the registry {name}" for name in found)
    if shutil.which("actionlint") is None:
        print("workflows: actionlint is not installed, and was not run")
    yield from find_image_faults()
    yield from find_missing_pythons()
    yield from (f".pre-commit-config.yaml: {fault}" for fault in find_hook_faults())


def find_schema_faults(document: Any, schema_name: str) -> list[str]:
    schema = get_builtin_schema(schema_name)
    validator = validator_for(schema)(schema)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


def find_workflow_faults(path: Path) -> Iterator[str]:
    workflow, steps = load(path), steps_of(path)
    if workflow["permissions"] != {"contents": "read"}:
        yield "it may do more than read"
    for name, job in workflow["jobs"].items():
        if job["timeout-minutes"] > MAX_MINUTES:
            yield f"{name} may take more than {MAX_MINUTES} minutes"
        if not MACHINE.fullmatch(job["runs-on"]):
            yield f"{name} runs on {job['runs-on']}, which is no version of a machine"
    used = [step["uses"] for step in steps if "uses" in step]
    if not used:
        yield "it uses no action"
    yield from (f"{action} is not pinned to a major version" for action in used if not ACTION.fullmatch(action))
    scripts = [step.get("run", "") for step in steps]
    # An expression in `run` is pasted into a shell, and branch names are anybody's; a variable is not pasted.
    yield from (f"an expression in a script: {script}" for script in scripts if "${{" in script)
    named = OWN_FILE.findall(" ".join(scripts))
    yield from (f"there is no {name}" for name in named if not (ROOT / name).is_file())
    yield from run_actionlint(path)


def run_actionlint(path: Path) -> Iterator[str]:
    """Where it is installed: its PyPI package fetches it from elsewhere."""
    actionlint = shutil.which("actionlint")
    if actionlint is not None:
        checked = subprocess.run([actionlint, path], capture_output=True, text=True, check=False, timeout=60)
        yield from checked.stdout.splitlines() if checked.returncode else ()


def find_image_faults() -> Iterator[str]:
    """Images are built for both architectures, with provenance and SBOM."""
    path = GITHUB / "workflows" / "images.yaml"
    [job] = load(path)["jobs"].values()
    [build] = [step["with"] for step in job["steps"] if "build-push-action" in step.get("uses", "")]
    if build["platforms"] != "linux/amd64,linux/arm64":
        yield f"{place_of(path)}: images are not built for both architectures"
    if (build["provenance"], build["sbom"]) != ("mode=max", True):
        yield f"{place_of(path)}: images have no provenance or no SBOM"
    stages = re.findall(r"^FROM \S+ AS (\S+)", (ROOT / build["file"]).read_text(), re.MULTILINE)
    if not set(job["strategy"]["matrix"]["target"]) == {"all", "api", "worker", "render"} <= set(stages):
        yield f"{place_of(path)}: not every image is built"


def find_missing_pythons() -> Iterator[str]:
    said = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', (ROOT / "pyproject.toml").read_text())
    for name, job in (("test.yaml", "quick"), ("wheels.yaml", "try")):
        path = GITHUB / "workflows" / name
        if load(path)["jobs"][job]["strategy"]["matrix"]["python"] != said:
            yield f"{place_of(path)}: {job} does not run on the versions of Python that pyproject.toml names"


def find_hook_faults() -> Iterator[str]:
    """The hooks are the project's own checks."""
    config = load(ROOT / ".pre-commit-config.yaml")
    if [repo["repo"] for repo in config["repos"]] != ["local"]:
        yield "it fetches hooks from elsewhere"
        return
    for hook in config["repos"][0]["hooks"]:
        if hook["language"] != "system":
            yield f"{hook['id']} makes an environment of its own"
        program, *arguments = hook["entry"].split()
        named = [argument for argument in arguments if argument.startswith(("tests/", "tools/"))]
        for path in [*([] if program == "python3" else [program]), *named]:
            if not (ROOT / path).is_file():
                yield f"{hook['id']}: there is no {path}"


def load(path: Path) -> Any:
    """As GitHub reads it: `on` is a word and not a truth, which YAML 1.1 takes it for."""
    document = yaml.safe_load(path.read_text())
    return {"on" if name is True else name: value for name, value in document.items()}


def steps_of(path: Path) -> list[dict[str, Any]]:
    return [step for job in load(path)["jobs"].values() for step in job["steps"]]


def place_of(path: Path) -> str:
    return str(path.relative_to(ROOT))
