"""`<meta http-equiv=refresh>`: where a page sends its readers, found in its head in linear time."""

import time

import pytest

from kept.content.page.refresh import HEAD_BYTES, find_refresh, parse_refresh

pytestmark = pytest.mark.requirement("000", "a meta refresh is followed like a redirect")


def meta(content: str) -> bytes:
    return f'<!doctype html><head><meta http-equiv="refresh" content="{content}"></head>'.encode()


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0; url=/there", "/there"),
        ("0;URL='/there'", "/there"),
        ("5; url=https://example.org/a?b=1&amp;c=2", "https://example.org/a?b=1&c=2"),
        (" 3 , /there", "/there"),
        ("2.5;/there", "/there"),
        ("0; url = /a b", "/a b"),
        ("00000; url=/there", "/there"),
        ("0; url='/there' and more", "/there"),
    ],
)
def test_a_refresh_within_five_seconds_leads_on(content: str, target: str) -> None:
    assert find_refresh(meta(content)) == target


@pytest.mark.parametrize("content", ["300", "0", "", "6; url=/there", "5.5; url=/x", "x; url=/a", "0; url=", "-1;/x"])
def test_a_later_refresh_or_one_of_the_page_itself_leads_nowhere(content: str) -> None:
    assert find_refresh(meta(content)) is None


@pytest.mark.parametrize(
    "html",
    [
        b"<META HTTP-EQUIV=Refresh CONTENT=0;url=/there>",
        b"<meta content='0; url=/there' http-equiv='refresh' />",
        b"<p>text <meta\nhttp-equiv = refresh\ncontent = '0;url=/there'>",
        b"<title>a <b</title><meta http-equiv=refresh content='0;url=/there'>",
        b"<!-- <meta> --><script>if (a<b) x()</script><meta http-equiv=refresh content='0;url=/there'>",
        b'<div title="a > b"><meta http-equiv=refresh content="0;url=/there">',
    ],
)
def test_it_is_found_however_it_is_written(html: bytes) -> None:
    assert find_refresh(html) == "/there"


@pytest.mark.parametrize(
    "html",
    [
        b"",
        b"<meta http-equiv=refresh>",
        b"<meta name=refresh content='0;url=/there'>",
        b"<!-- <meta http-equiv=refresh content='0;url=/there'> -->",
        b"<noscript><meta http-equiv=refresh content='0;url=/there'></noscript>",
        b"<script>'<meta http-equiv=refresh content=\"0;url=/there\">'</script>",
        b"<textarea><meta http-equiv=refresh content='0;url=/there'></textarea>",
        b"<template><meta http-equiv=refresh content='0;url=/there'></template>",
        b"<div title='<meta http-equiv=refresh content=0;url=/there>'>",
        b"<metadata http-equiv=refresh content='0;url=/there'>",
        b" " * HEAD_BYTES + b"<meta http-equiv=refresh content='0;url=/there'>",
    ],
)
def test_what_browsers_do_not_follow_is_not_followed(html: bytes) -> None:
    assert find_refresh(html) is None


def test_bytes_that_are_no_utf8_stay_the_bytes_they_are() -> None:
    assert find_refresh(b"<meta http-equiv=refresh content='0;url=/caf\xe9'>") == "/caf\udce9"


def test_numbers_and_references_without_end_raise_nothing() -> None:
    assert parse_refresh("9" * 100_000 + "; url=/x") is None
    assert find_refresh(meta("0; url=/&#" + "9" * 10_000 + ";")) is not None


@pytest.mark.parametrize(
    "piece",
    [b"<", b"<!--", b"<p ", b"<meta ", b"<meta a='", b"<script>", b"</", b"<a =", b"<meta content=", b"<a>", b"\0"],
)
def test_the_worst_head_takes_no_longer_than_a_plain_one(piece: bytes) -> None:
    started = time.perf_counter()
    for _ in range(20):
        find_refresh(piece * (HEAD_BYTES // len(piece)))
    assert (time.perf_counter() - started) / 20 < 0.25  # a few milliseconds; what is quadratic takes seconds
