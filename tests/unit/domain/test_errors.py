"""What errors say, and which of them are outages."""

import errno

import pytest

from kept.domain.errors import NotFound, Unavailable, first_line, is_outage


def test_people_are_told_the_docstring_of_an_outage_and_the_log_its_reason() -> None:
    error = Unavailable("the server closed the connection")
    assert str(error) == "the server closed the connection"
    assert error.message.startswith("Kept can't reach")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (Unavailable(), True),
        (OSError(errno.ENOSPC, "no space left"), True),
        (OSError(errno.ENOENT, "no such file"), False),
        (NotFound(), False),
        (ValueError(), False),
    ],
)
def test_an_outage_is_what_another_try_may_put_right(error: Exception, *, expected: bool) -> None:
    assert is_outage(error) is expected


@pytest.mark.parametrize(
    ("error", "line"),
    [(ValueError("first\nsecond"), "first"), (TimeoutError(), "TimeoutError"), (OSError(""), "OSError")],
)
def test_the_first_line_of_an_error_is_never_empty(error: Exception, line: str) -> None:
    assert first_line(error) == line
