"""How long a site asks us to stay away."""

from datetime import UTC, datetime

import pytest

from kept.fetch.outcome import find_retry_after_seconds

NOW = datetime(2024, 5, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "120"}, 120),
        ({"retry-after": " 0 "}, 0),
        ({"retry-after": "86400"}, 600),
        ({"retry-after": "9" * 400}, 600),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "٣"}, None),
        ({"retry-after": "Wed, 01 May 2024 12:01:00 GMT"}, 60),
        ({"retry-after": "Wed, 01 May 2024 11:00:00 GMT"}, 0),
        ({"retry-after": "Wed, 01 May 2024 23:00:00 GMT"}, 600),
        (
            {"retry-after": "Wed, 01 May 2024 08:00:30 GMT", "date": "Wed, 01 May 2024 08:00:00 GMT"},
            30,
        ),
        ({"retry-after": "Wed, 99 Foo 2024"}, None),
    ],
)
def test_retry_after_is_read_and_bounded(headers: dict[str, str], seconds: float | None) -> None:
    assert find_retry_after_seconds(headers, NOW) == seconds
