"""Words for people about a URL: why it cannot be saved, and what was changed in it."""

from collections.abc import Mapping
from typing import Final

from kept.urls.given import UrlNotice
from kept.urls.url import MAX_URL_LENGTH, UrlRejection

NO_URL: Final = "This is not a web URL."
REJECTIONS: Final[Mapping[UrlRejection, str]] = {
    UrlRejection.EMPTY: "There is no URL.",
    UrlRejection.TOO_LONG: f"The URL is too long. {MAX_URL_LENGTH:,} characters are the most.",
    UrlRejection.CONTROL_CHARACTER: "There is a line break, a tab or another control character in the URL.",
    UrlRejection.SPACE: "This is not a web URL: there is a space before its path.",
    UrlRejection.BACKSLASH: "There is a backslash in the URL. Parts of a URL are separated by /.",
    UrlRejection.CREDENTIALS: "This is not a web URL: there is an @ in its host name.",
    UrlRejection.PERCENT_IN_HOST: "This is not a web URL: there is a % in its host name.",
    UrlRejection.BAD_HOST: "This is not a web URL: its host name is not valid.",
    UrlRejection.BAD_PORT: "This is not a web URL: its port is not valid.",
}
NOTICES: Final[Mapping[UrlNotice, str]] = {
    UrlNotice.CREDENTIALS_REMOVED: "The user name and password in the URL were removed. Kept doesn't store them.",
}


def explain_rejection(reason: UrlRejection) -> str:
    return REJECTIONS.get(reason, NO_URL)
