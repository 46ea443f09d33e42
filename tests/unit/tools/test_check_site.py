"""tools/check_site.py: what a browser would fetch from another host, and what a reader may follow."""

import pytest

from support.fixtures.tools import load_tool

SITE = load_tool("check_site")


@pytest.mark.parametrize(
    "html",
    [
        '<script src="https://cdn.example/a.js"></script>',
        "<script src=//cdn.example/a.js></script>",
        '<link rel="stylesheet" href="https://cdn.example/a.css">',
        '<link rel="preconnect" href="https://fonts.example" crossorigin>',
        '<link rel="alternate stylesheet" href="https://cdn.example/a.css">',
        '<img srcset="a.png 1x, https://cdn.example/b.png 2x" src="a.png">',
        '<iframe src="https://video.example/1"></iframe>',
        '<p style="background: url(https://cdn.example/a.png)">x</p>',
        "<style>@import 'https://cdn.example/a.css';</style>",
        "<svg><use href='https://cdn.example/a.svg#b'/></svg>",
        '<object data="HTTPS://cdn.example/a.pdf"></object>',
    ],
)
def test_what_is_loaded_from_elsewhere_is_found(html: str) -> None:
    assert len(SITE.find_in_page(html)) == 1


@pytest.mark.parametrize(
    "html",
    [
        '<a href="https://example.org">a link</a>',
        '<link rel="canonical" href="https://kept.example.org/">',
        '<link rel="stylesheet" href="../assets/a.css">',
        '<img src="images/a.png" alt="">',
        '<img src="data:image/png;base64,AAAA" alt="">',
        "<code>&lt;script src=https://cdn.example/a.js&gt;</code>",
    ],
)
def test_what_is_only_said_or_is_the_sites_own_is_not(html: str) -> None:
    assert SITE.find_in_page(html) == []
