"""One form of each path of other programs' APIs."""

import pytest

from kept.compat.path_forms import normalise_form


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/wallabag/", "/wallabag"),
        ("/wallabag/api/entries.json", "/wallabag/api/entries"),
        ("/wallabag/api/entries.json/", "/wallabag/api/entries"),
        ("/wallabag/api/entries///", "/wallabag/api/entries"),
        ("/wallabag/api/entries/5/export.json", "/wallabag/api/entries/5/export.json"),
        ("/linkding/api/bookmarks/", "/linkding/api/bookmarks"),
    ],
)
def test_slashes_and_json_at_the_end_go(path: str, expected: str) -> None:
    assert normalise_form(path) == expected
