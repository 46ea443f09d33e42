"""What sites are told about who fetches their pages."""

from typing import Any

import pytest

from kept.config import ConfigError, Settings, load_settings
from kept.fetch.client import user_agent
from kept.version import __version__

pytestmark = [
    pytest.mark.requirement("003", "§6.2 User-Agent with a contact URL"),
    pytest.mark.requirement("differs", "003 §6.1: `user_agent_contact_url` is required → `/bot` stands in"),
]

NAME = f"Kept/{__version__}"


@pytest.mark.parametrize(
    ("settings", "sent"),
    [
        ({}, NAME),
        ({"public_url": "https://kept.example.org/"}, f"{NAME} (+https://kept.example.org/bot)"),
        ({"public_url": "https://kept.example.org:8443"}, f"{NAME} (+https://kept.example.org:8443/bot)"),
        ({"public_url": "http://93.184.215.14"}, f"{NAME} (+http://93.184.215.14/bot)"),
        ({"user_agent_contact_url": "mailto:ann@example.org"}, f"{NAME} (+mailto:ann@example.org)"),
        (
            {"public_url": "https://kept.example.org", "user_agent_contact_url": "https://ann.example/me?x=1"},
            f"{NAME} (+https://ann.example/me?x=1)",
        ),
    ],
)
def test_the_contact_is_the_one_set_else_the_page_of_the_public_url(settings: dict[str, Any], sent: str) -> None:
    assert user_agent(Settings(**settings)) == sent


@pytest.mark.parametrize(
    "public_url",
    [
        "http://127.0.0.1:8484",
        "http://localhost:8484",
        "http://192.168.1.5",
        "http://[fd00::1]",
        "http://kept",
        "http://kept.local",
        "http://nas.home.arpa:8484",
    ],
)
def test_a_url_that_only_the_own_network_can_open_is_not_sent(public_url: str) -> None:
    assert user_agent(Settings(public_url=public_url)) == NAME


@pytest.mark.parametrize(
    "contact",
    [
        "ann@example.org",
        "javascript:alert(1)",
        "https://a.example/)x",
        "https://a.example/ x",
        "mailto:a\nb@c",
        "https://a.example/ü",
        "https://",
    ],
)
def test_a_contact_that_does_not_fit_into_a_header_or_a_link_is_refused(
    contact: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEPT_USER_AGENT_CONTACT_URL", contact)
    with pytest.raises(ConfigError, match=r"KEPT_USER_AGENT_CONTACT_URL: write it as https://example.org/about"):
        load_settings()
