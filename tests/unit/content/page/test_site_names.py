"""What follows an article's own heading in the title of its page."""

import pytest

from kept.content.page.site_names import as_in_heading

pytestmark = pytest.mark.requirement("Kept", "title, byline, date, site, language, lead image (`./bench metadata`)")

HEADING = "The bridge opens again"


@pytest.mark.parametrize("rest", [" | Evening Echo", " - News - Evening Echo", " – Echo", " » Town", "| Echo"])
def test_what_follows_the_heading_after_a_separator_goes(rest: str) -> None:
    assert as_in_heading(HEADING + rest, [HEADING]) == HEADING


def test_the_title_keeps_its_own_letters() -> None:
    assert as_in_heading(f"{HEADING} | Echo", [HEADING.upper()]) == HEADING


@pytest.mark.parametrize(
    ("title", "heading"),
    [
        (f"{HEADING} on Sunday | Echo", HEADING),
        (f"{HEADING}-ish | Echo", HEADING),
        (f"Echo | {HEADING}", HEADING),
        ("Bridge | Echo", "Bridge"),
        (HEADING, HEADING),
    ],
    ids=["words follow", "a hyphen", "it stands behind", "too short", "nothing follows"],
)
def test_other_titles_stay(title: str, heading: str) -> None:
    assert as_in_heading(title, [heading]) == title


def test_no_title_stays_none() -> None:
    assert as_in_heading(None, [HEADING]) is None
