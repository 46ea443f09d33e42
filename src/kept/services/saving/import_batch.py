"""A batch of imported links between look-up, plan and writing."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from kept.content.import_formats.prepare_rows import PreparedLink
from kept.domain.highlight import NewHighlight
from kept.domain.importing import Import
from kept.domain.item import Item, ReadingState
from kept.storage import bulk


@dataclass(slots=True)
class ImportBatch:
    """What is known of the pages of a batch, and what is to be written."""

    owner: Import
    default_id: UUID
    now: datetime
    library_ids: dict[str, UUID] = field(default_factory=dict)
    aliases: dict[str, UUID] = field(default_factory=dict)
    private: dict[tuple[UUID, str], UUID] = field(default_factory=dict)
    held: bulk.HeldBy = field(default_factory=dict)
    states: dict[UUID, ReadingState] = field(default_factory=dict)
    known_copies: set[UUID] = field(default_factory=set)
    """Copies of this file that were written before."""
    failed: set[UUID] = field(default_factory=set)
    """Pages that could not be kept."""

    new_pages: dict[UUID, PreparedLink] = field(default_factory=dict)
    new_private: dict[tuple[UUID, str], UUID] = field(default_factory=dict)
    new_items: dict[UUID, Item] = field(default_factory=dict)
    changed_items: dict[UUID, Item] = field(default_factory=dict)
    new_states: dict[UUID, ReadingState] = field(default_factory=dict)
    tagged: dict[tuple[UUID, UUID, str], None] = field(default_factory=dict)
    attached: dict[UUID, PreparedLink] = field(default_factory=dict)
    """Pages known before that got a new item."""
    replaced: dict[UUID, tuple[UUID, UUID]] = field(default_factory=dict)
    """Items whose page could not be kept: that page, and the one that came with the file."""
    numbers: dict[UUID, int] = field(default_factory=dict)
    """What apps called new items where the file comes from."""
    tag_numbers: dict[tuple[UUID, str], int] = field(default_factory=dict)
    """The same of tags, by library and name."""
    last_number: int = 0
    """The highest that was given there."""
    highlights: dict[UUID, list[NewHighlight]] = field(default_factory=dict)
    """What the file says was marked, by page."""
