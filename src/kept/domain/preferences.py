"""How one person likes to read: kept as words, so that a stored value nobody knows any more falls back in peace."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any, Final


class Theme(StrEnum):
    SYSTEM = "system"
    LIGHT = "light"
    SEPIA = "sepia"
    DARK = "dark"


class Layout(StrEnum):
    CARDS = "cards"
    LIST = "list"


class Font(StrEnum):
    SERIF = "serif"
    SANS = "sans"
    MONO = "mono"


class Size(StrEnum):
    SMALL = "small"
    NORMAL = "normal"
    LARGE = "large"
    LARGER = "larger"
    HUGE = "huge"


class Width(StrEnum):
    NARROW = "narrow"
    NORMAL = "normal"
    WIDE = "wide"


@dataclass(frozen=True, slots=True)
class Preferences:
    theme: Theme = Theme.SYSTEM
    layout: Layout = Layout.CARDS
    font: Font = Font.SERIF
    size: Size = Size.NORMAL
    width: Width = Width.NORMAL

    def as_json(self) -> dict[str, str]:
        return {name: str(value) for name, value in asdict(self).items()}


DEFAULTS: Final = Preferences()
KNOWN: Final[Mapping[str, type[StrEnum]]] = {
    "theme": Theme,
    "layout": Layout,
    "font": Font,
    "size": Size,
    "width": Width,
}


def parse_preferences(values: Mapping[str, Any]) -> Preferences:
    """What is known of `values`; the default for the rest."""
    known: dict[str, Any] = {}
    for field in fields(Preferences):
        choices, value = KNOWN[field.name], values.get(field.name)
        if value in list(choices):
            known[field.name] = choices(value)
    return Preferences(**known)
