"""Which URLs can be opened."""

import pytest

from kept.domain.document import UPLOADS
from kept.domain.item import find_link


def test_a_web_url_can_be_opened() -> None:
    assert find_link("https://example.org/a") == "https://example.org/a"


@pytest.mark.parametrize("url", ["mailto:ann@example.org", "ftp://example.org/a", f"{UPLOADS}a"])
def test_other_schemes_and_uploaded_files_cannot(url: str) -> None:
    assert find_link(url) is None
