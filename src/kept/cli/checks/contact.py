"""Check of what sites are told about who fetches their pages."""

from typing import Final

from kept.cli.checks.finding import Finding
from kept.config import Settings
from kept.fetch.client import find_contact_url, user_agent

HOW: Final = "Set KEPT_USER_AGENT_CONTACT_URL to a page about you, or to mailto:you@example.org."


async def check_contact(settings: Settings) -> Finding:
    sent = f"sites are told “{user_agent(settings)}”"
    if settings.user_agent_contact_url is not None:
        return Finding("contact", "ok", sent)
    if find_contact_url(settings) is not None:
        return Finding(
            "contact", "limited", f"{sent}: a page that names nobody to write to", f"{HOW} The page names it."
        )
    return Finding("contact", "limited", f"{sent}: their owners cannot reach you", HOW)
