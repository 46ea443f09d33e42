"""The URL in a note, or in a text that an app shares."""

import pytest

from kept.urls.given import list_urls


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("Look: https://example.org/a.", "https://example.org/a"),
        ("(see https://example.org/a)", "https://example.org/a"),
        ("https://en.wikipedia.org/wiki/Set_(music)!", "https://en.wikipedia.org/wiki/Set_(music)"),
        ("“A title” https://example.org/?q=a,b", "https://example.org/?q=a,b"),
        ("<https://example.org/a>", "https://example.org/a"),
        ("看看这个 https://example.org/a，很好", "https://example.org/a"),
        ("【标题】https://example.org/b 复制", "https://example.org/b"),
        ("https://example.org/wiki/深圳", "https://example.org/wiki/深圳"),
        ("«https://example.org/a»", "https://example.org/a"),
        ("انظر https://example.org/a، ثم", "https://example.org/a"),
        ("`https://example.org/a`", "https://example.org/a"),
        ("https://example.org/a\u200b…", "https://example.org/a"),
        ("“https://example.org/a”", "https://example.org/a"),
        ("https://[::1]:8000/a]", "https://[::1]:8000/a"),
    ],
)
def test_the_sentence_around_a_url_is_no_part_of_it(text: str, url: str) -> None:
    assert [found.url for found in list_urls(text)] == [url]


@pytest.mark.parametrize("text", ["no link", "http://...", "https://)", "javascript:alert(1)"])
def test_a_text_without_a_url_has_none(text: str) -> None:
    assert list(list_urls(text)) == []
