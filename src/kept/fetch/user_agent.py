"""The User-Agent of every request to a site, and the URL in it where the site's owner can ask who that was."""

from kept.config import Settings
from kept.urls.address import AddressReason, HostReason, classify_address, classify_host_name
from kept.urls.url import NormalisedUrl, parse_url
from kept.version import __version__


def user_agent(settings: Settings) -> str:
    contact = find_contact_url(settings)
    return f"Kept/{__version__} (+{contact})" if contact else f"Kept/{__version__}"


def find_contact_url(settings: Settings) -> str | None:
    """As set, else our own page about it; None where nobody outside could open that."""
    if settings.user_agent_contact_url is not None:
        return settings.user_agent_contact_url
    if settings.public_url is None or not is_public(settings.public_url):
        return None
    return f"{settings.public_url}/bot"


def is_public(url: str) -> bool:
    """Whether its host can be one that others reach: no address or name of a private network."""
    parsed = parse_url(url)
    if not isinstance(parsed, NormalisedUrl):
        return False
    if parsed.address is not None:
        return classify_address(parsed.address) is AddressReason.PUBLIC
    return "." in parsed.host and classify_host_name(parsed.host) is HostReason.PUBLIC
