"""Saving, seen from outside: the answer to a save is already the finished card (specification 000)."""

import asyncio
import time
from typing import Any

import pytest
import structlog
from aiohttp import web
from sqlalchemy import func, select
from structlog.testing import LogCapture

from kept.domain.lifecycle import Lifecycle
from kept.storage import tables
from support.builders.articles import list_history
from support.fixtures.databases import on_both_databases
from support.fixtures.transactions import reading
from support.fixtures.waiting import until
from support.servers.origin import Origin, article
from support.servers.serving import Person, RunningKept

PARAGRAPH = "<p>" + "A paragraph with enough words in it to mean something to whoever reads the card. " * 3 + "</p>"


def jobs_of(saving: RunningKept) -> list[tuple[str, str]]:
    with reading(saving.kept.database) as tx:
        rows = tx.execute(select(tables.jobs.c.kind, tables.jobs.c.subject_id))
        return [(kind, str(subject_id)) for kind, subject_id in rows]


def count(saving: RunningKept, table: Any) -> int:
    with reading(saving.kept.database) as tx:
        return int(tx.execute(select(func.count()).select_from(table)).scalar_one())


# --- US1, FR-001 to FR-008: the outcome table, row by row ---------------------------------------------------------

ROWS = [
    # title, excerpt, image -> status                                 (specification 001 §6)
    pytest.param("T", "E", "/i.jpg", "succeeded", id="FR-005 title, excerpt and image"),
    pytest.param("T", "E", None, "pending", id="FR-006 title and excerpt, no image"),
    pytest.param("T", None, "/i.jpg", "succeeded", id="title and image, no excerpt"),
    pytest.param("T", None, None, "pending", id="title only"),
    pytest.param(None, None, "/i.jpg", "succeeded", id="FR-005a image only"),
    pytest.param(None, None, None, "pending", id="US1.3 nothing at all"),
]


@pytest.mark.requirement("000", "US1.1–3", "FR-001", "FR-005", "FR-005a", "FR-006")
@pytest.mark.requirement("001", "§6")
@pytest.mark.parametrize(("title", "excerpt", "image", "status"), ROWS)
async def test_fr_001_a_save_answers_with_what_the_page_says(
    ann: Person, origin: Origin, title: str | None, excerpt: str | None, image: str | None, status: str
) -> None:
    item = await ann.save(origin.page("/a", article(title, excerpt, image)))
    assert (item["title"], item["excerpt"]) == (title, excerpt)
    assert item["preview_image_url"] == (origin.url(image) if image else None)
    assert item["enrichment_status"] == status
    assert item["processing_status"] == "pending"


@pytest.mark.requirement("000", "FR-003")
async def test_fr_003_title_and_excerpt_come_from_the_first_source_that_has_them(ann: Person, origin: Origin) -> None:
    plain = f"<title> Plain &amp;  simple </title><h1>Heading</h1>{PARAGRAPH}"
    described = f'<meta name="description" content="Described"><title>T</title>{PARAGRAPH}'
    assert (await ann.save(origin.page("/plain", plain)))["title"] == "Plain & simple"
    assert (await ann.save(origin.page("/heading", f"<h1>Heading</h1>{PARAGRAPH}")))["title"] == "Heading"
    assert (await ann.save(origin.page("/described", described)))["excerpt"] == "Described"
    assert (await ann.save(origin.page("/body", plain)))["excerpt"].startswith("A paragraph with enough words")


@pytest.mark.requirement("000", "FR-004")
@pytest.mark.requirement("001", "§5")
async def test_fr_004_the_image_address_is_kept_and_no_image_is_fetched(ann: Person, origin: Origin) -> None:
    origin.page("/i.jpg", "", content_type="image/jpeg")
    await ann.save(origin.page("/a", article(image="/i.jpg")))
    assert origin.requests == {"/a": 1}


