#!/usr/bin/env python3
"""Checks the shape of the source, and that docs, benches, translations and workflows agree with it.

    .venv/bin/python tools/lint.py              # everything, in a few seconds; ./test does this before the tests
    .venv/bin/python tools/lint.py docs pages   # some of it

Each fault is printed with the file it is in. Each check is the `find_faults` of a file beside this one.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # for `benchmarks`
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # for `support`

import lint_benches
import lint_docs
import lint_pages
import lint_structure
import lint_workflows

Check = Callable[[], Iterable[str]]
CHECKS: Mapping[str, Check] = {
    "structure": lint_structure.find_faults,
    "docs": lint_docs.find_faults,
    "benches": lint_benches.find_faults,
    "pages": lint_pages.find_faults,
    "workflows": lint_workflows.find_faults,
}


def report(checks: Mapping[str, Check]) -> int:
    """Prints every fault, and returns how many there are."""
    count = 0
    for name, find_faults in checks.items():
        faults = list(find_faults())
        count += len(faults)
        print(f"{name}: {len(faults) or 'no'} fault{'' if len(faults) == 1 else 's'}")
        for fault in faults:
            print(f"  {fault}")
    return count


if __name__ == "__main__":
    chosen = sys.argv[1:] or list(CHECKS)
    sys.exit(report({name: CHECKS[name] for name in chosen}) > 0)
