"""An import in a browser: the page follows it by itself."""

from pathlib import Path

from playwright.async_api import Browser, expect

from support.builders import uploaded_files as files
from support.builders.importing import work_off_imports
from support.servers.desk import sit_down
from support.servers.serving import RunningKept


async def test_the_page_follows_an_import_without_being_loaded_again(
    running: RunningKept, browser: Browser, tmp_path: Path
) -> None:
    running.make_user("ann")
    (tmp_path / "bookmarks.html").write_text(files.FIREFOX_HTML)
    async with sit_down(browser, running.address) as desk:
        await desk.sign_in("ann")
        await desk.go_ready("/import")
        await desk.page.get_by_label("File").set_input_files(tmp_path / "bookmarks.html")
        await desk.page.get_by_role("button", name="Check file").click()
        await expect(desk.page.get_by_text("Checking file…")).to_be_visible()
        await desk.page.evaluate("window.stayed = true")
        await work_off_imports(running)
        yes = desk.page.get_by_role("button", name="Import 5 links")
        await expect(yes).to_be_visible(timeout=15_000)
        assert await desk.page.evaluate("window.stayed") is True
        await yes.click()
        await expect(desk.page.locator("progress")).to_be_visible()
        await work_off_imports(running)
        await expect(desk.page.get_by_role("link", name="Go to library")).to_be_visible(timeout=15_000)
