"""Every metric's name, in one place."""

from typing import Final

from prometheus_client import Counter

EGRESS: Final = Counter(
    "kept_egress",
    "Fetches through the egress gate, by outcome and, where there is no page, by reason.",
    ["outcome", "reason"],
)
