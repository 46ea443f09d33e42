"""The lint step fails where something is wrong, and says what and where."""

import ast

import pytest

from support.fixtures.tools import load_tool

LINT = load_tool("lint")
STRUCTURE = LINT.lint_structure
WORKFLOWS = LINT.lint_workflows


def test_every_fault_is_printed_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    checks = {"docs": lambda: ["a.md: gone", "b.md: gone"], "pages": list}
    assert LINT.report(checks) == 2
    printed = capsys.readouterr().out.splitlines()
    assert printed == ["docs: 2 faults", "  a.md: gone", "  b.md: gone", "pages: no faults"]


def test_a_workflow_that_is_wrong_is_found() -> None:
    wrong = WORKFLOWS.load(WORKFLOWS.GITHUB / "workflows" / "test.yaml")
    wrong["jobs"]["quick"]["runs"] = wrong["jobs"]["quick"].pop("runs-on")
    assert WORKFLOWS.find_schema_faults(wrong, "vendor.github-workflows")


def test_a_long_function_with_many_parameters_is_found() -> None:
    [function] = ast.parse("def f(a, b, c, d, e, f, g):\n" + "    pass\n" * 50).body
    assert list(STRUCTURE.faults_of(STRUCTURE.SOURCE / "domain" / "job.py", function)) == [
        "has 51 lines, more than 45",
        "takes 7 parameters, more than 6",
    ]
