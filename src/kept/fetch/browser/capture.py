"""Writes a page as it looks into files: the browser's own MHTML, a screenshot of its whole length, a PDF. It runs in
the browser process only; every step is the worker's, and nothing is left to the page."""

import asyncio
import base64
import contextlib
import io
import math
import time
from pathlib import Path
from typing import Any, Final, Protocol

from PIL import Image
from playwright.async_api import CDPSession, Error

from kept.fetch.browser.chromium import VIEWPORT_WIDTH
from kept.fetch.browser.messages import MHTML_FILE, PDF_FILE, PNG_FILE, Order

MAX_HEIGHT: Final = 20_000
# Chromium draws no image that is higher than its largest texture.
TILE_HEIGHT: Final = 5_000
# Time kept back of a visit: a part of a page when it is over is better than no page.
SPARE_SECONDS: Final = 1.0
IMAGES_SECONDS: Final = 1.5
POLL_SECONDS: Final = 0.05

# Images that wait until they are scrolled to are asked for.
SCROLL: Final = """(async () => {
  const end = Math.min(document.documentElement.scrollHeight, MAX_HEIGHT);
  for (let y = innerHeight; y < end; y += innerHeight) {
    scrollTo({top: y, behavior: "instant"});
    await new Promise(done => setTimeout(done, 15));
  }
  scrollTo({top: 0, behavior: "instant"});
})()""".replace("MAX_HEIGHT", str(MAX_HEIGHT))
HAS_ALL_IMAGES: Final = "[...document.images].every(image => image.complete)"


class World(Protocol):
    async def evaluate(self, script: str) -> Any: ...


async def capture_page(cdp: CDPSession, world: World, order: Order) -> tuple[str, ...]:
    """Write files of the whole page, and return their names; a step that fails costs its file and those after it."""
    written: list[str] = []
    if order.capture_folder is None:
        return ()
    with contextlib.suppress(TimeoutError, Error):
        async with asyncio.timeout(order.deadline - time.monotonic() - SPARE_SECONDS):
            await load_images(world)
            for name, take in ((MHTML_FILE, take_mhtml), (PNG_FILE, take_screenshot), (PDF_FILE, print_pdf)):
                data = await take(cdp)
                if 0 < len(data) <= order.max_capture_bytes:
                    await asyncio.to_thread((Path(order.capture_folder) / name).write_bytes, data)
                    written.append(name)
    return tuple(written)


async def load_images(world: World) -> None:
    await world.evaluate(SCROLL)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(IMAGES_SECONDS):
            while not await world.evaluate(HAS_ALL_IMAGES):  # noqa: ASYNC110
                await asyncio.sleep(POLL_SECONDS)


async def take_mhtml(cdp: CDPSession) -> bytes:
    answer = await cdp.send("Page.captureSnapshot", {"format": "mhtml"})
    return str(answer["data"]).encode(errors="replace")


async def take_screenshot(cdp: CDPSession) -> bytes:
    metrics = await cdp.send("Page.getLayoutMetrics")
    height = min(max(math.ceil(metrics["cssContentSize"]["height"]), 1), MAX_HEIGHT)
    tiles = [await take_tile(cdp, top, min(TILE_HEIGHT, height - top)) for top in range(0, height, TILE_HEIGHT)]
    return tiles[0] if len(tiles) == 1 else await asyncio.to_thread(stitch, tiles, height)


async def take_tile(cdp: CDPSession, top: int, height: int) -> bytes:
    clip = {"x": 0, "y": top, "width": VIEWPORT_WIDTH, "height": height, "scale": 1}
    asked = {"format": "png", "clip": clip, "captureBeyondViewport": True, "optimizeForSpeed": True}
    shot = await cdp.send("Page.captureScreenshot", asked)
    return base64.b64decode(shot["data"])


def stitch(tiles: list[bytes], height: int) -> bytes:
    whole = Image.new("RGB", (VIEWPORT_WIDTH, height))
    for number, tile in enumerate(tiles):
        with Image.open(io.BytesIO(tile)) as image:
            whole.paste(image.convert("RGB"), (0, number * TILE_HEIGHT))
    out = io.BytesIO()
    whole.save(out, "PNG", compress_level=1)
    return out.getvalue()


async def print_pdf(cdp: CDPSession) -> bytes:
    answer = await cdp.send("Page.printToPDF", {"printBackground": True})
    return base64.b64decode(answer["data"])
