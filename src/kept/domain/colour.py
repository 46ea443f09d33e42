"""The colours of highlights. Apart from them, because whoever writes or checks an article needs these alone."""

from enum import StrEnum


class Colour(StrEnum):
    YELLOW = "yellow"
    RED = "red"
    GREEN = "green"
    BLUE = "blue"
