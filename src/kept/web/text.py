"""Values as the pages write them, in the language of the page: dates, durations, sizes, names of sites and colours, and
notes with their links; and tags as people type them."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from itertools import groupby
from typing import Final
from unicodedata import combining

from babel.dates import format_date as write_date
from babel.dates import format_skeleton, format_timedelta
from babel.lists import format_list as write_list
from babel.numbers import format_decimal, format_percent
from markupsafe import Markup, escape

from kept.content.article.players import is_video_page
from kept.domain import item
from kept.domain.document import is_upload_url
from kept.domain.failures import FailureCode
from kept.domain.highlight import Colour
from kept.domain.item import MAX_TAG, MAX_TAGS, Card, find_link
from kept.domain.media import Media, MediaKind, image_asset_id
from kept.domain.text import normalise
from kept.urls.given import list_urls
from kept.web.i18n import N_, _, current_language, ngettext, pgettext

TINTS: Final = 6
KIND_LABELS: Final[Mapping[str, str]] = {
    MediaKind.PDF: N_("PDF"),
    MediaKind.EPUB: N_("E-book"),
    MediaKind.TEXT: N_("Text"),
    MediaKind.IMAGE: N_("Image"),
}
# These failures mean that the URL of an article led to a file.
MISMATCHED_KINDS: Final[Mapping[str | None, MediaKind]] = {
    FailureCode.FETCH_KIND_MISMATCH_PDF: MediaKind.PDF,
    FailureCode.FETCH_KIND_MISMATCH_EPUB: MediaKind.EPUB,
}
_LINK: Final = Markup('<a href="{0}" rel="noopener noreferrer" referrerpolicy="no-referrer" target="_blank">{0}</a>')
MINUTE, HOUR, DAY = 60, 3600, 86400


def link_of(card: Card) -> str | None:
    """Return the URL of the original; None if it is not on the web."""
    return find_link(card.item.url)


def site_of(card: Card) -> str:
    return _("Uploaded file") if is_upload_url(card.item.url) else item.site_of(card)


def kind_of(media: Media) -> str | None:
    """Return what the kind of a document is called; None for a web page."""
    label = KIND_LABELS.get(MISMATCHED_KINDS.get(media.failure_code, media.kind))
    return _(label) if label else None


def favicon_of(media: Media) -> str:
    """Return the URL of the site's icon as Kept serves it; the media must name an icon."""
    assert media.favicon_url is not None
    return f"/api/images/{image_asset_id(media.id, media.favicon_url)}?icon=true"


def is_video(card: Card) -> bool:
    return card.media.is_video or is_video_page(card.item.url)


def title_of(card: Card) -> str:
    return card.title or shorten(card.item.url.removeprefix("https://").removeprefix("http://"), 120)


