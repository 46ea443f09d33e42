import time

from kept.api.middleware import keep_own_cookies


def test_our_cookies_are_kept_and_those_of_other_sites_are_not() -> None:
    sent = [(b"host", b"localhost"), (b"cookie", b'a="b\\"c"; kept_session=Abc-_1; __Host-kept_session=x; q')]
    expected = [(b"host", b"localhost"), (b"cookie", b"kept_session=Abc-_1; __Host-kept_session=x")]
    assert keep_own_cookies(sent) == expected


def test_several_headers_are_read_together_and_the_last_value_counts() -> None:
    sent = [(b"cookie", b"kept_session=first"), (b"accept", b"*/*"), (b"cookie", b"kept_session=second")]
    assert keep_own_cookies(sent) == [(b"accept", b"*/*"), (b"cookie", b"kept_session=second")]


def test_a_value_we_would_not_have_set_is_left_out() -> None:
    for value in (b'"x"', b"a b", b"", b"x" * 201, b"\xff", b"a,b"):
        assert keep_own_cookies([(b"cookie", b"kept_session=" + value)]) == []


def test_a_megabyte_of_any_characters_takes_a_moment() -> None:
    for piece in (b";", b"=", b" ", b'\\"', b"kept_session=;", b"kept_session=x;"):
        started = time.perf_counter()
        keep_own_cookies([(b"cookie", piece * (1_000_000 // len(piece)))])
        assert time.perf_counter() - started < 5
