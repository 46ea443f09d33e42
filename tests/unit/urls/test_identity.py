"""Whether a redirect still leads to the page that was saved."""

import pytest

from kept.urls.identity import keeps_identity, leads_home
from kept.urls.url import get_url

pytestmark = pytest.mark.requirement("000", "a redirect to the front page is not the saved page")


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


@pytest.mark.parametrize(
    ("submitted", "final"),
    [
        ("https://example.com/gone", "https://example.com/"),
        ("http://example.com/gone", "https://www.example.com/"),
        ("https://www.example.com/2020/01/gone.html", "https://example.com/index.html"),
        ("https://example.com/gone", "https://example.com/en/"),
        ("https://example.com/de/gone", "https://example.com/de-at"),
        ("https://example.com/gone", "https://example.com/?from=gone"),
        ("https://blog.example.com/gone", "https://example.com/"),
        ("https://example.com/shop/gone", "https://shop.example.com/"),
    ],
)
def test_a_deep_page_that_leads_to_its_sites_front_page_leads_home(submitted: str, final: str) -> None:
    assert leads_home(get_url(submitted), get_url(final))


@pytest.mark.parametrize(
    ("submitted", "final"),
    [
        ("https://example.com/", "https://example.com/en/"),
        ("https://example.com/en/", "https://example.com/"),
        ("https://example.com/?utm_source=mail", "https://example.com/"),
        ("https://example.com/index.html", "https://www.example.com/"),
        ("https://example.com/a", "https://example.com/b"),
        ("https://example.com/a", "https://example.com/en/a"),
        ("https://t.example/x7", "https://product.example/"),
        ("https://ann.github.example/a", "https://bob.github.example/"),
        ("https://notexample.com/a", "https://example.com/"),
        ("http://127.0.0.1/a", "http://1.127.0.0.1.example/"),
        ("https://example.com/a", "https://example.com/a"),
    ],
)
def test_a_saved_front_page_and_a_link_to_another_sites_do_not_lead_home(submitted: str, final: str) -> None:
    assert not leads_home(get_url(submitted), get_url(final))
