"""Somebody uploads a PDF on the add page and reads it: by pages, beside images of them, on a desk and on a phone."""

import pytest
from playwright.async_api import Browser, FloatRect, Page, expect

from kept.domain.job import Queue
from kept.subprocesses.extraction import ExtractorPool
from support.builders.saved_documents import page_about, pdf_of
from support.fixtures.axe import find_faults
from support.servers.desk import Desk, sit_down
from support.servers.serving import RunningKept, change_limits
from support.servers.working import run_worker

pytestmark = pytest.mark.requirement("Kept", "PDF, EPUB, images, plain text and Markdown are stored and read")

PDF = pdf_of(*(" ".join([page_about(word)] * 4) for word in ("lighthouse", "ferry", "smugglers")))
DROP = """async ([name, bytes]) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(bytes)], name, { type: "text/plain" }));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


async def upload(desk: Desk) -> str:
    page = desk.page
    await desk.go_ready("/add")
    await page.set_input_files(
        "#add-file input[type=file]", {"name": "report.pdf", "mimeType": "application/pdf", "buffer": PDF}
    )
    await page.get_by_role("button", name="Upload").click()
    card = page.locator("article.card")
    await expect(card.get_by_role("heading", name="report")).to_be_visible()
    await expect(card.locator(".kind")).to_have_text("PDF")
    return str(await card.get_attribute("data-item"))


async def boxes(page: Page) -> tuple[FloatRect, FloatRect]:
    """Of the first page's image and of its first paragraph."""
    first = page.locator("#page-1")
    image, text = await first.locator("img.page").bounding_box(), await first.locator("p").first.bounding_box()
    assert image is not None
    assert text is not None
    return image, text


async def check_desk(desk: Desk, item_id: str) -> None:
    page = desk.page
    await desk.go_ready(f"/read/{item_id}")
    await page.get_by_role("link", name="Show pages").click()
    await page.wait_for_selector("html[data-ready]", state="attached")
    image = page.locator("#page-1 img.page")
    assert await image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1200
    shown, text = await boxes(page)
    assert shown["x"] + shown["width"] <= text["x"]  # side by side
    await page.get_by_role("navigation", name="Contents").get_by_role("link", name="Chapter 3").click()
    await expect(page.locator("#page-3")).to_be_in_viewport()
    await expect(page.locator("#page-position")).to_have_text("Page 3 of 3")
    await expect(page.get_by_role("link", name="Open the PDF")).to_have_count(1)
    assert await find_faults(desk.page) == []


async def check_phone(desk: Desk, item_id: str) -> None:
    page = desk.page
    await page.set_viewport_size({"width": 390, "height": 844})
    await desk.go_ready(f"/read/{item_id}?pages=show")
    shown, text = await boxes(page)
    assert shown["y"] + shown["height"] <= text["y"]  # one above the other
    assert await page.evaluate("document.documentElement.scrollWidth") <= 390
    await page.get_by_role("link", name="Text only").click()
    await expect(page.locator("img.page")).to_have_count(0)


async def test_a_pdf_is_uploaded_and_read_by_pages(
    running: RunningKept, browser: Browser, extractors: ExtractorPool
) -> None:
    running.make_user("ann")
    patient = change_limits(running.kept.settings, document_read_seconds=60.0)
    async with sit_down(browser, running.address, viewport={"width": 1600, "height": 900}) as desk:
        await desk.sign_in("ann")
        item_id = await upload(desk)
        async with run_worker(running, extractors, patient) as worker:
            await worker.without_browser().work_off(Queue.INGEST)
        await check_desk(desk, item_id)
        await check_phone(desk, item_id)
        await desk.go_ready("/")
        await desk.page.evaluate(DROP, ["note.txt", list(b"Dropped words.")])
        await expect(desk.page.get_by_role("heading", name="note")).to_be_visible()
