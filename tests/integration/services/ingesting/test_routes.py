"""Pages that a fragment names (`#/…`, `#!…`): a script draws them, so that only a browser can read them."""

import pytest

from support.builders.articles import BODY, get_media, list_history
from support.servers.origin import Origin
from support.servers.serving import Person, RunningKept
from support.servers.working import Worker

pytestmark = [
    pytest.mark.requirement("Kept", "a route (`#/…`, `#!…`) is a page of its own"),
    pytest.mark.requirement("differs", "002 §3: fragments are stripped → not routes (`#/…`, `#!…`)"),
]

# As single-page applications are: the same document for every page, and general words about all of them.
APP = f"""<!doctype html><html lang="en"><head><title>The app</title><meta property="og:site_name" content="Acme">
<meta property="og:title" content="The app"><meta name="description" content="An app for everything.">
<meta property="og:image" content="/app.png"></head><body><div id="root">Loading</div><script>
  const page = location.hash.slice(2)
  const said = "<p>All this is about page " + page + ", which the script has drawn, and nothing else.</p>"
  document.title = "Page " + page
  document.getElementById("root").innerHTML = {BODY!r}.replace("</article>", said + "</article>")
</script></body></html>"""


async def test_each_route_is_a_page_of_its_own_and_the_browser_reads_it(
    saving: RunningKept, ann: Person, origin: Origin, browser_worker: Worker
) -> None:
    url = origin.page("/app", APP)
    plain, first, second = [await ann.save(url + route) for route in ("", "#/one", "#/two")]
    assert len({item["media_id"] for item in (plain, first, second)}) == 3
    # what the application says of itself is not what this page says
    assert (first["url"], first["title"], first["excerpt"], first["preview_src"]) == (f"{url}#/one", None, None, None)
    assert first["site_name"] == "Acme"
    assert plain["title"] == "The app"
    await browser_worker.work_off()
    for item, name in ((first, "one"), (second, "two")):
        found = get_media(saving, item)
        assert (found.processing_status, found.title) == ("ready_for_reading", f"Page {name}")
        assert found.canonical_url == f"{url}#/{name}"
        fragments = (await ann.get(f"/api/v1/media/{item['media_id']}/fragments")).data["fragments"]
        assert f"about page {name}," in fragments[0]["html_sanitized"]


async def test_a_redirect_to_a_route_is_read_by_the_browser_too(
    saving: RunningKept, ann: Person, origin: Origin, browser_worker: Worker
) -> None:
    url = origin.page("/app", APP)
    first = await ann.save(f"{url}#/one")
    short = await ann.save(origin.redirect("/short", "/app#/one"))
    assert short["id"] == first["id"]
    late = await ann.save(origin.redirect("/late", "/app#/two"), wait=False)
    await browser_worker.work_off()
    found = get_media(saving, late)
    assert (found.canonical_url, found.title, found.is_readable) == (f"{url}#/two", "Page two", True)


async def test_a_route_goes_along_with_a_redirect(
    saving: RunningKept, ann: Person, origin: Origin, browser_worker: Worker
) -> None:
    url = origin.page("/app", APP)
    item = await ann.save(origin.redirect("/old", "/app") + "#/one")
    assert get_media(saving, item).canonical_url == f"{url}#/one"
    await browser_worker.work_off()
    assert get_media(saving, item).title == "Page one"


async def test_without_a_browser_such_a_page_fails_and_says_why(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/app", APP) + "#/one")
    await worker.work_off()
    found = get_media(saving, item)
    assert (found.processing_status, found.failure_code) == ("failed", "E_EXTRACT_NO_CONTENT")
    assert found.failure_message is not None
    assert "browser" in found.failure_message
    assert [line.to_state for line in list_history(saving, item)][-2:] == ["failed", "failed"]
    assert worker.count_jobs() == {}
