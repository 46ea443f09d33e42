"""The decisions about a card: where it stands after a fetch, and where it ends when nothing more will come."""

from kept.domain.lifecycle import EnrichmentStatus
from kept.domain.media import Media


def decide_after_fetch(*, has_image: bool) -> EnrichmentStatus:
    """A card is finished when there is an image to show; until then a browser may still take a screenshot."""
    return EnrichmentStatus.SUCCEEDED if has_image else EnrichmentStatus.PENDING


def decide_at_the_end(media: Media) -> EnrichmentStatus:
    """No more image will come: a card is good enough when it says anything at all, and failed when it says nothing."""
    says_something = media.has_image or media.title is not None or media.excerpt is not None
    return EnrichmentStatus.SUCCEEDED if says_something else EnrichmentStatus.FAILED


def needs_settling(media: Media) -> bool:
    """Whether a card still waits, or tells of a failure, though its page has been read since."""
    return media.enrichment_status is not EnrichmentStatus.SUCCEEDED or media.enrichment_error is not None


def wants_screenshot(media: Media, *, can_render: bool) -> bool:
    """Not of what came with a file: it is perhaps no longer on the site, and the site now shows something else. And not
    of documents, which a browser does not draw."""
    return can_render and not media.has_image and not media.is_private and not media.is_document
