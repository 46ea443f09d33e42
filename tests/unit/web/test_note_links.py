import pytest

from kept.web.text import link_urls

pytestmark = pytest.mark.requirement("Kept", "a note is plain text with links")


def link(url: str) -> str:
    return f'<a href="{url}" rel="noopener noreferrer" referrerpolicy="no-referrer" target="_blank">{url}</a>'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See https://example.org/a, then go.", f"See {link('https://example.org/a')}, then go."),
        ("(http://example.org/)", f"({link('http://example.org/')})"),
        ("https://a.example https://b.example", f"{link('https://a.example')} {link('https://b.example')}"),
        ("https://例え.jp/道。次", f"{link('https://例え.jp/道')}。次"),
        ("Set_(music)? https://a.example/Set_(music)?", f"Set_(music)? {link('https://a.example/Set_(music)')}?"),
        ("javascript:alert(1) and https:// and https://)", "javascript:alert(1) and https:// and https://)"),
        ("no link\nsecond line", "no link\nsecond line"),
    ],
)
def test_urls_in_a_note_are_links_and_the_rest_is_text(text: str, shown: str) -> None:
    assert link_urls(text) == shown


def test_a_note_is_never_markup() -> None:
    shown = link_urls('<b>x</b> https://example.org/?a=1&b="><script>alert(1)</script>')
    assert "<b>" not in shown
    assert "<script>" not in shown
    assert 'href="https://example.org/?a=1&amp;b="' in shown
