"""Text to URL: what is accepted, in which spelling, and what is turned away."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kept.urls.url import (
    NormalisedUrl,
    OtherSchemeUrl,
    RejectedUrl,
    UrlRejection,
    get_url,
    join_url,
    parse_url,
)


@pytest.mark.requirement("002", "§3 normalisation of URLs")
@pytest.mark.parametrize(
    ("text", "normalised"),
    [
        ("https://example.com/a", "https://example.com/a"),
        ("  https://example.com/a\n", "https://example.com/a"),
        ("\ufeffhttps://example.com/a\u200b", "https://example.com/a"),
        ("example.com", "https://example.com/"),
        ("//example.com/a", "https://example.com/a"),
        ("example.com:8080/x?y#z", "https://example.com:8080/x?y"),
        ("localhost:8000", "https://localhost:8000/"),
        ("nas:8080/films", "https://nas:8080/films"),
        ("http://nas/", "http://nas/"),
        ("HTTP://EXAMPLE.Com:80/Path?Q=1#top", "http://example.com/Path?Q=1"),
        ("https://example.com:443", "https://example.com/"),
        ("https://example.com:80/", "https://example.com:80/"),
        ("http://example.com:/", "http://example.com/"),
        ("http://example.com./", "http://example.com/"),
        ("https://example.com?", "https://example.com/?"),
        ("https://example.com/?utm_source=a&b=%20c", "https://example.com/?utm_source=a&b=%20c"),
        ("https://example.com/a/./b/../c/%2e%2E/d/..", "https://example.com/a/"),
        ("https://example.com/../..", "https://example.com/"),
        ("https://example.com//a//", "https://example.com//a//"),
        ("https://example.com/ä?ö=ü", "https://example.com/%C3%A4?%C3%B6=%C3%BC"),
        ('https://example.com/{"a"}?\'<b>', "https://example.com/%7B%22a%22%7D?%27%3Cb%3E"),
        ("https://example.com/%2F%zz", "https://example.com/%2F%zz"),
        ("https://example.com/%7euser/%41%2d%5F%2E?%7E", "https://example.com/~user/A-_.?~"),
        ("https://example.com/caf%c3%a9?q=%2f%c3", "https://example.com/caf%C3%A9?q=%2F%C3"),
        ("https://example.com/%252e%2525", "https://example.com/%252e%2525"),
        ("https://example.com/%%37E/%4%31", "https://example.com/%%37E/%4%31"),
        ("https://example.com/a b?c d", "https://example.com/a%20b?c%20d"),
        ("https://example.com/a\u00a0b", "https://example.com/a%C2%A0b"),
        ("https://example.com/a#b c", "https://example.com/a"),
        ("https://example.com/#/guide/a", "https://example.com/#/guide/a"),
        ("https://example.com/app?x#!topic/Ä b", "https://example.com/app?x#!topic/%C3%84%20b"),
        ("https://example.com/#/guide:~:text=word", "https://example.com/#/guide"),
        ("https://example.com/#/", "https://example.com/"),
        ("https://example.com/#!", "https://example.com/"),
        ("https://example.com/#!/", "https://example.com/"),
        ("https://example.com/a@b:c", "https://example.com/a@b:c"),
        ("https://Bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://faß.example/", "https://xn--fa-hia.example/"),
        ("https://例え。テスト/", "https://xn--r8jz45g.xn--zckzah/"),
        ("https://i❤.example/", "https://xn--i-7iq.example/"),
        ("https://my_site.example/", "https://my_site.example/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://0177.0.0.1/", "http://127.0.0.1/"),
        ("http://127.0.0.1./", "http://127.0.0.1/"),
        ("http://１２７。０。０。１/", "http://127.0.0.1/"),
        ("http://①②⑦.⓪.⓪.①/", "http://127.0.0.1/"),
        ("http://0x/", "http://0.0.0.0/"),
        ("http://[::FFFF:127.0.0.1]:8080/", "http://[::ffff:7f00:1]:8080/"),
        ("http://[0:0::1]/", "http://[::1]/"),
        ("https://example.com/#\\backslash", "https://example.com/"),
    ],
)
def test_a_web_address_has_one_spelling(text: str, normalised: str) -> None:
    url = parse_url(text)
    assert str(url) == normalised
    assert parse_url(str(url)) == url


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", UrlRejection.EMPTY),
        (" \t\n", UrlRejection.EMPTY),
        ("https://example.com/" + "a" * 2048, UrlRejection.TOO_LONG),
        ("https://example.com/" + "ä" * 400, UrlRejection.TOO_LONG),
        ("https://exam\nple.com/", UrlRejection.CONTROL_CHARACTER),
        ("https://example.com/\x00", UrlRejection.CONTROL_CHARACTER),
        ("https://example.com/\x85x", UrlRejection.CONTROL_CHARACTER),
        ("https://example.com/\ud800", UrlRejection.CONTROL_CHARACTER),
        ("https://exa mple.com/", UrlRejection.SPACE),
        ("https://example.com\u00a0/", UrlRejection.SPACE),
        ("not a link", UrlRejection.SPACE),
        ("Remember: buy milk", UrlRejection.SPACE),
        ("see https://example.com/", UrlRejection.SPACE),
        ("https://example.com\\@127.0.0.1/", UrlRejection.BACKSLASH),
        ("https://user@example.com/", UrlRejection.CREDENTIALS),
        ("https://user:secret@example.com/", UrlRejection.CREDENTIALS),
        ("https://@example.com/", UrlRejection.CREDENTIALS),
        ("https://127.0.0.1%2f.example.com/", UrlRejection.PERCENT_IN_HOST),
        ("http://[fe80::1%25eth0]/", UrlRejection.PERCENT_IN_HOST),
        ("https:///path", UrlRejection.BAD_HOST),
        ("https://a..b/", UrlRejection.BAD_HOST),
        ("https://.example.com/", UrlRejection.BAD_HOST),
        ("https://exa$mple.com/", UrlRejection.BAD_HOST),
        ("https://\u2100.example/", UrlRejection.BAD_HOST),
        (f"https://{'a' * 64}.example/", UrlRejection.BAD_HOST),
        (f"https://{'a.' * 127}example/", UrlRejection.BAD_HOST),
        ("http://256.1.1.1/", UrlRejection.BAD_HOST),
        ("http://1.2.3.4.5/", UrlRejection.BAD_HOST),
        ("http://127.0.0.09/", UrlRejection.BAD_HOST),
        ("http://4294967296/", UrlRejection.BAD_HOST),
        ("http://[127.0.0.1]/", UrlRejection.BAD_HOST),
        ("http://[::1/", UrlRejection.BAD_HOST),
        ("http://::1/", UrlRejection.BAD_PORT),
        ("http://example.com:0/", UrlRejection.BAD_PORT),
        ("http://example.com:65536/", UrlRejection.BAD_PORT),
        ("http://example.com:８０/", UrlRejection.BAD_PORT),
        ("http://example.com:80:80/", UrlRejection.BAD_PORT),
        ("http:example.com", UrlRejection.MALFORMED),
        ("http:/example.com", UrlRejection.MALFORMED),
        ("hello", UrlRejection.MALFORMED),
        ("foo:", UrlRejection.MALFORMED),
    ],
)
def test_what_is_no_address_is_rejected_with_a_reason(text: str, reason: UrlRejection) -> None:
    assert parse_url(text) == RejectedUrl(reason)


@pytest.mark.parametrize(
    ("text", "scheme"),
    [
        ("mailto:a@example.com", "mailto"),
        ("JavaScript:alert(1)", "javascript"),
        ("ftp://example.com/file", "ftp"),
        ("file:///etc/passwd", "file"),
        ("tel:911", "tel"),
        ("data:text/html,x", "data"),
    ],
)
def test_another_scheme_is_told_apart_from_garbage(text: str, scheme: str) -> None:
    assert parse_url(text) == OtherSchemeUrl(scheme, text)


def test_the_parts_of_a_url_are_at_hand() -> None:
    url = get_url("http://[2001:DB8::1]:8080/a?b")
    assert (url.scheme, url.host, url.port, url.path, url.query) == ("http", "2001:db8::1", 8080, "/a", "b")
    assert str(url.address) == "2001:db8::1"
    assert url.origin == "http://[2001:db8::1]:8080"
    assert get_url("https://example.com/").address is None


def test_nobody_else_can_make_a_normalised_url() -> None:
    with pytest.raises(TypeError):
        NormalisedUrl("file:///etc/passwd", "file", "", 0, "/etc/passwd", None, None, None)


def test_a_url_can_be_copied_and_sent_to_another_process() -> None:
    url = get_url("https://example.com/a")
    assert copy.deepcopy(url) == url == pickle.loads(pickle.dumps(url))


def test_get_url_raises_for_what_was_never_normalised() -> None:
    with pytest.raises(ValueError, match="mailto"):
        get_url("mailto:a@example.com")


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("/x", "https://example.com:8443/x"),
        ("x?y", "https://example.com:8443/a/x?y"),
        ("../x", "https://example.com:8443/x"),
        ("?y", "https://example.com:8443/a/b?y"),
        ("#z", "https://example.com:8443/a/b?q"),
        ("", "https://example.com:8443/a/b?q"),
        ("//other.example/x", "https://other.example/x"),
        ("http://other.example", "http://other.example/"),
        (" /with space?and more ", "https://example.com:8443/with%20space?and%20more"),
        ("/caf\udce9", "https://example.com:8443/caf%E9"),
        ("/ä", "https://example.com:8443/%C3%A4"),
    ],
)
def test_a_redirect_is_joined_as_a_browser_would(reference: str, target: str) -> None:
    assert str(join_url(get_url("https://example.com:8443/a/b?q"), reference)) == target


@pytest.mark.parametrize(
    ("reference", "rejected"),
    [
        ("/\\evil.example", RejectedUrl(UrlRejection.BACKSLASH)),
        ("/a\tb", RejectedUrl(UrlRejection.CONTROL_CHARACTER)),
        ("http:/evil.example", RejectedUrl(UrlRejection.MALFORMED)),
        ("//user@evil.example", RejectedUrl(UrlRejection.CREDENTIALS)),
        ("http://a b.example/", RejectedUrl(UrlRejection.PERCENT_IN_HOST)),
        ("file:///etc/passwd", OtherSchemeUrl("file", "file:///etc/passwd")),
        ("evil:80/x", OtherSchemeUrl("evil", "evil:80/x")),
    ],
)
def test_a_redirect_gets_no_more_trust_than_a_person(reference: str, rejected: RejectedUrl | OtherSchemeUrl) -> None:
    assert join_url(get_url("https://example.com/"), reference) == rejected


url_like = st.text(alphabet=st.sampled_from("htps:/.@%\\#?[]0x1278aZäß１。①\u200d\ud800 \t-_"), max_size=40) | st.text(
    max_size=60
)


@given(st.sampled_from(["", "http://", "https://", "//"]), url_like)
def test_parsing_is_total_and_a_second_time_changes_nothing(prefix: str, text: str) -> None:
    url = parse_url(prefix + text)
    if isinstance(url, NormalisedUrl):
        assert str(url).isascii()
        assert len(str(url)) <= 2048
        assert parse_url(str(url)) == url


@given(url_like)
def test_joining_is_total_and_gives_normalised_urls(reference: str) -> None:
    url = join_url(get_url("https://example.com/a/b"), reference)
    if isinstance(url, NormalisedUrl):
        assert parse_url(str(url)) == url


# --- no two different resources have one spelling ---------------------------------------------------------------------

UNRESERVED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
escaped = st.integers(0, 255).flatmap(lambda byte: st.sampled_from([f"%{byte:02x}", f"%{byte:02X}"]))
rest_of_url = st.lists(escaped | st.sampled_from("aZ9-._~%!$&'()*+,;=:@"), max_size=12).map("".join)


def meaning_of(text: str) -> list[tuple[str, str]]:
    """What RFC 3986 lets a server tell apart: an unreserved character is the same escaped or not (section 2.3), the
    digits of an escape have no case (6.2.2.1), and everything else differs."""
    read, at = [], 0
    while at < len(text):
        digits = text[at + 1 : at + 3]
        if text[at] == "%" and len(digits) == 2 and all(digit in "0123456789abcdefABCDEF" for digit in digits):
            character, at = chr(int(digits, 16)), at + 3
            read.append(("plain", character) if character in UNRESERVED else ("escaped", character))
        else:
            read.append(("plain", text[at]))
            at += 1
    return read


@pytest.mark.requirement("002", "§3 normalisation of URLs")
@given(st.lists(rest_of_url.filter(lambda text: "." not in text and "2e" not in text.lower()), max_size=3), rest_of_url)
def test_what_a_server_may_tell_apart_keeps_different_spellings(segments: list[str], query: str) -> None:
    url = parse_url(f"https://example.com/{'/'.join(segments)}?{query}")
    assert isinstance(url, NormalisedUrl)
    # the spelling means what was given: so two URLs with one spelling mean the same
    assert meaning_of(url.path) == meaning_of(f"/{'/'.join(segments)}")
    assert meaning_of((url.query or "").replace("%27", "'")) == meaning_of(query.replace("%27", "'"))
    assert parse_url(str(url)) == url


@pytest.mark.parametrize(
    "texts",
    [
        ("https://example.com/a%2Fb", "https://example.com/a/b"),
        ("https://example.com/a?b%26c", "https://example.com/a?b&c"),
        ("https://example.com/a?b+c", "https://example.com/a?b%2Bc", "https://example.com/a?b%20c"),
        ("https://example.com/%2525", "https://example.com/%25"),
        ("https://example.com/A", "https://example.com/a"),
        ("https://example.com/a", "https://example.com/a/", "https://example.com/a?", "https://example.com/a?b"),
        ("https://example.com/", "https://example.com/#/a", "https://example.com/#/b", "https://example.com/#!a"),
    ],
)
def test_different_pages_stay_different(texts: tuple[str, ...]) -> None:
    assert len({str(parse_url(text)) for text in texts}) == len(texts)


def test_a_place_on_a_page_is_no_page_of_its_own() -> None:
    assert get_url("https://example.com/a#top").route is None
    assert get_url("https://example.com/a#top") == get_url("https://example.com/a")
    assert get_url("https://example.com/#/a").route == "/a"


def test_a_redirect_takes_the_route_along() -> None:
    """As browsers do, unless the redirect names a fragment of its own."""
    saved = get_url("https://example.com/#/a")
    moved = join_url(saved, "https://app.example/x")
    assert isinstance(moved, NormalisedUrl)
    assert str(moved) == "https://app.example/x#/a"
    assert str(join_url(saved, "/y#/b")) == "https://example.com/y#/b"
    assert str(join_url(saved, "/y#top")) == "https://example.com/y"
