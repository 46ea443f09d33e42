"""The decisions about a card, row by row."""

import pytest

from kept.domain.lifecycle import EnrichmentStatus
from kept.domain.media import Media, decide_after_fetch, decide_at_the_end, wants_screenshot
from support.builders.values import make_media


def test_a_card_is_finished_when_there_is_an_image() -> None:
    assert decide_after_fetch(has_image=True) is EnrichmentStatus.SUCCEEDED


def test_without_an_image_a_card_waits_for_a_screenshot() -> None:
    assert decide_after_fetch(has_image=False) is EnrichmentStatus.PENDING


@pytest.mark.parametrize(
    ("media", "status"),
    [
        (make_media(), EnrichmentStatus.FAILED),
        (make_media(title="A title"), EnrichmentStatus.SUCCEEDED),
        (make_media(excerpt="An excerpt"), EnrichmentStatus.SUCCEEDED),
        (make_media(preview_image_url="https://example.org/i.png"), EnrichmentStatus.SUCCEEDED),
        (make_media(thumbnail_key="thumbnails/a.webp"), EnrichmentStatus.SUCCEEDED),
        (make_media(byline="Ann", site_name="Example"), EnrichmentStatus.FAILED),
    ],
)
def test_at_the_end_a_card_fails_only_if_it_says_nothing(media: Media, status: EnrichmentStatus) -> None:
    assert decide_at_the_end(media) is status


@pytest.mark.requirement("000", "imported articles, servers without a browser and failed visits get no screenshot")
@pytest.mark.parametrize(
    ("media", "can_render", "wanted"),
    [
        (make_media(), True, True),
        (make_media(), False, False),
        (make_media(preview_image_url="https://example.org/i.png"), True, False),
        (make_media(is_private=True), True, False),
    ],
)
def test_a_screenshot_is_taken_of_a_public_page_without_an_image(media: Media, can_render: bool, wanted: bool) -> None:
    assert wants_screenshot(media, can_render=can_render) is wanted
