"""What a page says of the form that led to it. The words are ours; the address only names them."""

from dataclasses import dataclass
from typing import Annotated, Final
from uuid import UUID

from fastapi import Depends

from kept.web.formatting import count
from kept.web.list_view import parse_id


@dataclass(frozen=True, slots=True)
class Notice:
    text: str
    undo: UUID | None = None
    """What `/undo` asks for."""


SAID: Final = {
    "kept": "Kept.",
    "known": "You had this already. It stands where it stood.",
    "saved": "Saved.",
    "recapture": "A new copy is on its way. It takes over once it is ready.",
    "joined": "Added to the library.",
    "left": "You have left the library.",
    "revoked": "The token no longer works.",
    "ended": "The session has ended.",
    "password": "Your password is changed. Other sessions have ended.",
    "gone": "The library is gone. What others keep of its pages stays theirs.",
    "user": "The account is made. Pass the name and the password on.",
}
COUNTED: Final = {
    "favourite": "{} marked as favourite.",
    "unfavourite": "{} no longer marked as favourite.",
    "archive": "{} archived.",
    "unarchive": "{} back in the list.",
    "read": "{} marked as read.",
    "unread": "{} marked as unread.",
    "tag": "{} tagged.",
    "tags": "{} tagged.",
    "delete": "{} removed.",
    "restore": "{} brought back.",
    "retry": "{} on the way again.",
}


def make_notice(done: str, number: int, undo: UUID | None = None) -> Notice | None:
    if done in SAID:
        return Notice(SAID[done])
    if done in COUNTED:
        return Notice(COUNTED[done].format(count(number, "page")), undo)
    return None


async def parse_notice(done: str = "", number: int = 1, undo: str = "") -> Notice | None:
    return make_notice(done, number, parse_id(undo))


NoticeDep = Annotated[Notice | None, Depends(parse_notice)]
