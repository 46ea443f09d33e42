"""Say that the site led to its front page, where it did: that is not the article of the page that was asked for."""

from kept.content.page.description import FRONT_PAGE
from kept.domain.attempt import AttemptRecord, Failure
from kept.domain.failures import FailureCode, FailureStage
from kept.domain.media import Media
from kept.urls.identity import leads_home
from kept.urls.url import NormalisedUrl, get_url


def explain_front_page(found: Media, final_url: NormalisedUrl, record: AttemptRecord) -> Failure | None:
    """None where the final URL may be the page. What came with a file was fetched by nobody."""
    asked = get_url(found.canonical_url or found.source_url)
    if found.is_private or not leads_home(asked, final_url):
        return None
    return Failure(FailureCode.EXTRACT_SOFT_404, FRONT_PAGE.reason, FailureStage.FETCH, facts=record)
