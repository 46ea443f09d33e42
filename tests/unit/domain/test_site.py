"""The name of a site."""

from kept.domain.item import host_of


def test_a_host_is_shown_without_www_and_a_broken_url_has_none() -> None:
    assert [host_of(url) for url in ("https://www.example.org/a", "http://[", "mailto:ann@example.org")] == [
        "example.org",
        "",
        "",
    ]
