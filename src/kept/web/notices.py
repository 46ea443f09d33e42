"""Notices: the message a page shows after a form. The URL carries only the name of the message and its numbers."""

from dataclasses import dataclass
from typing import Annotated, Final
from uuid import UUID

from fastapi import Depends, Query

from kept.domain.bulk_result import BulkResult
from kept.urls.given import UrlNotice
from kept.urls.messages import NOTICES
from kept.web.formatting import count
from kept.web.list_view import parse_id


@dataclass(frozen=True, slots=True)
class Notice:
    text: str
    undo: UUID | None = None
    """The batch, or the highlight, that `undo_path` takes back."""
    is_of_highlight: bool = False

    @property
    def undo_path(self) -> str:
        return f"/highlights/{self.undo}/restore" if self.is_of_highlight else "/undo"


MESSAGES: Final = {
    "kept": "Saved.",
    "known": "Already saved.",
    "unarchived": "Saved before and archived. It is back at the top of your list.",
    "kept_without_password": f"Saved. {NOTICES[UrlNotice.CREDENTIALS_REMOVED]}",
    "known_without_password": f"Already saved. {NOTICES[UrlNotice.CREDENTIALS_REMOVED]}",
    "saved": "Changes saved.",
    "joined": "Member added.",
    "left": "You left the library.",
    "revoked": "Token revoked.",
    "ended": "Session signed out.",
    "password": "Password changed. Other sessions were signed out.",
    "password_and_tokens": "Password changed. Other sessions were signed out and your API tokens revoked.",
    "gone": "Library deleted.",
    "user": "User created.",
    "none_selected": "Select some pages first.",
    "no_tag": "Enter a tag first. Nothing was changed.",
    "bad_tag": "A tag has at most 64 characters, and a page at most 100 tags. Nothing was changed.",
    "no_library": "Choose a library first. Nothing was changed.",
    "too_many": "You can change at most 500 pages at once. Nothing was changed.",
    "undo_gone": "This can no longer be undone.",
}
HIGHLIGHT_MESSAGES: Final = {
    "highlight_changed": "Highlight saved.",
    "highlight_removed": "Highlight removed.",
    "highlight_restored": "Highlight restored.",
}
COUNTED_MESSAGES: Final = {
    "favourite": "{} added to favourites.",
    "unfavourite": "{} removed from favourites.",
    "archive": "{} archived.",
    "unarchive": "{} unarchived.",
    "read": "{} marked as read.",
    "unread": "{} marked as unread.",
    "tag": "{} tagged.",
    "untag": "{} untagged.",
    "move": "{} moved.",
    "delete": "{} removed.",
    "restore": "{} restored.",
    "forget": "{} deleted for good.",
    "undo": "Undone for {}.",
    "retry": "Retrying {}.",
    "recapture": "Saving a new copy of {}. It replaces the current one when it is ready.",
    "capture": "Saving {} as a whole. A browser visits them.",
    "ingest": "Saving the article of {}.",
    "ingest_more": "Saving the articles of {}. There are more: select the button again for those.",
}
# What is said of items that were so already.
ALREADY: Final = {
    "favourite": "a favourite already",
    "unfavourite": "no favourite",
    "archive": "archived already",
    "unarchive": "not archived",
    "read": "read already",
    "unread": "unread already",
    "tag": "tagged so already",
    "untag": "not tagged so",
    "move": "there already",
}
REFUSED: Final = {
    "retry": "can't be retried: only pages that failed can",
    "ingest": "can't be saved again: they are saved, or being saved",
    "recapture": "can't be saved anew: there is no copy yet",
    "capture": "can't be saved as a whole: gone, not yours to change, or saved as a file",
    "restore": "can't be restored: saved again meanwhile",
}
CANNOT_CHANGE: Final = "can't be changed: gone, or not yours to change"


def make_notice(done: str, number: int = 1, undo: UUID | None = None) -> Notice | None:
    return make_result_notice(done, BulkResult(undo=undo), number)


def make_result_notice(done: str, result: BulkResult, number: int | None = None) -> Notice | None:
    """What was done, and of how many pages it was not and why."""
    if done in MESSAGES:
        return Notice(MESSAGES[done])
    if done in HIGHLIGHT_MESSAGES:
        return Notice(HIGHLIGHT_MESSAGES[done], result.undo, is_of_highlight=True)
    if done not in COUNTED_MESSAGES:
        return None
    changed = len(result.changed) if number is None else number
    parts = [COUNTED_MESSAGES[done].format(count(changed, "page"))] if changed or not has_rest(result) else []
    if result.unchanged and done in ALREADY:
        parts.append(f"{count(result.unchanged, 'page')}: {ALREADY[done]}.")
    if result.refused:
        parts.append(f"{count(result.refused, 'page')}: {REFUSED.get(done, CANNOT_CHANGE)}.")
    return Notice(" ".join(parts), result.undo)


def has_rest(result: BulkResult) -> bool:
    return bool(result.unchanged or result.refused)


def query_of(done: str, result: BulkResult) -> dict[str, object]:
    """For the URL of the page that shows the notice."""
    if done in MESSAGES:
        return {"done": done}
    rest = {"unchanged": result.unchanged or None, "refused": result.refused or None}
    return {"done": done, "number": len(result.changed), **rest, "undo": result.undo}


Number = Annotated[int, Query(ge=0, le=10_000_000)]


async def parse_notice(
    done: str = "", number: Number = 1, unchanged: Number = 0, refused: Number = 0, undo: str = ""
) -> Notice | None:
    return make_result_notice(done, BulkResult((), unchanged, refused, parse_id(undo)), number)


NoticeDep = Annotated[Notice | None, Depends(parse_notice)]
