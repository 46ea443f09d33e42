"""Notices: the message a page shows after a form. The URL carries only the name of the message and its numbers."""

from dataclasses import dataclass
from typing import Annotated, Final
from uuid import UUID

from fastapi import Depends, Query

from kept.domain.item import BulkResult
from kept.ids import find_id
from kept.urls.given import NOTICES, UrlNotice
from kept.web.i18n import N_, NN_, _, join_sentences, ngettext
from kept.web.messages import tell


@dataclass(frozen=True, slots=True)
class Notice:
    done: str
    result: BulkResult
    number: int | None = None
    """How many pages it was done to, if that is all that is known."""

    @property
    def undo(self) -> UUID | None:
        """The batch, or the highlight, that `undo_path` takes back."""
        return None if self.done in MESSAGES else self.result.undo

    @property
    def undo_path(self) -> str:
        return f"/highlights/{self.undo}/restore" if self.done in HIGHLIGHT_MESSAGES else "/undo"

    @property
    def text(self) -> str:
        """The message in the language of the page."""
        return describe(self.done, self.result, self.number)


MESSAGES: Final = {
    "kept": N_("Saved."),
    "known": N_("Already saved."),
    "known_failed": N_("Already saved, but the page couldn't be read. Its card tells why."),
    "unarchived": N_("Saved before and archived. It is back at the top of your list."),
    "kept_without_password": N_("Saved."),
    "known_without_password": N_("Already saved."),
    "saved": N_("Changes saved."),
    "joined": N_("Member added."),
    "left": N_("You left the library."),
    "revoked": N_("Token revoked."),
    "app_allowed": N_("The app has access now. It goes on by itself within a few seconds."),
    "app_denied": N_("The app got no access."),
    "ended": N_("Session signed out."),
    "password": N_("Password changed. Other sessions were signed out."),
    "password_and_tokens": N_("Password changed. Other sessions were signed out and your API tokens revoked."),
    "gone": N_("Library deleted."),
    "user": N_("User created."),
    "none_selected": N_("Select some pages first."),
    "no_tag": N_("Enter a tag first. Nothing was changed."),
    "bad_tag": N_("A tag has at most 64 characters, and a page at most 100 tags. Nothing was changed."),
    "no_library": N_("Choose a library first. Nothing was changed."),
    "too_many": N_("You can change at most 500 pages at once. Nothing was changed."),
    "undo_gone": N_("This can no longer be undone."),
}
HIGHLIGHT_MESSAGES: Final = {
    "highlight_changed": N_("Highlight saved."),
    "highlight_removed": N_("Highlight removed."),
    "highlight_restored": N_("Highlight restored."),
}
COUNTED_MESSAGES: Final = {
    "favourite": NN_("%(num)s page added to favourites.", "%(num)s pages added to favourites."),
    "unfavourite": NN_("%(num)s page removed from favourites.", "%(num)s pages removed from favourites."),
    "archive": NN_("%(num)s page archived.", "%(num)s pages archived."),
    "unarchive": NN_("%(num)s page unarchived.", "%(num)s pages unarchived."),
    "read": NN_("%(num)s page marked as read.", "%(num)s pages marked as read."),
    "unread": NN_("%(num)s page marked as unread.", "%(num)s pages marked as unread."),
    "tag": NN_("%(num)s page tagged.", "%(num)s pages tagged."),
    "untag": NN_("%(num)s page untagged.", "%(num)s pages untagged."),
    "move": NN_("%(num)s page moved.", "%(num)s pages moved."),
    "delete": NN_("%(num)s page removed.", "%(num)s pages removed."),
    "restore": NN_("%(num)s page restored.", "%(num)s pages restored."),
    "forget": NN_("%(num)s page deleted for good.", "%(num)s pages deleted for good."),
    "undo": NN_("Undone for %(num)s page.", "Undone for %(num)s pages."),
    "retry": NN_("Retrying %(num)s page.", "Retrying %(num)s pages."),
    "recapture": NN_(
        "Saving a new copy of %(num)s page. It replaces the current one when it is ready.",
        "Saving a new copy of %(num)s pages. It replaces the current one when it is ready.",
    ),
    "capture": NN_(
        "Saving %(num)s page as a whole. A browser visits it.",
        "Saving %(num)s pages as a whole. A browser visits them.",
    ),
    "ingest": NN_("Saving the article of %(num)s page.", "Saving the article of %(num)s pages."),
    "ingest_more": NN_(
        "Saving the articles of %(num)s page. There are more: select the button again for those.",
        "Saving the articles of %(num)s pages. There are more: select the button again for those.",
    ),
}
# These texts are about items that were like that already.
ALREADY: Final = {
    "favourite": NN_("%(num)s page: a favourite already.", "%(num)s pages: a favourite already."),
    "unfavourite": NN_("%(num)s page: no favourite.", "%(num)s pages: no favourite."),
    "archive": NN_("%(num)s page: archived already.", "%(num)s pages: archived already."),
    "unarchive": NN_("%(num)s page: not archived.", "%(num)s pages: not archived."),
    "read": NN_("%(num)s page: read already.", "%(num)s pages: read already."),
    "unread": NN_("%(num)s page: unread already.", "%(num)s pages: unread already."),
    "tag": NN_("%(num)s page: tagged so already.", "%(num)s pages: tagged so already."),
    "untag": NN_("%(num)s page: not tagged so.", "%(num)s pages: not tagged so."),
    "move": NN_("%(num)s page: there already.", "%(num)s pages: there already."),
}
REFUSED: Final = {
    "retry": NN_(
        "%(num)s page: can't be retried: only pages that failed can.",
        "%(num)s pages: can't be retried: only pages that failed can.",
    ),
    "ingest": NN_(
        "%(num)s page: can't be saved again: they are saved, or being saved.",
        "%(num)s pages: can't be saved again: they are saved, or being saved.",
    ),
    "recapture": NN_(
        "%(num)s page: can't be saved anew: there is no copy yet, or no URL.",
        "%(num)s pages: can't be saved anew: there is no copy yet, or no URL.",
    ),
    "capture": NN_(
        "%(num)s page: can't be saved as a whole: gone, not yours to change, or saved as a file.",
        "%(num)s pages: can't be saved as a whole: gone, not yours to change, or saved as a file.",
    ),
    "restore": NN_(
        "%(num)s page: can't be restored: saved again meanwhile.",
        "%(num)s pages: can't be restored: saved again meanwhile.",
    ),
}
CANNOT_CHANGE: Final = NN_(
    "%(num)s page: can't be changed: gone, or not yours to change.",
    "%(num)s pages: can't be changed: gone, or not yours to change.",
)


