"""What a site is called where people see it: its name, else its host."""

from urllib.parse import urlsplit

from kept.domain.document import is_upload_url
from kept.domain.item import Card


def site_of(card: Card) -> str:
    if is_upload_url(card.item.url):
        return "uploaded file"
    return card.media.site_name or host_of(card.item.url) or card.item.url.partition(":")[0]


def host_of(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
