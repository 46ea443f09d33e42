"""Make a tag in the viewer's own library before anything has it."""

from kept.domain.account import Viewer
from kept.domain.item import parse_tag
from kept.domain.synced import NumberedTag, NumberKind
from kept.ids import new_id
from kept.storage import libraries, numbers, synced_items
from kept.storage.database.engine import Connection


def create_tag(tx: Connection, viewer: Viewer, name: str) -> NumberedTag:
    """The one that is there, if there is one."""
    return _create(tx, viewer, parse_tag(name))


def _create(tx: Connection, viewer: Viewer, name: str) -> NumberedTag:
    library_id = libraries.get_default_library_id(tx, viewer.user_id)
    tag_id = synced_items.ensure_tag(tx, library_id, new_id(), name)
    return NumberedTag(numbers.list_numbers(tx, NumberKind.TAG, [tag_id])[tag_id], name)
