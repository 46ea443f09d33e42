"""The names of the colours of highlights."""

from kept.domain.highlight import Colour
from kept.web.translating import _, pgettext


def name_colour(colour: Colour) -> str:
    return {
        Colour.YELLOW: pgettext("colour", "Yellow"),
        Colour.RED: pgettext("colour", "Red"),
        Colour.GREEN: pgettext("colour", "Green"),
        Colour.BLUE: pgettext("colour", "Blue"),
    }[colour]


def name_highlighting(colour: Colour) -> str:
    """What the button of a colour does."""
    return {
        Colour.YELLOW: _("Highlight in yellow"),
        Colour.RED: _("Highlight in red"),
        Colour.GREEN: _("Highlight in green"),
        Colour.BLUE: _("Highlight in blue"),
    }[colour]
