"""The scripts of tools/, as modules."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

TOOLS = Path(__file__).parents[2] / "tools"
sys.path.append(str(TOOLS))  # some import others


def load_tool(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module
