"""How one person likes to read: kept as words, so that a stored value nobody knows any more falls back in peace."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Final, TypeVar


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
    SYSTEM = "system"


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


class LanguageChoice(StrEnum):
    """The language of the pages, by its BCP 47 tag; or that which the browser asks for."""

    BROWSER = "browser"
    ENGLISH = "en"
    GERMAN = "de"
    FRENCH = "fr"
    SPANISH = "es"
    CHINESE = "zh-Hans"


class Spacing(StrEnum):
    TIGHT = "tight"
    NORMAL = "normal"
    LOOSE = "loose"


@dataclass(frozen=True, slots=True)
class Preferences:
    theme: Theme = Theme.SYSTEM
    layout: Layout = Layout.CARDS
    font: Font = Font.SERIF
    size: Size = Size.NORMAL
    width: Width = Width.NORMAL
    spacing: Spacing = Spacing.NORMAL
    language: LanguageChoice = LanguageChoice.BROWSER

    def as_json(self) -> dict[str, str]:
        return {name: str(value) for name, value in asdict(self).items()}


DEFAULTS: Final = Preferences()
KNOWN: Final[Mapping[str, type[StrEnum]]] = {
    "theme": Theme,
    "layout": Layout,
    "font": Font,
    "size": Size,
    "width": Width,
    "spacing": Spacing,
    "language": LanguageChoice,
}


Choice = TypeVar("Choice", bound=StrEnum)


def parse_preferences(values: Mapping[str, object]) -> Preferences:
    """Parse stored preferences; unknown or missing values become the default."""
    return Preferences(
        choose(values.get("theme"), DEFAULTS.theme),
        choose(values.get("layout"), DEFAULTS.layout),
        choose(values.get("font"), DEFAULTS.font),
        choose(values.get("size"), DEFAULTS.size),
        choose(values.get("width"), DEFAULTS.width),
        choose(values.get("spacing"), DEFAULTS.spacing),
        choose(values.get("language"), DEFAULTS.language),
    )


def choose(value: object, default: Choice) -> Choice:
    return next((choice for choice in type(default) if choice == value), default)
