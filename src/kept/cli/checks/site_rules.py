"""Check of the site rules: which there are, and what is wrong with them."""

from typing import Final

from kept.bootstrap import create_site_rules
from kept.cli.checks.finding import Finding
from kept.config import Settings

NAMED: Final = 20


async def check_site_rules(settings: Settings) -> Finding:
    folder = settings.site_rules_folder
    if settings.site_rules is not None and not folder.is_dir():
        return Finding("site-rules", "limited", f"there is no folder {folder}", "Make it, or unset KEPT_SITE_RULES.")
    read = create_site_rules(folder).read()
    named = [f"{rule.file} ({', '.join(rule.hosts)})" for rule in read.rules[:NAMED]]
    more = len(read.rules) - len(named)
    listed = ", ".join([*named, f"{more} more"] if more else named) or f"none in {folder}"
    if read.faults:
        advice = "See docs/site-rules.md; `kept extract --rules FILE URL` tries a rule."
        return Finding("site-rules", "limited", "; ".join([*read.faults[:NAMED], f"in use: {listed}"]), advice)
    return Finding("site-rules", "ok", listed)
