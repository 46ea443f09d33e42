"""Short-lived secrets that an app gets for an API token: OAuth's access and refresh tokens."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from kept.domain.column_values import AppTokenKind as AppTokenKind

VALID_FOR: Final = {AppTokenKind.ACCESS: timedelta(hours=1), AppTokenKind.REFRESH: timedelta(days=14)}
# An app that asks anew each minute has 60 that are valid; many devices may share one API token.
MOST_PER_KIND: Final = 500


@dataclass(frozen=True, slots=True)
class AppTokens:
    """What an app is handed once."""

    access: str
    refresh: str

    @property
    def valid_seconds(self) -> int:
        return int(VALID_FOR[AppTokenKind.ACCESS].total_seconds())
