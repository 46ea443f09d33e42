"""Notices count what was done, and say of how many pages it was not and why."""

from uuid import UUID

import pytest

from kept.domain.item import BulkResult
from kept.web.notices import make_notice, make_result_notice, query_of

ONE, TWO = UUID(int=1), UUID(int=2)


@pytest.mark.parametrize(
    ("done", "result", "text"),
    [
        ("archive", BulkResult((ONE,)), "1 page archived."),
        ("archive", BulkResult((ONE, TWO), 1), "2 pages archived. 1 page: archived already."),
        ("tag", BulkResult((), 2), "2 pages: tagged so already."),
        ("tag", BulkResult((ONE,), 0, 1), "1 page tagged. 1 page: can't be changed: gone, or not yours to change."),
        ("retry", BulkResult((), 0, 3), "3 pages: can't be retried: only pages that failed can."),
        ("saved", BulkResult(), "Changes saved."),
    ],
)
def test_a_notice_says_what_was_done_and_what_was_not(done: str, result: BulkResult, text: str) -> None:
    notice = make_result_notice(done, result)
    assert notice is not None
    assert notice.text == text


def test_the_url_of_a_notice_carries_numbers_and_no_text() -> None:
    assert query_of("archive", BulkResult((ONE,), 1, 0, TWO)) == {
        "done": "archive",
        "number": 1,
        "unchanged": 1,
        "refused": None,
        "undo": TWO,
    }
    assert query_of("saved", BulkResult()) == {"done": "saved"}


def test_an_unknown_name_is_no_notice() -> None:
    assert make_notice("<script>") is None
