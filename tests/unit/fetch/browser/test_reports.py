"""What a browser process reports is checked before it is believed."""

from dataclasses import asdict

import pytest

from kept.fetch.browser.messages import Failed, Seen
from kept.fetch.browser.rendered import MAX_THUMBNAIL_BYTES, parse_report
from kept.fetch.outcome import FetchReason
from kept.subprocesses.frames import Frame, FrameError

SEEN = Seen("http://example.com/", 200, {"content-type": "text/html"}, "Título", 0, 12, 7, 640, 360)
FAILED = Failed(FetchReason.PAGE_CRASHED, "http://example.com/", "détail", 200, {"content-type": "text/html"})
WEBP = b"RIFF\0\0\0\0WEBPVP8 "


def test_a_report_arrives_as_it_was_sent_with_its_parts() -> None:
    assert parse_report(Frame(asdict(FAILED))) == (FAILED, b"")
    assert parse_report(Frame({**asdict(SEEN), "retire": False}, b"<p>text" + WEBP)) == (SEEN, b"<p>text" + WEBP)


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"kind": "os"},
        {**asdict(SEEN), "status": "many"},
        {**asdict(SEEN), "headers": {"content-type": 1}},
        {**asdict(SEEN), "final_url": None},
        {**asdict(FAILED), "reason": "boredom"},
        {"reason": "page_crashed"},
    ],
)
def test_nonsense_is_refused(header: dict[str, object]) -> None:
    with pytest.raises(FrameError):
        parse_report(Frame(header, b"<p>text"))


@pytest.mark.parametrize("html_bytes", [-1, 8])
def test_html_that_is_not_all_there_is_refused(html_bytes: int) -> None:
    with pytest.raises(FrameError):
        parse_report(Frame({**asdict(SEEN), "html_bytes": html_bytes}, b"<p>text"))


@pytest.mark.parametrize("thumbnail", [b"<svg>", WEBP + b"x" * MAX_THUMBNAIL_BYTES])
def test_a_thumbnail_that_is_none_of_ours_is_refused(thumbnail: bytes) -> None:
    with pytest.raises(FrameError):
        parse_report(Frame(asdict(SEEN), b"<p>text" + thumbnail))
