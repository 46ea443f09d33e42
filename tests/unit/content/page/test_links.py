import pytest

from kept.content.article.image_sources import best_candidate
from kept.content.page.links import page_base, resolve_http, resolve_link

BASE = "https://site.example/a/b?q=1#top"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("/x", "https://site.example/x"),
        ("x y", "https://site.example/a/x%20y"),
        ("?p=2", "https://site.example/a/b?p=2"),
        ("//other.example/é", "https://other.example/%C3%A9"),
        (r"\\other.example\x", "https://other.example/x"),
        (r"/x?a=\b", "https://site.example/x?a=%5Cb"),
        (" \thttps://o\nther.example/ ", "https://other.example/"),
        ("HTTPS://Other.example", "https://Other.example"),
        ("https:///other.example/x", "https://other.example/x"),
        ("http://пример.example/ж", "http://пример.example/%D0%B6"),
        ("http://[2001:db8::1]:8080/x", "http://[2001:db8::1]:8080/x"),
        ("/a%20b%zz", "https://site.example/a%20b%zz"),
        ('/"<>`', "https://site.example/%22%3C%3E%60"),
        ("", None),
        ("https://", None),
        ("https://[::1", None),
        ("https://a b/", None),
        ("https://a.example:999999/", None),
        ("javascript:alert(1)", None),
        ("java\nscript:alert(1)", None),
        ("\x01javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("x" * 9000, None),
    ],
)
def test_an_address_means_what_a_browser_takes_it_to_mean(written: str, meant: str | None) -> None:
    assert resolve_http(written, BASE) == meant


def test_resolving_twice_changes_nothing() -> None:
    once = resolve_http('/a b/é?"<#>', BASE)
    assert resolve_http(once, "https://elsewhere.example/") == once


def test_only_links_may_be_mail_addresses() -> None:
    assert resolve_link("MAILTO:a b@c.example?subject=x", BASE) == "mailto:a%20b@c.example?subject=x"
    assert resolve_http("mailto:a@c.example", BASE) is None


def test_a_base_element_counts_if_it_is_usable() -> None:
    assert page_base("https://site.example/a/b", "../c/") == "https://site.example/c/"
    assert page_base("https://site.example/a/b", "javascript:x") == "https://site.example/a/b"
    assert page_base("https://site.example/a/b", None) == "https://site.example/a/b"


@pytest.mark.parametrize(
    ("srcset", "best"),
    [
        ("a.jpg 1x, b.jpg 2x", "b.jpg"),
        ("a.jpg 320w,b.jpg 640w, c.jpg 4000w", "b.jpg"),
        ("c.jpg 4000w, d.jpg 9000w", "c.jpg"),
        (
            "https://i.example/w_300,h_2/a.jpg 300w, https://i.example/w_600,h_2/b.jpg 600w",
            "https://i.example/w_600,h_2/b.jpg",
        ),
        ("a.jpg", "a.jpg"),
        ("a.jpg, b.jpg 2x", "b.jpg"),
        ("data:image/gif;base64,AAAA 3x, b.jpg 2x", "b.jpg"),
        ("a.jpg 100w 50h, b.jpg 200w 100h", "b.jpg"),
        ("a.jpg nonsense, b.jpg", "a.jpg"),
        (" , ,", None),
        ("", None),
        (None, None),
    ],
)
def test_the_best_candidate_is_the_widest_a_reader_can_show(srcset: str | None, best: str | None) -> None:
    assert best_candidate(srcset) == best
