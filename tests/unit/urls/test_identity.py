"""Whether a redirect still leads to the page that was saved."""

import pytest

from kept.urls.identity import keeps_identity
from kept.urls.url import get_url


@pytest.mark.parametrize(
    ("submitted", "final"),
    [
        ("http://example.com/a", "https://www.example.com/a"),
        ("https://t.example/x7", "https://news.example/2024/05/story"),
        ("https://example.com/a?utm=1", "https://example.com/a"),
        ("https://example.com/", "https://www.example.com/en/"),
        ("https://example.com/a", "https://example.com/how-to-login"),
        ("https://example.com/login", "https://www.example.com/login"),
        ("https://example.com/a", "https://example.com/blog/consent-in-design"),
        ("https://example.com/docs", "https://example.com/en/docs"),
        ("https://example.com/a", "https://login.com/a"),
        ("https://example.com/login", "https://example.com/login"),
    ],
)
def test_the_page_that_was_asked_for_keeps_its_identity(submitted: str, final: str) -> None:
    assert keeps_identity(get_url(submitted), get_url(final))


@pytest.mark.parametrize(
    ("submitted", "final"),
    [
        ("https://example.com/gone", "https://example.com/"),
        ("https://example.com/gone", "https://example.com/?from=gone"),
        ("https://example.com/gone", "https://www.example.com/index.html"),
        ("https://example.com/gone", "https://example.com/en-us/"),
        ("https://example.com/gone", "https://parked.example/"),
        ("https://example.com/a", "https://example.com/login?next=/a"),
        ("https://example.com/a", "https://example.com/users/sign_in"),
        ("https://example.com/a", "https://example.com/wp-login.php"),
        ("https://example.com/a", "https://login.example.com/"),
        ("https://example.com/a", "https://consent.example.com/m?continue=x"),
        ("https://example.com/a", "https://example.com/cookie-consent"),
        ("https://example.com/a", "https://example.com/cdn-cgi/challenge-platform/x"),
        ("https://example.com/a", "https://example.com/captcha"),
        ("https://example.com/a", "https://example.com/404.html"),
        ("https://example.com/a", "https://example.com/a/page-not-found"),
    ],
)
def test_a_wall_or_the_front_door_does_not_name_the_page(submitted: str, final: str) -> None:
    assert not keeps_identity(get_url(submitted), get_url(final))
