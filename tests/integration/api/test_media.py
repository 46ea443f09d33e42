"""Media, seen from outside: submitting, reading, history, retry (docs/requirements.md, 002 and 004)."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, select, update

from kept.clock import utc_now
from kept.domain.failures import FailureCode
from kept.domain.lifecycle import ProcessingStatus
from kept.services.pages.identity import merge_media
from kept.storage import tables
from support.builders.articles import fail, ingest
from support.fixtures.transactions import reading, writing
from support.servers.origin import Origin, article
from support.servers.serving import Answer, Person, RunningKept

WORDS = "<h1>Title</h1><p>Some words that make an article.</p>"


async def submit(person: Person, url: str, **fields: Any) -> Answer:
    return await person.post("/api/v1/media/web-articles", {"url": url, **fields})


def count(saving: RunningKept, table: Any) -> int:
    with reading(saving.kept.database) as tx:
        return int(tx.execute(select(func.count()).select_from(table)).scalar_one())


def jobs_of(saving: RunningKept, media_id: str) -> list[tuple[str, int]]:
    with reading(saving.kept.database) as tx:
        query = select(tables.jobs.c.kind, tables.jobs.c.attempt).where(tables.jobs.c.subject_id == UUID(media_id))
        return [(kind, attempt) for kind, attempt in tx.execute(query)]


# --- specification 002 §11: POST /media/web-articles -----------------------------------------------------------------


@pytest.mark.requirement("002", "§11 `POST /media/web-articles`: 200, 202, 400, 401, 403")
@pytest.mark.requirement(
    "differs",
    "004 §3: the API fetches nothing → a save fetches its card within 4 s (000 FR-001), the `media` routes nothing",
)
async def test_a_new_page_is_accepted_and_nothing_is_fetched_in_the_request(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    answer = await submit(ann, origin.page("/a", article()))
    assert (answer.status, answer.data["processing_status"], answer.data["kind"]) == (202, "pending", "web_article")
    assert origin.requests == {}
    assert jobs_of(saving, answer.data["id"]) == [("ingest", 0)]


@pytest.mark.requirement("002", "§3 dedup: pending, ready, failed")
@pytest.mark.parametrize("is_ready", [False, True])
async def test_a_known_page_is_attached_with_200_whether_ready_or_pending(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin, is_ready: bool
) -> None:
    first = await submit(ann, origin.url("/a"))
    if is_ready:
        ingest(saving.kept.database, first.data["id"], WORDS)
    second = await submit(bob, origin.url("/a"))
    assert (second.status, second.data["id"]) == (200, first.data["id"])
    assert second.data["capabilities"]["can_read"] is is_ready
    assert count(saving, tables.media) == 1


@pytest.mark.requirement("002", "§11 `POST /media/web-articles`: 200, 202, 400, 401, 403")
@pytest.mark.parametrize(
    "url", ["", "not a url", "http://", "ftp://example.org/a", "javascript:alert(1)", "mailto:a@b.c"]
)
@pytest.mark.parametrize("path", ["/api/v1/media/web-articles", "/api/v1/media/from_url", "/media/from_url"])
async def test_what_is_no_web_address_is_refused(saving: RunningKept, ann: Person, path: str, url: str) -> None:
    answer = await ann.post(path, {"url": url})
    assert (answer.status, answer.error_code) == (400, "E_URL_INVALID")
    assert count(saving, tables.media) == 0


@pytest.mark.requirement("002", "§10 write rule, both libraries")
async def test_only_an_admin_adds_to_a_library_and_a_stranger_sees_none(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    eve = await saving.make_person("eve")
    library_id = (await ann.post("/api/v1/libraries", {"name": "Team"})).data["id"]
    await ann.post(f"/api/v1/libraries/{library_id}/members", {"user_name": "bob"})
    statuses = [(await submit(who, origin.url("/a"), library_id=library_id)).status for who in (bob, eve, ann)]
    assert statuses == [403, 404, 202]
    assert (await saving.nobody.post("/api/v1/media/web-articles", {"url": origin.url("/a")})).status == 401


@pytest.mark.requirement("002", "§10 write rule, both libraries")
async def test_what_is_added_to_any_library_is_in_ones_own_too(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    library_id = (await ann.post("/api/v1/libraries", {"name": "Team"})).data["id"]
    media_id = (await submit(ann, origin.url("/a"), library_id=library_id)).data["id"]
    assert [item["media_id"] for item in (await ann.get("/api/v1/items")).data] == [media_id]


# --- specification 004 §3: POST /media/from_url ----------------------------------------------------------------------


@pytest.mark.requirement("004", "§3 `POST /media/from_url`")
@pytest.mark.requirement(
    "differs", "004 §3: `duplicate` and `ingest_enqueued` are constant → they are true to the case"
)
async def test_from_url_answers_202_with_what_was_enqueued(saving: RunningKept, ann: Person, origin: Origin) -> None:
    answer = await ann.post("/media/from_url", {"url": origin.page("/a", article())})
    assert answer.status == 202
    assert answer.data == {
        "media_id": answer.data["media_id"],
        "duplicate": False,
        "processing_status": "pending",
        "ingest_enqueued": True,
    }
    assert origin.requests == {}
    again = await ann.post("/media/from_url", {"url": origin.url("/a")})
    assert (again.status, again.data["media_id"]) == (202, answer.data["media_id"])
    assert (again.data["duplicate"], again.data["ingest_enqueued"]) == (True, False)


@pytest.mark.requirement("002", "§3 dedup: pending, ready, failed")
async def test_a_failed_page_saved_by_somebody_else_is_tried_again_and_from_url_says_so(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    media_id = (await submit(ann, origin.url("/a"))).data["id"]
    fail(saving.kept.database, media_id, FailureCode.FETCH_FAILED)
    answer = await bob.post("/media/from_url", {"url": origin.url("/a")})
    assert (answer.data["duplicate"], answer.data["ingest_enqueued"]) == (True, True)


# --- specification 002 §13: acceptance scenarios ---------------------------------------------------------------------


@pytest.mark.requirement(
    "002",
    "§8 canonical text is never sent, §11 `GET /media/:id/fragments`",
    "§13 success, dedup, failure, visibility, seen from outside",
)
async def test_an_ingested_page_can_be_read(saving: RunningKept, ann: Person, origin: Origin) -> None:
    media_id = (await submit(ann, origin.url("/a"))).data["id"]
    article = ingest(saving.kept.database, media_id, WORDS)
    seen = await ann.get(f"/media/{media_id}")
    assert seen.data["processing_status"] == "ready_for_reading"
    [fragment] = (await ann.get(f"/media/{media_id}/fragments")).data["fragments"]
    assert (fragment["ordinal"], fragment["html_sanitized"]) == (0, str(article.html))
    assert set(fragment) == {"id", "ordinal", "html_sanitized"}  # never canonical_text


@pytest.mark.requirement("002", "§13 success, dedup, failure, visibility, seen from outside")
async def test_the_second_person_reads_at_once(saving: RunningKept, ann: Person, bob: Person, origin: Origin) -> None:
    media_id = (await submit(ann, origin.url("/a"))).data["id"]
    ingest(saving.kept.database, media_id, WORDS)
    assert (await bob.get(f"/media/{media_id}/fragments")).status == 404
    assert (await submit(bob, origin.url("/a"))).data["id"] == media_id
    assert (await bob.get(f"/media/{media_id}/fragments")).status == 200
    assert (count(saving, tables.media), count(saving, tables.jobs)) == (1, 0)


@pytest.mark.requirement(
    "002", "§13 success, dedup, failure, visibility, seen from outside", "§13 failed extraction, retry"
)
async def test_a_failed_page_shows_why_and_can_be_tried_again(saving: RunningKept, ann: Person, origin: Origin) -> None:
    media_id = (await submit(ann, origin.url("/a"))).data["id"]
    fail(saving.kept.database, media_id, FailureCode.EXTRACT_NO_CONTENT)
    seen = (await ann.get(f"/media/{media_id}")).data
    assert (seen["processing_status"], seen["failure_code"]) == ("failed", "E_EXTRACT_NO_CONTENT")
    retried = await ann.post(f"/media/{media_id}/retry")
    assert (retried.status, retried.data["id"]) == (202, media_id)


@pytest.mark.requirement("002", "§13 success, dedup, failure, visibility, seen from outside", "§13 visibility")
async def test_what_is_in_no_library_of_mine_is_not_there(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    media_id = (await submit(ann, origin.url("/a"))).data["id"]
    ingest(saving.kept.database, media_id, WORDS)
    for path in ("", "/fragments", "/transitions"):
        hidden, absent = await bob.get(f"/media/{media_id}{path}"), await bob.get(f"/media/{uuid4()}{path}")
        assert hidden.status == absent.status == 404
        assert hidden.json["error"] | {"request_id": ""} == absent.json["error"] | {"request_id": ""}


# --- specification 002 §11, specification 004 §14: reading -----------------------------------------------------------


@pytest.mark.requirement("002", "§8 canonical text is never sent, §11 `GET /media/:id/fragments`")
@pytest.mark.requirement("004", "§14 capabilities")
@pytest.mark.parametrize("state", ["pending", "extracting", "failed", "blocked", "invalid_url"])
async def test_an_article_that_is_not_ready_answers_409(
    saving: RunningKept, ann: Person, origin: Origin, state: str
) -> None:
    media_id = (await submit(ann, origin.url("/a"))).data["id"]
    set_status(saving, media_id, state)
    answer = await ann.get(f"/media/{media_id}/fragments")
    assert (answer.status, answer.error_code) == (409, "E_CONFLICT")
    capabilities = (await ann.get(f"/media/{media_id}")).data["capabilities"]
    assert capabilities == {"can_read": False, "can_highlight": False, "can_quote": False}


@pytest.mark.requirement("004", "§14 capabilities")
async def test_a_ready_article_can_be_read_highlighted_and_quoted(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    media_id = (await submit(ann, origin.url("/a"))).data["id"]
    ingest(saving.kept.database, media_id, WORDS)
    capabilities = (await ann.get(f"/media/{media_id}")).data["capabilities"]
    assert capabilities == {"can_read": True, "can_highlight": True, "can_quote": True}


@pytest.mark.requirement("004", "§11 a merged id answers with the winner")
@pytest.mark.requirement("differs", "004 §11: the loser's id is deleted → it leads to the winner for ever")
async def test_an_id_that_was_merged_away_answers_with_the_winner(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    winner, loser = [(await submit(ann, origin.url(path))).data["id"] for path in ("/a", "/b")]
    ingest(saving.kept.database, winner, WORDS)
    with writing(saving.kept.database) as tx:
        merge_media(tx, UUID(loser), UUID(winner), actor_user_id=None, now=utc_now())
    assert (await ann.get(f"/media/{loser}")).data["id"] == winner
    assert (await ann.get(f"/media/{loser}/fragments")).status == 200
    assert (await bob.get(f"/media/{loser}")).status == 404


async def test_neither_a_tampered_fragment_nor_a_trace_of_why_is_served(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    media_id = (await submit(ann, origin.url("/a"))).data["id"]
    with writing(saving.kept.database) as tx:
        row = {"media_id": UUID(media_id), "ordinal": 0, "canonical_text": "", "canonical_version": 1}
        html = "<p>x</p><script>alert(1)</script>"
        tx.execute(tables.fragments.insert().values(id=uuid4(), html_sanitized=html, created_at=utc_now(), **row))
    set_status(saving, media_id, "ready_for_reading")
    answer = await ann.get(f"/media/{media_id}/fragments")
    assert answer.status == 500
    assert b"script" not in answer.body


async def test_answers_for_one_person_are_kept_by_no_cache_in_between(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    media_id = (await submit(ann, origin.url("/a"))).data["id"]
    for path in (f"/media/{media_id}", f"/api/v1/media/{media_id}"):
        assert (await ann.get(path)).headers["Cache-Control"] == "no-store"


def set_status(saving: RunningKept, media_id: str, state: str) -> None:
    with writing(saving.kept.database) as tx:
        chosen = tables.media.c.id == UUID(media_id)
        tx.execute(update(tables.media).where(chosen).values(processing_status=state))


# --- specification 002 §6: retry -------------------------------------------------------------------------------------


@pytest.mark.requirement("002", "§6 manual retry", "§12 retry never makes a new media")
@pytest.mark.requirement("differs", "002 §6: a retry increments `processing_attempts` → the worker does")
@pytest.mark.parametrize("state", [ProcessingStatus.FAILED, ProcessingStatus.BLOCKED])
async def test_a_retry_starts_extracting_with_a_fresh_count_on_the_same_media(
    saving: RunningKept, ann: Person, origin: Origin, state: ProcessingStatus
) -> None:
    media_id = (await submit(ann, origin.url("/a"))).data["id"]
    fail(saving.kept.database, media_id, FailureCode.FETCH_FAILED, status=state)
    answer = await ann.post(f"/api/v1/media/{media_id}/retry")
    assert (answer.status, answer.data["id"], answer.data["processing_status"]) == (202, media_id, "extracting")
    # what failed before is history
    assert [answer.data[name] for name in ("failure_code", "failure_message", "failure_stage")] == [None] * 3
    assert (answer.data["enrichment_status"], answer.data["enrichment_error"]) == ("pending", None)
    assert jobs_of(saving, media_id) == [("ingest", 0)]
    assert count(saving, tables.media) == 1
    again = await ann.post(f"/api/v1/media/{media_id}/retry")
    assert (again.status, again.error_code) == (409, "E_CONFLICT")


@pytest.mark.requirement("002", "§6 manual retry")
@pytest.mark.requirement(
    "differs", "002 §6: a retry deletes the article → articles are never deleted; a new copy stands beside"
)
@pytest.mark.parametrize("state", ["pending", "extracting", "ready_for_reading", "invalid_url"])
async def test_there_is_nothing_to_retry_elsewhere(
    saving: RunningKept, ann: Person, origin: Origin, state: str
) -> None:
    media_id = (await submit(ann, origin.url("/a"))).data["id"]
    set_status(saving, media_id, state)
    before = jobs_of(saving, media_id)
    answer = await ann.post(f"/api/v1/media/{media_id}/retry")
    assert (answer.status, answer.error_code) == (409, "E_CONFLICT")
    assert jobs_of(saving, media_id) == before


# --- nobody learns of anybody else ------------------------------------------------------------------------------------


@pytest.mark.requirement("Kept", "nobody learns another person's submitted URL, redirects or saving time")
async def test_no_answer_tells_a_submitted_url_or_a_saving_time_of_another_person(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    origin.page("/page", article())
    secret = origin.redirect("/secret-of-ann", "/page")
    first = await ann.save(secret)
    media_id = first["media_id"]
    ingest(saving.kept.database, media_id, WORDS)
    await bob.post("/api/v1/items", {"url": origin.url("/page")})
    answers = [
        await bob.get(path)
        for path in (
            f"/media/{media_id}",
            f"/media/{media_id}/transitions",
            f"/media/{media_id}/fragments",
            "/api/v1/items",
        )
    ]
    told = b"".join(answer.body for answer in answers).decode()
    assert {answer.status for answer in answers} == {200}
    assert "secret-of-ann" not in told
    assert first["created_at"] not in told
    assert answers[0].data["kept_at"] is None
    assert {line["at"] for line in answers[1].data["transitions"]} == {None}
    assert (await ann.get(f"/media/{media_id}")).data["kept_at"] is not None


async def test_a_media_id_does_not_tell_when_it_was_made(saving: RunningKept, ann: Person, origin: Origin) -> None:
    media_id = UUID((await submit(ann, origin.url("/a"))).data["id"])
    assert media_id.version == 4  # a UUIDv7 begins with its time


async def test_who_saved_first_reads_when_each_step_was_taken(saving: RunningKept, ann: Person, origin: Origin) -> None:
    media_id = (await submit(ann, origin.url("/a"))).data["id"]
    ingest(saving.kept.database, media_id, WORDS)
    lines = (await ann.get(f"/media/{media_id}/transitions")).data["transitions"]
    assert [line["to_state"] for line in lines] == ["pending", "extracting", "ready_for_reading"]
    assert all(line["at"] for line in lines)
    assert lines[1]["details"] == {"attempt": 1, "http_status": 200, "redirects": 0, "fetch_ms": 12}


@pytest.mark.requirement("Kept", "nobody learns another person's submitted URL, redirects or saving time")
async def test_a_fresh_attempt_by_another_persons_save_has_no_time_but_ones_own_retry_has(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    database = saving.kept.database
    media_id = (await submit(ann, origin.url("/a"))).data["id"]
    fail(database, media_id, FailureCode.FETCH_FAILED)
    await submit(bob, origin.url("/a"))  # gives the failed page a fresh attempt, at the time of bob's save
    fail(database, media_id, FailureCode.FETCH_FAILED)
    assert (await ann.post(f"/media/{media_id}/retry")).status == 202
    lines = (await ann.get(f"/media/{media_id}/transitions")).data["transitions"]
    assert [bool(line["at"]) for line in lines] == [True, True, True, False, False, True]
    assert str(ann.user and ann.user.id) not in str(lines)


async def test_the_history_tells_only_what_is_on_its_list(saving: RunningKept, ann: Person, origin: Origin) -> None:
    media_id = (await submit(ann, origin.url("/a"))).data["id"]
    soon = (utc_now() + timedelta(seconds=2)).isoformat()
    with writing(saving.kept.database) as tx:
        row = {"id": uuid4(), "media_id": UUID(media_id), "sort_key": 2, "lifecycle": "processing"}
        line = {"from_state": "pending", "to_state": "extracting", "created_at": utc_now()}
        metadata = {"final_url": "https://secret.example/", "next_retry_at": soon, "attempt": 1}
        tx.execute(tables.transitions.insert().values(**row, **line, metadata=metadata))
    line = (await ann.get(f"/media/{media_id}/transitions")).data["transitions"][-1]
    assert line["details"] == {"attempt": 1}
    assert line["next_retry_at"] is not None