@pytest.mark.requirement("000", "FR-007")
@pytest.mark.parametrize("status", [404, 500, 403])
@on_both_databases
async def test_fr_007_a_page_that_fails_is_saved_with_an_empty_card_and_a_job(
    saving: RunningKept, ann: Person, origin: Origin, status: int
) -> None:
    item = await ann.save(origin.page("/a", "<title>Error</title>", status=status))
    assert (item["enrichment_status"], item["title"], item["excerpt"]) == ("pending", None, None)
    assert jobs_of(saving) == [("ingest", item["media_id"])]


@pytest.mark.requirement("000", "FR-008")
@on_both_databases
async def test_fr_008_a_persons_own_words_are_never_overwritten(ann: Person, origin: Origin) -> None:
    url = origin.page("/a", article("Page title", "Page excerpt"))
    item = await ann.save(url, title="  My title ", note="Mine", tags=["Read Later", "read  later", "x"])
    assert (item["title"], item["own_title"], item["excerpt"]) == ("My title", "My title", "Page excerpt")
    assert (item["note"], item["tags"]) == ("Mine", ["read later", "x"])
    other = await ann.save(origin.page("/b", article("Page title", "Page excerpt")), excerpt="My excerpt")
    assert (other["title"], other["excerpt"]) == ("Page title", "My excerpt")


@pytest.mark.requirement("000", "FR-022")
@on_both_databases
async def test_fr_022_whatever_happens_the_item_is_there(saving: RunningKept, ann: Person, origin: Origin) -> None:
    async def reset(request: web.BaseRequest) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    item = await ann.save(origin.on("/reset", reset))
    listed = (await ann.get("/api/v1/items")).data
    assert [listed_item["id"] for listed_item in listed] == [item["id"]]


# --- FR-009, FR-017, FR-018, US6: what must not be fetched ---------------------------------------------------------


@pytest.mark.requirement("000", "FR-009", "FR-017", "US6.1")
@pytest.mark.requirement("004", "§15 loopback only where allowed")
@pytest.mark.requirement("differs", "002 §6: a refused address is `failed` → `blocked` (003 §3.2)")
@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/secret",
        "http://192.168.1.1/admin",
        "http://10.0.0.1/",
        "http://172.16.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://127.0.0.1/",
        "http://[::1]/",
        "http://0x7f.1/",
        "http://printer.local/",
    ],
)
async def test_fr_017_a_private_address_is_saved_blocked_and_never_queued(
    saving: RunningKept, ann: Person, url: str
) -> None:
    item = await ann.save(url)
    assert (item["enrichment_status"], item["processing_status"]) == ("failed", "blocked")
    assert item["failure_code"] == "E_FETCH_FORBIDDEN"
    assert item["enrichment_error"] == "This URL may not be fetched."
    assert jobs_of(saving) == []