def shorten(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"


def initial_of(text: str) -> str:
    """Return the letter of a placeholder image."""
    return next((letter.upper() for letter in text if letter.isalnum()), "·")


def tint_of(text: str) -> int:
    """Return the colour of a placeholder image: always the same for the same site."""
    return sum(text.encode()) % TINTS


# Dates and times are in UTC here; `static/times.js` shows them in the reader's time zone. Babel takes some 20 µs for
# each, and a list has dozens, most of them of the same few days.


@lru_cache(maxsize=4096)
def write_day(day: date, width: str, tag: str) -> str:
    """Write a day. `tag`, that of the current language, only makes the cache distinguish languages."""
    return str(write_date(day, width, current_language().locale))


@lru_cache(maxsize=1024)
def write_age(seconds: int, tag: str) -> str:
    """Write how long ago it was; `seconds` are whole minutes, hours or days."""
    ago = timedelta(seconds=-seconds)
    return str(format_timedelta(ago, threshold=1, add_direction=True, locale=current_language().locale))


def format_iso(moment: datetime) -> str:
    """Write a moment in UTC for the `datetime` attribute."""
    return f"{moment.isoformat()[:19]}Z"


def format_date(moment: datetime) -> str:
    return write_day(moment.date(), "long", current_language().tag)


def format_exact(moment: datetime) -> str:
    return f"{format_date(moment)}, {moment:%H:%M:%S} UTC"


def format_day_of_year(day: date) -> str:
    """Write a day without the year: `31 January`."""
    return str(format_skeleton("MMMMd", day, locale=current_language().locale))


def format_day(day: date) -> str:
    """Write a day in short, without the year: `31 Jan`."""
    return str(format_skeleton("MMMd", day, locale=current_language().locale))


def format_month(day: date) -> str:
    """Write a month: `Jan 2026`."""
    return str(format_skeleton("yMMM", day, locale=current_language().locale))


def is_date_only(moment: datetime) -> bool:
    """Return whether it is midnight, as for a page that names only a day, which no time zone may shift."""
    return (moment.hour, moment.minute, moment.second) == (0, 0, 0)


def is_recent(moment: datetime, now: datetime) -> bool:
    return (now - moment).total_seconds() < 7 * DAY


def format_age(moment: datetime, now: datetime) -> str:
    seconds, tag = int((now - moment).total_seconds()), current_language().tag
    if seconds < MINUTE:
        return _("just now")
    for length, until in ((MINUTE, HOUR), (HOUR, DAY), (DAY, 7 * DAY)):
        if seconds < until:
            return write_age(seconds - seconds % length, tag)
    return write_day(moment.date(), "medium", tag)


def format_duration(ms: float) -> str:
    if ms < 1000:
        return f"{round(ms)} ms"
    return f"{format_decimal(round(ms / 1000, 1), '0.0', current_language().locale)} s"


def format_share(share: float) -> str:
    """Write a part of a whole as a percentage."""
    return str(format_percent(round(share, 2), locale=current_language().locale))


def format_list(names: list[str]) -> str:
    """Write a list of names: `a, b and c`."""
    return str(write_list(names, locale=current_language().locale))


def natural_key(text: str) -> list[tuple[bool, int, str]]:
    """Return a key to sort by: numbers by value, letters without accents and case. `item 2` precedes `item 10`."""
    folded = "".join(letter for letter in normalise(text.casefold(), "NFKD") if not combining(letter))
    parts = ("".join(run) for _, run in groupby(folded, str.isdecimal))
    return [(False, int(part), "") if part.isdecimal() else (True, 0, part) for part in parts]


def format_bytes(number: int) -> str:
    """Write a size as people say it: 1.5 MB, 30 kB."""
    for unit, size in (("GB", 1024**3), ("MB", 1024**2), ("kB", 1024)):
        if number >= size:
            value = number / size
            digits = "#,##0.0" if value < 10 else "#,##0"
            return f"{format_decimal(value, format=digits, locale=current_language().locale)}\N{NO-BREAK SPACE}{unit}"
    return ngettext("%(num)s byte", "%(num)s bytes", number)


def name_colour(colour: Colour) -> str:
    return {
        Colour.YELLOW: pgettext("colour", "Yellow"),
        Colour.RED: pgettext("colour", "Red"),
        Colour.GREEN: pgettext("colour", "Green"),
        Colour.BLUE: pgettext("colour", "Blue"),
    }[colour]


def name_highlighting(colour: Colour) -> str:
    """Return the label of the button that highlights in a colour."""
    return {
        Colour.YELLOW: _("Highlight in yellow"),
        Colour.RED: _("Highlight in red"),
        Colour.GREEN: _("Highlight in green"),
        Colour.BLUE: _("Highlight in blue"),
    }[colour]


def link_urls(text: str) -> Markup:
    """Escape a note, which is plain text, and make each URL in it a link."""
    parts: list[Markup] = []
    end = 0
    for start, url in list_urls(text):
        parts += [escape(text[end:start]), _LINK.format(url)]
        end = start + len(url)
    return Markup("").join([*parts, escape(text[end:])])


# --- tags as they are typed into one field, separated by commas -------------------------------------------------------


LONGEST: Final = MAX_TAGS * (MAX_TAG + 2)  # as long as a field can be whose tags are all allowed


def split_tags(text: str, shown: Sequence[str]) -> tuple[str, ...]:
    """Split a field at its commas. A tag in `shown`, those first in the field, stays whole: "Food, Drink"."""
    typed = _parts_of(text)
    if len(text) > LONGEST:
        return tuple(typed)
    with_commas = [(tag, _parts_of(tag)) for tag in shown[:MAX_TAGS] if "," in tag]
    tags: list[str] = []
    place = 0
    while place < len(typed):
        tag, length = typed[place], 1
        for known, parts in with_commas:
            if len(parts) > length and typed[place] == parts[0] and typed[place : place + len(parts)] == parts:
                tag, length = known, len(parts)
        tags.append(tag)
        place += length
    return tuple(tags)


def _parts_of(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]
