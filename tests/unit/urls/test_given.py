"""A URL as a person gives it: what is kept of it, what it means, and what is never kept."""

import pytest

from kept.urls.given import GivenUrl, UrlNotice, parse_given_url
from kept.urls.url import OtherSchemeUrl, RejectedUrl, UrlRejection


def get_given(text: str) -> GivenUrl:
    given = parse_given_url(text)
    assert isinstance(given, GivenUrl)
    return given


@pytest.mark.parametrize(
    ("text", "kept", "identity"),
    [
        ("https://example.com/a#part-2", "https://example.com/a#part-2", "https://example.com/a"),
        ("https://Example.COM:443/%7Eann?b#C", "https://Example.COM:443/%7Eann?b#C", "https://example.com/~ann?b"),
        ("  https://example.com/a#b\n", "https://example.com/a#b", "https://example.com/a"),
        ("HTTPS://example.com/A", "https://example.com/A", "https://example.com/A"),
        ("example.com/a#b", "https://example.com/a#b", "https://example.com/a"),
        ("//example.com/a#b", "https://example.com/a#b", "https://example.com/a"),
        ("https://example.com/a b#c d", "https://example.com/a%20b#c%20d", "https://example.com/a%20b"),
        (
            "https://b\u00fccher.example/\u00e4#\u00f6",
            "https://b\u00fccher.example/\u00e4#\u00f6",
            "https://xn--bcher-kva.example/%C3%A4",
        ),
        ("https://example.com/#/guide", "https://example.com/#/guide", "https://example.com/#/guide"),
        ("https://example.com/a#:~:text=word", "https://example.com/a#:~:text=word", "https://example.com/a"),
    ],
)
def test_a_url_is_kept_as_it_was_given_and_known_by_its_one_spelling(text: str, kept: str, identity: str) -> None:
    given = get_given(text)
    assert (given.text, str(given.url), given.notices) == (kept, identity, ())


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("https://ann:secret@example.com/a#b", "https://example.com/a#b"),
        ("https://ann@example.com/a", "https://example.com/a"),
        ("https://ann:se@cret@example.com/", "https://example.com/"),
        ("//ann:secret@example.com/", "https://example.com/"),
        ("ann:secret@example.com/a", "https://example.com/a"),
        ("ann:secret@example.com:8080", "https://example.com:8080"),
        ("ftp://ann:secret@example.com/file", "ftp://example.com/file"),
    ],
)
def test_a_user_name_and_a_password_are_removed_and_it_is_said(text: str, kept: str) -> None:
    given = get_given(text)
    assert (given.text, given.notices) == (kept, (UrlNotice.CREDENTIALS_REMOVED,))
    assert "secret" not in repr(given)
    assert "cret@" not in repr(given)


@pytest.mark.parametrize("text", ["mailto:ann@example.com", "sip:ann@example.com", "ssh://git@example.com/kept"])
def test_an_at_sign_that_is_no_password_stays(text: str) -> None:
    given = get_given(text)
    assert isinstance(given.url, OtherSchemeUrl)
    assert (given.text, given.notices) == (text, ())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ann@example.com", UrlRejection.CREDENTIALS),
        ("https://ann:secret@", UrlRejection.BAD_HOST),
        ("https://example.com\\@evil.example/", UrlRejection.BACKSLASH),
        ("https://example.com/" + "a" * 1_000_000, UrlRejection.TOO_LONG),
        ("https://" + "@" * 1_000_000, UrlRejection.TOO_LONG),
        ("not a link", UrlRejection.SPACE),
    ],
)
def test_what_cannot_be_opened_is_rejected(text: str, reason: UrlRejection) -> None:
    assert parse_given_url(text) == RejectedUrl(reason)