def make_notice(done: str, number: int = 1, undo: UUID | None = None) -> Notice | None:
    return make_result_notice(done, BulkResult(undo=undo), number)


def make_result_notice(done: str, result: BulkResult, number: int | None = None) -> Notice | None:
    """Make the notice of what was done, and of how many pages it was not done to and why."""
    is_known = done in MESSAGES or done in HIGHLIGHT_MESSAGES or done in COUNTED_MESSAGES
    return Notice(done, result, number) if is_known else None


def describe(done: str, result: BulkResult, number: int | None) -> str:
    if text := MESSAGES.get(done) or HIGHLIGHT_MESSAGES.get(done):
        removed = tell(NOTICES[UrlNotice.CREDENTIALS_REMOVED]) if done.endswith("_password") else ""
        return join_sentences(_(text), removed)
    changed = len(result.changed) if number is None else number
    parts = [ngettext(*COUNTED_MESSAGES[done], changed)] if changed or not has_rest(result) else []
    if result.unchanged and done in ALREADY:
        parts.append(ngettext(*ALREADY[done], result.unchanged))
    if result.refused:
        parts.append(ngettext(*REFUSED.get(done, CANNOT_CHANGE), result.refused))
    return join_sentences(*parts)


def has_rest(result: BulkResult) -> bool:
    return bool(result.unchanged or result.refused)


def query_of(done: str, result: BulkResult) -> dict[str, object]:
    """Return the query for the URL of the page that shows the notice."""
    if done in MESSAGES:
        return {"done": done}
    rest = {"unchanged": result.unchanged or None, "refused": result.refused or None}
    return {"done": done, "number": len(result.changed), **rest, "undo": result.undo}


Number = Annotated[int, Query(ge=0, le=10_000_000)]


async def parse_notice(
    done: str = "", number: Number = 1, unchanged: Number = 0, refused: Number = 0, undo: str = ""
) -> Notice | None:
    return make_result_notice(done, BulkResult((), unchanged, refused, find_id(undo)), number)


NoticeDep = Annotated[Notice | None, Depends(parse_notice)]
