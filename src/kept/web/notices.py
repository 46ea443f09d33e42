"""Notices: the message a page shows after a form. The URL carries only the name of the message, never its text."""

from dataclasses import dataclass
from typing import Annotated, Final
from uuid import UUID

from fastapi import Depends

from kept.urls.given import UrlNotice
from kept.urls.messages import NOTICES
from kept.web.formatting import count
from kept.web.list_view import parse_id


@dataclass(frozen=True, slots=True)
class Notice:
    text: str
    undo: UUID | None = None
    """The batch, or the highlight, that `undo_path` restores."""
    is_of_highlight: bool = False

    @property
    def undo_path(self) -> str:
        return f"/highlights/{self.undo}/restore" if self.is_of_highlight else "/undo"


MESSAGES: Final = {
    "kept": "Saved.",
    "known": "Already saved.",
    "kept_without_password": f"Saved. {NOTICES[UrlNotice.CREDENTIALS_REMOVED]}",
    "known_without_password": f"Already saved. {NOTICES[UrlNotice.CREDENTIALS_REMOVED]}",
    "saved": "Changes saved.",
    "tags": "Tags saved.",
    "recapture": "Saving a new copy. It replaces the current one when it is ready.",
    "joined": "Member added.",
    "left": "You left the library.",
    "revoked": "Token revoked.",
    "ended": "Session signed out.",
    "password": "Password changed. Other sessions were signed out.",
    "password_and_tokens": "Password changed. Other sessions were signed out and your API tokens revoked.",
    "gone": "Library deleted.",
    "user": "User created.",
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
    "delete": "{} removed.",
    "restore": "{} restored.",
    "retry": "Retrying {}.",
    "ingest": "Saving the article of {}.",
    "ingest_more": "Saving the articles of {}. There are more: select the button again for those.",
}


def make_notice(done: str, number: int, undo: UUID | None = None) -> Notice | None:
    if done in MESSAGES:
        return Notice(MESSAGES[done])
    if done in HIGHLIGHT_MESSAGES:
        return Notice(HIGHLIGHT_MESSAGES[done], undo, is_of_highlight=True)
    if done in COUNTED_MESSAGES:
        return Notice(COUNTED_MESSAGES[done].format(count(number, "page")), undo)
    return None


async def parse_notice(done: str = "", number: int = 1, undo: str = "") -> Notice | None:
    return make_notice(done, number, parse_id(undo))


NoticeDep = Annotated[Notice | None, Depends(parse_notice)]
