"""Rows of an imported file survive the pipe with all they hold; what no child of ours would say does not."""

import json
from datetime import UTC, datetime

import pytest

from kept.content.import_formats.prepare_rows import PreparedLink, PreparedRow
from kept.domain.highlight import NewHighlight, Quote
from kept.domain.imported import ImportedCapture, ImportedCopy, ImportedImage, ImportedNumbers
from kept.domain.importing import ImportedRow, RowOutcome
from kept.domain.item import ReadingState, UserFields
from kept.subprocesses.codec import checked
from kept.subprocesses.frames import Frame, FrameError
from kept.subprocesses.imports import parse_rows
from kept.subprocesses.workers import encode_row, encode_rows
from kept.urls.given import UrlNotice
from kept.urls.url import get_url

MOMENT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
COPY = ImportedCopy(
    "key",
    None,
    "",
    {"title": "Über Brücken", "fetched_at": MOMENT, "day": "2026-01-02T03:04:00+00:00", "lang": None},
    (ImportedImage("https://a.example/i.png", "i.png"),),
    ImportedImage("https://a.example/s.png"),
    (ImportedCapture("html", "page.html"),),
)
LINK = PreparedLink(
    3,
    get_url("https://a.example/ä"),
    "https://a.example/ä",
    UserFields(title="Brücken ✓"),
    ReadingState(),
    MOMENT,
    "Library",
    b"\xff\x00page",
    MOMENT,
    True,
    COPY,
    (UrlNotice.CREDENTIALS_REMOVED,),
    (NewHighlight(Quote("quote", "before", "after"), created_at=MOMENT),),
    numbers=ImportedNumbers(9, 4, (("tag", 2),)),
)
ROWS: list[PreparedRow] = [LINK, ImportedRow(4, None, RowOutcome.REJECTED, "No URL.")]


def test_rows_arrive_as_they_were_sent() -> None:
    frame = encode_rows([encode_row(row) for row in ROWS], is_over=True)
    assert parse_rows(Frame(json.loads(json.dumps(frame.header)), frame.body)) == (ROWS, True)


@pytest.mark.parametrize("changed", [{"url": "javascript:alert(1)"}, {"fields": {"title": 5}}, {"added_at": "soon"}])
def test_a_row_that_makes_no_sense_is_refused(changed: dict[str, object]) -> None:
    row = json.dumps({**json.loads(encode_row(LINK)[0]), **changed}).encode()
    with pytest.raises(FrameError):
        checked(parse_rows)(encode_rows([(row, b"")], is_over=False))
