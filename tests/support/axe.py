"""axe-core, run on a page as it is shown, in themes and widths that are changed in place."""

from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from playwright.async_api import Page

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text()
RUN = "() => axe.run(document, {resultTypes: ['violations']}).then(found => found.violations)"
THEMES = ("light", "dark", "sepia")
WIDTHS = (390, 1280, 1920)
HEIGHT = 844

Look = tuple[str, int]
"""A theme, and the width of the window."""


async def find_faults(page: Page) -> list[str]:
    # evaluated by the debugger, so that the page's own policy is neither bent nor broken
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE)
    found: list[dict[str, Any]] = await page.evaluate(RUN)
    return [
        f"{fault['impact']} {fault['id']}: {node['html'][:160]} {node.get('failureSummary', '')[:200]}"
        for fault in found
        for node in fault["nodes"]
        if fault["impact"] in {"serious", "critical"}
    ]


async def find_faults_of_looks(page: Page, looks: Iterable[Look]) -> list[str]:
    faults = []
    for theme, width in looks:
        await page.set_viewport_size({"width": width, "height": HEIGHT})
        await page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
        faults += [f"{theme}, {width} px: {fault}" for fault in await find_faults(page)]
    return faults
