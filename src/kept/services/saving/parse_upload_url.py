"""The URL that somebody gives a file."""

from kept.domain.errors import UrlInvalid
from kept.urls.given import GivenUrl, parse_given_url
from kept.urls.messages import explain_rejection
from kept.urls.url import NormalisedUrl, RejectedUrl


def parse_upload_url(text: str) -> GivenUrl:
    given = parse_given_url(text)
    if isinstance(given, RejectedUrl):
        raise UrlInvalid(explain_rejection(given.reason))
    if not isinstance(given.url, NormalisedUrl):
        raise UrlInvalid
    return given
