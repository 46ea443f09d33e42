"""The link in what somebody types or pastes into the box."""

import pytest

from kept.domain.errors import InvalidRequest
from kept.web.adding import choose_link


@pytest.mark.parametrize(
    ("typed", "link"),
    [
        ("example.org/a", "example.org/a"),
        ("https://example.org/a", "https://example.org/a"),
        ("https://example.org/my file.pdf", "https://example.org/my file.pdf"),
        ("A good read: https://example.org/a, by Ann", "https://example.org/a"),
        ("看看这个https://example.org/a，很好", "https://example.org/a"),
        ("example.org/?to=https://example.net/b", "example.org/?to=https://example.net/b"),
        ("https://archive.example/2020/https://example.org/a", "https://archive.example/2020/https://example.org/a"),
        ("no link", "no link"),
        ("", ""),
    ],
)
def test_a_link_is_found_among_other_words(typed: str, link: str) -> None:
    assert choose_link(typed) == link


@pytest.mark.parametrize(
    "typed", ["https://a.example/ https://b.example/", "See https://a.example/ and\nhttps://b.example/"]
)
def test_of_several_links_none_is_chosen(typed: str) -> None:
    with pytest.raises(InvalidRequest):
        choose_link(typed)
