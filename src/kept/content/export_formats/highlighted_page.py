"""A page with what one person marked in it: what the files of highlights are written from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from kept.domain.highlight import Highlight
from kept.domain.item import Card


@dataclass(frozen=True, slots=True)
class HighlightedPage:
    card: Card
    highlights: Sequence[Highlight] = field(repr=False)
    """In the order of the text; what was not found in it comes last."""
    read_url: str | None = None
    """Where Kept shows the article, if it is known how people reach Kept."""
    numbers: Mapping[UUID, int] = field(default_factory=dict)
    """What apps call the highlights, in Kept's own export."""

    @property
    def title(self) -> str:
        return " ".join((self.card.title or self.card.item.url).split())

    def link_to(self, highlight: Highlight) -> str | None:
        """Where Kept shows the passage."""
        return f"{self.read_url}#h-{highlight.id}" if self.read_url else None
