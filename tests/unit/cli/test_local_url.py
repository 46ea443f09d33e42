import pytest

from kept.cli.serving import local_url


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://localhost:8484"),
        ("::", "http://localhost:8484"),
        ("127.0.0.1", "http://127.0.0.1:8484"),
        ("::1", "http://[::1]:8484"),
    ],
)
def test_the_set_up_link_can_be_opened(host: str, url: str) -> None:
    assert local_url(host, 8484) == url
