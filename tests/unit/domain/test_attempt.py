"""What a history row says of an attempt: written to JSON and read back in one place."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from kept.domain.attempt import NOTHING_TO_TELL, AttemptRecord, Failure, Via
from kept.domain.failures import FailureCode, FailureStage
from support.builders.values import minutes

numbers = st.none() | st.integers(min_value=0, max_value=10**6)
records = st.builds(
    AttemptRecord,
    code=st.none() | st.sampled_from(FailureCode).map(str),
    message=st.none() | st.text(min_size=1),
    attempt=numbers,
    http_status=numbers,
    redirects=numbers,
    fetch_ms=numbers,
    extract_ms=numbers,
    validation_reason=st.none() | st.text(min_size=1),
    reason=st.none() | st.just("read_timed_out"),
    via=st.none() | st.sampled_from(Via).map(str),
    found=st.none() | st.lists(st.sampled_from(["title", "excerpt", "image"])).map(tuple),
    page=st.none() | st.just("content"),
    next_retry_at=st.none() | st.floats(0, 1000).map(minutes),
    handed_to=st.none() | st.just("browser"),
    asked_by=st.none() | st.uuids(),
)


@given(records)
def test_a_record_comes_back_from_json_as_it_went(record: AttemptRecord) -> None:
    assert AttemptRecord.from_json(record.to_json()) == record


def test_nothing_to_tell_is_an_empty_object() -> None:
    assert NOTHING_TO_TELL.to_json() == {}


def test_json_holds_plain_values_only() -> None:
    record = AttemptRecord(
        code=FailureCode.FETCH_FAILED, via=Via.HTTP, found=("title",), next_retry_at=minutes(0), asked_by=UUID(int=1)
    )
    said = record.to_json()
    assert {name: type(value) for name, value in said.items()} == {
        "code": str,
        "via": str,
        "found": list,
        "next_retry_at": str,
        "asked_by": str,
    }


def test_names_of_other_versions_are_passed_over() -> None:
    assert AttemptRecord.from_json({"attempt": 2, "render_ms": 7, "message": None}) == AttemptRecord(attempt=2)


def test_a_failure_adds_its_code_and_message_to_the_facts() -> None:
    failure = Failure(FailureCode.FETCH_FAILED, "Away.", FailureStage.FETCH, facts=AttemptRecord(http_status=503))
    told = failure.as_record(attempt=2)
    assert (told.code, told.message, told.attempt, told.http_status) == ("E_FETCH_FAILED", "Away.", 2, 503)


def test_an_attempt_that_the_facts_name_is_not_counted_anew() -> None:
    failure = Failure(FailureCode.WORKER_LOST, "Lost.", FailureStage.EXTRACT, facts=AttemptRecord(attempt=3))
    assert failure.as_record(attempt=4).attempt == 3