@pytest.mark.requirement("000", "FR-018", "US6.2")
async def test_us6_2_a_redirect_to_a_private_address_is_blocked_too(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    item = await ann.save(origin.redirect("/r", "http://192.168.1.1/admin"))
    assert (item["enrichment_status"], item["processing_status"]) == ("failed", "blocked")
    assert "192.168" not in str(item)
    assert jobs_of(saving) == []


@pytest.mark.requirement("000", "FR-009", "FR-017", "US6.1")
@pytest.mark.parametrize("url", ["javascript:alert(1)", "mailto:ann@example.org", "ftp://example.org/x", "data:,x"])
@on_both_databases
async def test_us6_1_another_scheme_is_kept_as_text_and_never_a_link(
    saving: RunningKept, ann: Person, url: str
) -> None:
    item = await ann.save(url)
    assert (item["enrichment_status"], item["processing_status"]) == ("failed", "invalid_url")
    assert (item["url"], item["link"], item["failure_code"]) == (url, None, "E_URL_INVALID")
    assert jobs_of(saving) == []
    assert (await ann.post("/api/v1/items", {"url": url})).status == 200


@pytest.mark.parametrize("url", ["", "   ", "http://", "not a url", "http://exa mple.org", "https://", "x" * 3000])
async def test_garbage_is_refused_with_a_clear_error(saving: RunningKept, ann: Person, url: str) -> None:
    answer = await ann.post("/api/v1/items", {"url": url})
    assert (answer.status, answer.error_code) == (400, "E_URL_INVALID")
    assert count(saving, tables.items) == 0


@on_both_databases
async def test_addresses_are_tidied_before_they_are_compared(ann: Person, origin: Origin) -> None:
    origin.page("/a", article())
    item = await ann.save(f"  HTTP://127.0.0.1:{origin.port}/a#section  ")
    assert item["url"] == origin.url("/a#section")
    again = await ann.post("/api/v1/items", {"url": origin.url("/a#other")})
    assert (again.status, again.data["id"]) == (200, item["id"])
    assert item["link"] == item["url"]


@on_both_databases
async def test_a_long_address_is_kept_whole(ann: Person, origin: Origin) -> None:
    origin.page("/long", article())
    url = origin.url("/long?q=" + "x" * (2000 - len(origin.url("/long?q="))))
    assert (await ann.save(url))["url"] == url


# --- FR-002, FR-019, FR-020, US3: deadlines and sizes ---------------------------------------------------------------


async def never_answer(request: web.BaseRequest) -> web.StreamResponse:
    await asyncio.sleep(30)
    return web.Response()


async def drip(request: web.BaseRequest) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/html"})
    await response.prepare(request)
    for _ in range(300):
        await response.write(b"<p>x</p>  ")
        await asyncio.sleep(1)
    return response


@pytest.mark.requirement("000", "FR-002", "FR-019", "US3", "SC-003")
@pytest.mark.requirement(
    "differs",
    "004 §3: the API fetches nothing → a save fetches its card within 4 s (000 FR-001), the `media` routes nothing",
)
@pytest.mark.requirement("001", "§3")
async def test_fr_019_slow_pages_answer_in_time_and_hold_nobody_up(impatient: RunningKept, origin: Origin) -> None:
    ann = await impatient.make_person("ann")
    slow = [origin.on("/never", never_answer), origin.on("/drip", drip)]
    fast = origin.page("/fast", article())
    started = time.monotonic()
    hanging = [asyncio.create_task(ann.save(f"{slow[n % 2]}?{n}")) for n in range(50)]
    while sum(origin.requests.values()) < 4:  # as many as one host may have at once
        await asyncio.sleep(0.01)
    beside = time.monotonic()
    item = await ann.save(fast.replace("127.0.0.1", "127.0.0.2"))
    took = time.monotonic() - beside
    assert item["enrichment_status"] == "succeeded"
    assert took < 3  # `./bench save` holds it to 300 ms; here the machine may be busy
    answers = await asyncio.gather(*hanging)
    assert time.monotonic() - started < 8
    assert {item["enrichment_status"] for item in answers} == {"pending"}
    assert count(impatient, tables.jobs) == 51


@pytest.mark.requirement("000", "FR-020")
@pytest.mark.requirement("001", "§4")
async def test_fr_020_a_huge_page_gives_its_card_from_its_beginning(ann: Person, origin: Origin) -> None:
    item = await ann.save(origin.page("/huge", article("Huge") + "x" * 7_000_000))
    assert (item["title"], item["enrichment_status"]) == ("Huge", "succeeded")


@pytest.mark.requirement("000", "edge case: tags before a stall")
@pytest.mark.parametrize("image", ["/i.jpg", None])
async def test_tags_that_came_before_the_page_stalled_fill_the_card(
    impatient: RunningKept, origin: Origin, image: str | None
) -> None:
    async def stall(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/html"})
        await response.prepare(request)
        await response.write(article("Came first", "In time", image).partition("</body>")[0].encode())
        await asyncio.Event().wait()
        return response

    ann = await impatient.make_person("ann")
    item = await ann.save(origin.on("/a", stall))
    assert (item["title"], item["excerpt"]) == ("Came first", "In time")
    assert item["enrichment_status"] == ("succeeded" if image else "pending")
    assert jobs_of(impatient) == [("ingest", item["media_id"])]


async def test_twenty_redirects_are_too_many(ann: Person, origin: Origin) -> None:
    for number in range(20):
        origin.redirect(f"/r{number}", f"/r{number + 1}")
    item = await ann.save(origin.url("/r0"))
    assert item["enrichment_status"] == "pending"
    assert item["enrichment_error"] == "The page redirects too often."


async def test_a_save_that_is_not_awaited_fetches_nothing(saving: RunningKept, ann: Person, origin: Origin) -> None:
    item = await ann.save(origin.page("/a", article()), wait=False)
    assert (item["enrichment_status"], item["title"]) == ("pending", None)
    assert origin.requests == {}
    assert jobs_of(saving) == [("ingest", item["media_id"])]


# --- FR-015, US4: deduplication -------------------------------------------------------------------------------------


@pytest.mark.requirement("000", "FR-015", "US4", "SC-006")
@on_both_databases
async def test_fr_015_a_second_save_of_the_same_url_returns_the_first_item(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    url = origin.page("/a", article())
    first = await ann.save(url)
    second = await ann.post("/api/v1/items", {"url": url})
    assert (second.status, second.data["id"]) == (200, first["id"])
    assert origin.requests["/a"] == 1
    assert len(jobs_of(saving)) == 1


@on_both_databases
async def test_saving_again_adds_tags_and_fills_what_is_empty(ann: Person, origin: Origin) -> None:
    url = origin.page("/a", article())
    await ann.save(url, tags=["one"], title="First")
    item = await ann.save(url, tags=["two"], title="Second", note="Noted")
    assert (item["tags"], item["title"], item["note"]) == (["one", "two"], "First", "Noted")


@pytest.mark.requirement("differs", "000: one item for a user and URL → media are global (002 §3), items a library's")
@on_both_databases
async def test_the_second_person_gets_the_page_whole_and_at_once(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    bob = await saving.make_person("bob")
    url = origin.page("/a", article("Shared"))
    first = await ann.save(url, title="Ann's", note="private", tags=["anns"])
    answer = await bob.post("/api/v1/items", {"url": url})
    assert (answer.status, answer.data["media_id"]) == (201, first["media_id"])
    assert (answer.data["title"], answer.data["note"], answer.data["tags"]) == ("Shared", None, [])
    assert origin.requests["/a"] == 1


@on_both_databases
async def test_a_redirect_to_a_known_page_returns_its_finished_card(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    bob = await saving.make_person("bob")
    known = await ann.save(origin.page("/a", article("Known")), tags=["kept"])
    answer = await bob.post("/api/v1/items", {"url": origin.redirect("/short", "/a"), "tags": ["mine"]})
    assert (answer.status, answer.data["media_id"], answer.data["title"]) == (201, known["media_id"], "Known")
    assert (answer.data["url"], answer.data["tags"]) == (origin.url("/short"), ["mine"])
    own = await ann.save(origin.url("/short"), note="again")
    assert (own["id"], own["tags"], own["note"]) == (known["id"], ["kept"], "again")
    assert count(saving, tables.media) == 1


@on_both_databases
async def test_two_links_that_end_on_one_login_or_home_page_stay_two_items(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    origin.page("/login", "<title>Sign in</title><h1>Sign in</h1><form><input type=password></form>")
    origin.page("/", article("Home"))
    saved = [
        await ann.save(origin.redirect(path, target))
        for path, target in (("/a", "/login"), ("/b", "/login"), ("/c", "/"), ("/d", "/"))
    ]
    assert len({item["id"] for item in saved}) == 4
    assert [item["url"] for item in saved] == [origin.url(path) for path in ("/a", "/b", "/c", "/d")]


async def test_a_challenge_never_lends_its_title(ann: Person, origin: Origin) -> None:
    page = """<title>Just a moment...</title><script src="/cdn-cgi/challenge-platform/x.js"></script>
    <h1>Checking your browser</h1><p>Verifying you are human. This may take a few seconds.</p>"""
    for status in (200, 403, 503):
        item = await ann.save(origin.page(f"/{status}", page, status=status))
        assert (item["title"], item["enrichment_status"]) == (None, "pending"), status


@on_both_databases
async def test_two_hundred_saves_of_one_url_by_twenty_people_make_one_media(
    saving: RunningKept, origin: Origin
) -> None:
    people = [await saving.make_person(f"p{number}") for number in range(20)]
    url = origin.page("/a", article(), seconds=0.3)
    answers = await asyncio.gather(
        *(person.post("/api/v1/items", {"url": url}) for person in people for _ in range(10))
    )
    assert {answer.status for answer in answers} == {200, 201}
    assert sum(answer.status == 201 for answer in answers) == 20
    assert {answer.data["title"] for answer in answers} == {"A title"}
    assert origin.requests["/a"] == 1
    assert [count(saving, table) for table in (tables.media, tables.url_aliases, tables.items)] == [1, 1, 20]


async def watch_for_gaps(person: Person, racing: "asyncio.Future[Any]") -> int:
    """How often a list was empty that had not been before."""
    has_seen, gaps = False, 0
    while not racing.done():
        shown = bool((await person.get("/api/v1/items")).data)
        gaps += has_seen and not shown
        has_seen = has_seen or shown
    return gaps


@pytest.mark.requirement("Kept", "fifty racing saves of ten links to one page")
@on_both_databases
async def test_fifty_racing_saves_of_ten_links_to_one_page_end_as_one_media(
    saving: RunningKept, origin: Origin
) -> None:
    people = [await saving.make_person(f"p{number}") for number in range(5)]
    origin.page("/page", article("One"), seconds=0.1)
    links = [origin.redirect(f"/r{number}", "/page") for number in range(10)]
    racing = asyncio.gather(*(person.post("/api/v1/items", {"url": url}) for person in people for url in links))
    watching = asyncio.gather(*(watch_for_gaps(person, racing) for person in people))
    answers = await racing
    assert {answer.status for answer in answers} <= {200, 201}
    assert count(saving, tables.media) == 1
    assert await watching == [0] * len(people), "somebody did not see what they had seen before"
    for person in people:
        [item] = (await person.get("/api/v1/items")).data
        assert item["title"] == "One"


# --- libraries, history, observability -------------------------------------------------------------------------------


@pytest.mark.requirement("002", "§10 library insertion")
@on_both_databases
async def test_saving_to_a_shared_library_also_keeps_it_in_ones_own(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    library_id = (await ann.post("/api/v1/libraries", {"name": "Team"})).data["id"]
    item = await ann.save(origin.page("/a", article()), library_id=library_id, tags=["team"])
    assert item["library_id"] == library_id
    [own] = (await ann.get("/api/v1/items")).data
    assert (own["media_id"], own["tags"]) == (item["media_id"], [])


@pytest.mark.requirement("002", "§10 library insertion")
async def test_a_member_may_not_save_and_a_stranger_sees_no_library(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    bob, eve = await saving.make_person("bob"), await saving.make_person("eve")
    library_id = (await ann.post("/api/v1/libraries", {"name": "Team"})).data["id"]
    await ann.post(f"/api/v1/libraries/{library_id}/members", {"user_name": "bob"})
    body = {"url": origin.page("/a", article()), "library_id": library_id}
    assert [(await person.post("/api/v1/items", body)).status for person in (bob, eve)] == [403, 404]
    assert count(saving, tables.media) == 0


@on_both_databases
async def test_the_history_tells_what_was_fetched_and_found_but_no_hop(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    origin.page("/a", article())
    item = await ann.save(origin.redirect("/secret-token", "/a"))
    history = list_history(saving, item)
    assert [(line.lifecycle, line.to_state) for line in history] == [
        (Lifecycle.PROCESSING, "pending"),
        (Lifecycle.ENRICHMENT, "succeeded"),
    ]
    told = history[-1].record
    assert (told.redirects, told.http_status, told.found) == (1, 200, ("title", "excerpt", "image"))
    assert "secret-token" not in str(told)


@pytest.mark.requirement("000", "FR-025")
async def test_fr_025_metrics_count_outcomes_and_time(saving: RunningKept, ann: Person, origin: Origin) -> None:
    await ann.save(origin.page("/full", article()))
    await ann.save(origin.page("/partial", article(image=None)))
    await ann.save("http://10.0.0.1/")
    text = (await ann.get("/metrics")).body.decode()
    for outcome in ("succeeded", "partial", "failed"):
        assert f'kept_enrichments_total{{outcome="{outcome}"}}' in text
    assert "kept_enrichment_seconds_bucket" in text


@pytest.mark.requirement("000", "FR-024")
async def test_fr_024_a_save_logs_how_its_enrichment_began_and_ended(
    impatient: RunningKept, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    captured = LogCapture()
    logger = structlog.wrap_logger(None, processors=[captured], wrapper_class=structlog.BoundLogger)
    monkeypatch.setattr("kept.services.saving.cards.log", logger)
    ann = await impatient.make_person("ann")
    pages = {
        "succeeded": origin.page("/full", article()),
        "partial": origin.page("/partial", article(image=None)),
        "failed": origin.page("/failed", "no", status=500),
        "timed_out": origin.on("/never", never_answer),
    }
    saved = {outcome: (await ann.save(url))["media_id"] for outcome, url in pages.items()}
    told = {(line["event"], line["media_id"]) for line in captured.entries}
    for outcome, media_id in saved.items():
        assert {("enrichment.started", media_id), (f"enrichment.{outcome}", media_id)} <= told
    assert all(line["host"] == "127.0.0.1" for line in captured.entries)


async def test_the_origin_sees_one_honest_user_agent_and_no_cookies(ann: Person, origin: Origin) -> None:
    async def set_cookie(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": "/b", "Set-Cookie": "id=1"})

    origin.page("/b", article())
    await ann.save(origin.on("/a", set_cookie))
    assert all(request.headers["User-Agent"].startswith("Kept/") for request in origin.seen)
    assert all("Cookie" not in request.headers for request in origin.seen)


@on_both_databases
async def test_an_idempotency_key_gets_the_first_answer_again(ann: Person, origin: Origin) -> None:
    url = origin.page("/a", article())
    first = await ann.post("/api/v1/items", {"url": url}, **{"Idempotency-Key": "abc"})
    again = await ann.post("/api/v1/items", {"url": url}, **{"Idempotency-Key": "abc"})
    other = await ann.post("/api/v1/items", {"url": origin.url("/b")}, **{"Idempotency-Key": "abc"})
    assert (first.status, again.status, again.data) == (201, 201, first.data)
    assert (other.status, other.error_code) == (409, "E_CONFLICT")


@on_both_databases
async def test_a_failed_request_leaves_its_idempotency_key_free(ann: Person, origin: Origin) -> None:
    bad = await ann.post("/api/v1/items", {"url": "http://"}, **{"Idempotency-Key": "abc"})
    good = await ann.post("/api/v1/items", {"url": origin.page("/a", article())}, **{"Idempotency-Key": "abc"})
    assert (bad.status, good.status) == (400, 201)


@on_both_databases
async def test_a_client_that_goes_away_does_not_undo_its_save(saving: RunningKept, ann: Person, origin: Origin) -> None:
    leaving = asyncio.create_task(ann.save(origin.page("/a", article("Later"), seconds=0.5)))
    await until(lambda: origin.requests["/a"] == 1, what="the fetch of the page")
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving

    async def is_filled() -> bool:
        [item] = (await ann.get("/api/v1/items")).data
        return bool(item["title"] == "Later")

    await until(is_filled, seconds=10, what="the card")
