"""axe-core, run on the page at a desk."""

from importlib.resources import files
from typing import Any

from support.desk import Desk

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text()
RUN = "() => axe.run(document, {resultTypes: ['violations']}).then(found => found.violations)"


async def find_faults(desk: Desk) -> list[str]:
    # evaluated by the debugger, so that the page's own policy is neither bent nor broken
    await desk.page.evaluate(AXE)
    found: list[dict[str, Any]] = await desk.page.evaluate(RUN)
    return [
        f"{fault['impact']} {fault['id']}: {node['html'][:160]} {node.get('failureSummary', '')[:200]}"
        for fault in found
        for node in fault["nodes"]
        if fault["impact"] in {"serious", "critical"}
    ]
