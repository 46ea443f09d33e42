import base64

import pytest

from kept.fetch.proxy_heads import parse_request, parse_response, rewrite_request, rewrite_response


def head(line: str, *headers: str) -> bytes:
    return "\r\n".join((line, *headers, "", "")).encode("latin-1")


@pytest.mark.parametrize(
    ("target", "host", "port"),
    [
        ("example.com:443", "example.com", 443),
        ("[2001:db8::1]:8443", "2001:db8::1", 8443),
        ("127.1:80", "127.0.0.1", 80),
        ("EXAMPLE.com.:443", "example.com", 443),
    ],
)
def test_a_tunnel_names_a_host_and_a_port(target: str, host: str, port: int) -> None:
    parsed = parse_request(head(f"CONNECT {target} HTTP/1.1"))

    assert parsed is not None
    assert (parsed.url.host, parsed.url.port, parsed.path) == (host, port, None)


def test_a_request_is_taken_apart_into_host_port_and_path() -> None:
    parsed = parse_request(head("GET http://Example.com:8080/a?b=%20c HTTP/1.1", "Accept: */*"))

    assert parsed is not None
    assert (parsed.url.host, parsed.url.port, parsed.path) == ("example.com", 8080, b"/a?b=%20c")


def test_a_url_without_a_path_asks_for_the_root() -> None:
    bare = parse_request(head("GET http://example.com HTTP/1.1"))
    queried = parse_request(head("GET http://example.com?q=1 HTTP/1.1"))

    assert bare is not None
    assert queried is not None
    assert (bare.path, queried.path) == (b"/", b"/?q=1")


@pytest.mark.parametrize(
    "raw",
    [
        head("GET / HTTP/1.1", "Host: example.com"),
        head("GET https://example.com/ HTTP/1.1"),
        head("GET ftp://example.com/ HTTP/1.1"),
        head("GET file:///etc/passwd HTTP/1.1"),
        head("GET http://user:password@example.com/ HTTP/1.1"),
        head("GET http://exa%6dple.com/ HTTP/1.1"),
        head("GET http:///path HTTP/1.1"),
        head("GET http://example.com/ HTTP/2.0"),
        head("GET  http://example.com/ HTTP/1.1"),
        head("GET http://example.com/ x HTTP/1.1"),
        head("CONNECT example.com HTTP/1.1"),
        head("CONNECT example.com:443/path HTTP/1.1"),
        head("CONNECT example.com:99999 HTTP/1.1"),
        head("CONNECT [::1%25lo]:80 HTTP/1.1"),
        head("GET http://example.com/ HTTP/1.1", "No colon"),
        head("GET http://example.com/ HTTP/1.1", " folded: line"),
        head("GET http://example.com/ HTTP/1.1", "Name : space"),
        head("GET http://example.com/ HTTP/1.1", "Bare: line\nfeed"),
        head(""),
    ],
)
def test_what_chromium_would_never_say_is_not_understood(raw: bytes) -> None:
    assert parse_request(raw) is None


def test_the_site_gets_one_request_in_origin_form_and_nothing_meant_for_the_proxy() -> None:
    parsed = parse_request(
        head(
            "GET http://example.com/a HTTP/1.1",
            "Host: elsewhere.example",
            "Proxy-Connection: keep-alive",
            "Proxy-Authorization: Basic c2VjcmV0",
            "Upgrade: websocket",
            "Accept: text/html",
        )
    )

    assert parsed is not None
    assert rewrite_request(parsed) == head(
        "GET /a HTTP/1.1", "Host: example.com", "Accept: text/html", "Connection: close"
    )


def test_the_browser_is_told_not_to_reuse_the_connection() -> None:
    response = parse_response(head("HTTP/1.1 200 OK", "Connection: keep-alive", "Keep-Alive: 5", "Server: x"))

    assert response is not None
    assert rewrite_response(response) == head("HTTP/1.1 200 OK", "Server: x", "Connection: close")


def test_an_interim_response_is_passed_on_as_such() -> None:
    hints = parse_response(head("HTTP/1.1 103 Early Hints", "Link: </a.css>"))

    assert hints is not None
    assert hints.is_interim
    assert rewrite_response(hints) == head("HTTP/1.1 103 Early Hints", "Link: </a.css>")


@pytest.mark.parametrize("line", ["HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "ICY 200 OK", "HTTP/3 200 OK", ""])
def test_what_is_no_http_answer_is_not_passed_on(line: str) -> None:
    assert parse_response(head(line)) is None


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ((), 0),
        (("Content-Length: 12",), 12),
        (("Content-Length: 12", "Content-Length: 12"), 12),
        (("Content-Length: 12", "Content-Length: 13"), None),
        (("Content-Length: +12",), None),
        (("Content-Length: 1, 2",), None),
        (("Transfer-Encoding: chunked",), None),
        (("Transfer-Encoding: chunked", "Content-Length: 12"), None),
    ],
)
def test_a_body_is_sent_on_only_if_its_length_is_beyond_doubt(headers: tuple[str, ...], expected: int | None) -> None:
    parsed = parse_request(head("POST http://example.com/ HTTP/1.1", *headers))

    assert parsed is not None
    assert parsed.body_length == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Basic " + base64.b64encode(b"user:pa:ss").decode(), ("user", "pa:ss")),
        ("basic " + base64.b64encode(b"user:").decode(), ("user", "")),
        ("Basic " + base64.b64encode(b"nothing").decode(), None),
        ("Basic %%%", None),
        ("Basic " + base64.b64encode(b"\xff:\xff").decode(), None),
        ("Bearer token", None),
    ],
)
def test_credentials_are_read_from_the_basic_scheme_only(value: str, expected: tuple[str, str] | None) -> None:
    parsed = parse_request(head("CONNECT example.com:443 HTTP/1.1", f"Proxy-Authorization: {value}"))

    assert parsed is not None
    assert parsed.credentials == expected
