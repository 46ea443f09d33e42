"""Finds a quote in an article's canonical text: when it is marked, and again in every later copy of the page.

Pure, and bounded: a quote costs a few passes over the text at worst, whatever it says. `TextIndex` prepares a text for
many quotes; the functions are for one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final, NamedTuple

from kept.content.article.highlights.approximate_match import GramIndex, Match, match_near
from kept.content.article.highlights.folded_text import SPACING_FOLDED, TYPOGRAPHY_FOLDED, FoldedText, fold
from kept.domain.highlight import CONTEXT_LENGTH, Quote, Span
from kept.domain.text import begins_letter, normalise

# A quote with more places is a word or less; then only places this near to the hint are looked at.
_MAX_PLACES: Final = 600
_NEAR_HINT: Final = 300
# So many letters are certainly the quote, wherever a browser has put spaces between them.
_ENOUGH_WITHOUT_SPACES: Final = 20
# So many letters of quote and context are not together twice by chance.
_ENOUGH_EVIDENCE: Final = 28
# The right one of two places with the quote has so many more letters of its context.
_CLEAR_MARGIN: Final = 4
# The right one of two places that are equal in all of it is so many times nearer to where the quote was.
_CLEARLY_NEARER: Final = 10
# At most a fifth of a changed quote may differ, or a tenth of a long one without its context beside it.
_MAX_CHANGED: Final = 0.2
_MAX_CHANGED_ALONE: Final = 0.1
_LONG_ENOUGH_ALONE: Final = 100
_ENOUGH_CONTEXT: Final = 20
# A longer quote is compared at its beginning, its middle and its end.
_COMPARED: Final = 200
# Words that came or went before a changed quote shift it by so many letters.
_SLACK: Final = 40
_MAX_ESTIMATES: Final = 3
# So many letters of context beside a changed quote tell where it begins or ends better than the quote itself.
_EDGE: Final = 8
_LONG_WORD: Final = 12


def find_quote(text: str, quote: Quote, hint: int | None = None) -> Span | None:
    """Find a quote that somebody marked in this text; None if it is not there.

    White space and soft hyphens do not count, as a browser shows and copies them in its own way. Of several places, the
    one with most of prefix and suffix around it is taken; of these, the one nearest to the hint.
    """
    return TextIndex(text).find_quote(quote, hint)


def reanchor(text: str, quote: Quote, hint: int | None = None) -> Span | None:
    """Find a quote from another copy of the page in this one; None if its place is not certain.

    It is looked for as it is; then without quotation marks, dashes and dots; then, by its context, where the text
    differs in a few letters. The hint chooses among places that are equal otherwise.
    """
    return TextIndex(text).reanchor(quote, hint)


def quote_at(text: str, span: Span) -> Quote:
    return Quote(
        exact=text[span.start : span.end],
        prefix=text[max(0, span.start - CONTEXT_LENGTH) : span.start],
        suffix=text[span.end : span.end + CONTEXT_LENGTH],
    )


class _Folded(NamedTuple):
    """A quote and its context, folded like the text in which they are looked for."""

    exact: str
    prefix: str
    suffix: str
    begins_within_word: bool = False
    ends_within_word: bool = False

    @classmethod
    def of(cls, quote: Quote, staying: re.Pattern[str]) -> "_Folded":
        exact, prefix, suffix = (normalise(part, "NFC") for part in _with_whole_letters(quote))
        return cls(
            exact=fold(exact, staying),
            prefix=fold(prefix, staying),
            suffix=fold(suffix, staying),
            begins_within_word=_is_one_word(prefix[-1:] + exact[:1]),
            ends_within_word=_is_one_word(exact[-1:] + suffix[:1]),
        )


def _with_whole_letters(quote: Quote) -> tuple[str, str, str]:
    """Return exact, prefix and suffix, none of which begins with the accent of a letter before it."""
    exact, prefix, suffix = quote.exact, quote.prefix[-CONTEXT_LENGTH:], quote.suffix[:CONTEXT_LENGTH]
    while suffix and not begins_letter(suffix[0]):
        exact, suffix = exact + suffix[0], suffix[1:]
    while prefix and exact and not begins_letter(exact[0]):
        prefix, exact = prefix[:-1], prefix[-1] + exact
    return exact, prefix, suffix


class _Place(NamedTuple):
    """The folded quote's place in the folded text, and how many letters of its context are beside it."""

    start: int
    before: int
    after: int

    @property
    def agreement(self) -> int:
        return self.before + self.after

    def has_all(self, wanted: _Folded) -> bool:
        return self.agreement == len(wanted.prefix) + len(wanted.suffix)


@dataclass(frozen=True)
class TextIndex:
    """A canonical text, prepared for many quotes."""

    text: str

    def find_quote(self, quote: Quote, hint: int | None = None) -> Span | None:
        wanted = _Folded.of(quote, SPACING_FOLDED)
        places = _find_places(self._by_spacing, wanted, hint)
        if not places:
            return None
        most = max(place.agreement for place in places)
        spans = [
            self._by_spacing.unfold(place.start, place.start + len(wanted.exact))
            for place in places
            if place.agreement == most
        ]
        if _weigh(wanted.exact) + most < _ENOUGH_WITHOUT_SPACES:
            spans = self._spaced_as(spans, quote)
        return min(spans, key=lambda span: abs(span.start - (hint or 0)), default=None)

    def reanchor(self, quote: Quote, hint: int | None = None) -> Span | None:
        spaced, lettered = _Folded.of(quote, SPACING_FOLDED), _Folded.of(quote, TYPOGRAPHY_FOLDED)
        # A passage that is the same to the letter elsewhere must not win over this one with other quotation marks.
        for folded, wanted, needs_context in (
            (self._by_spacing, spaced, True),
            (self.letters, lettered, False),
            (self._by_spacing, spaced, False),
        ):
            place = _choose(_find_places(folded, wanted, hint), wanted, hint if hint is None else folded.fold(hint))
            if place is not None and (place.has_all(spaced) or not needs_context):
                return self.unfold(folded, quote.exact, place.start, place.start + len(wanted.exact))
        match = _find_changed(self.letters.text, self._grams, lettered)
        return self.unfold(self.letters, quote.exact, match.start, match.end) if match else None

    def _spaced_as(self, spans: list[Span], quote: Quote) -> list[Span]:
        """Return the spans with a space wherever the quote has one, so that "now here" is not found in "nowhere"."""
        words = _split_words(normalise(_with_whole_letters(quote)[0], "NFC"))
        return [span for span in spans if _split_words(self.text[span.start : span.end]) == words]

    def unfold(self, folded: FoldedText, exact: str, start: int, end: int) -> Span:
        """Return the span in the text, with quotation marks, dashes and dots at its ends that folding left out."""
        span, exact = folded.unfold(start, end), exact.strip()
        if folded is self._by_spacing:
            return span
        before = self.text[max(0, span.start - _count_folded(exact)) : span.start]
        after = self.text[span.end : span.end + _count_folded(exact[::-1])]
        first = before[len(before) - _count_folded(before[::-1]) :].lstrip()
        last = after[: _count_folded(after)].rstrip()
        return Span(span.start - len(first), span.end + len(last))

    @cached_property
    def _by_spacing(self) -> FoldedText:
        return FoldedText.of(self.text, SPACING_FOLDED)

    @cached_property
    def letters(self) -> FoldedText:
        """The text without white space, quotation marks, dashes and dots."""
        return FoldedText.of(self.text, TYPOGRAPHY_FOLDED)

    @cached_property
    def _grams(self) -> GramIndex:
        return GramIndex.of(self.letters.text)


# --- as it is ---------------------------------------------------------------------------------------------------------


def _find_places(folded: FoldedText, wanted: _Folded, hint: int | None) -> list[_Place]:
    """Return the places of the quote with all of its context; if there are none, all places of the quote."""
    if not wanted.exact:
        return []
    near = None if hint is None else folded.fold(hint)
    whole = _find_all(folded.text, wanted.prefix + wanted.exact + wanted.suffix, near)
    if whole:
        return [_Place(start + len(wanted.prefix), len(wanted.prefix), len(wanted.suffix)) for start in whole]
    starts = _find_all(folded.text, wanted.exact, near)
    return [_Place(start, *_agree(folded.text, start, start + len(wanted.exact), wanted)) for start in starts]


def _find_all(text: str, wanted: str, near: int | None) -> list[int]:
    found = list(islice(_iterate_places(text, wanted, 0, len(text)), _MAX_PLACES))
    if near is None or len(found) < _MAX_PLACES:
        return found
    around = _iterate_places(text, wanted, max(0, near - _NEAR_HINT), near + _NEAR_HINT + len(wanted))
    return list(islice(around, _MAX_PLACES)) or found


def _iterate_places(text: str, wanted: str, start: int, end: int) -> Iterator[int]:
    # `find` is linear whatever the two texts are; `rfind` is not.
    while (start := text.find(wanted, start, end)) >= 0:
        yield start
        start += 1


def _agree(text: str, start: int, end: int, wanted: _Folded) -> tuple[int, int]:
    """Return how many letters of the context are right before the start, and right after the end."""
    before = text[max(0, start - len(wanted.prefix)) : start]
    after = text[end : end + len(wanted.suffix)]
    return _count_common(before[::-1], wanted.prefix[::-1]), _count_common(after, wanted.suffix)


def _choose(places: list[_Place], wanted: _Folded, near: int | None) -> _Place | None:
    """Return the one place that can be meant, or None."""
    if not places:
        return None
    if not wanted.prefix and not wanted.suffix:
        return _choose_without_context(places, wanted, near)
    best = max(places, key=lambda place: place.agreement)
    rivals = [place for place in places if place.agreement > best.agreement - _CLEAR_MARGIN]
    if len(rivals) > 1:
        return _choose_nearest(rivals, near) if best.has_all(wanted) else None
    has_evidence = _weigh(wanted.exact) + best.agreement >= _ENOUGH_EVIDENCE
    return best if has_evidence and _is_cut_alike(wanted, best.before, best.after) else None


def _is_cut_alike(wanted: _Folded, before: int, after: int) -> bool:
    """Return whether a quote that begins or ends within a word has the rest of that word beside it."""
    return (before > 0 or not wanted.begins_within_word) and (after > 0 or not wanted.ends_within_word)


def _choose_without_context(places: list[_Place], wanted: _Folded, near: int | None) -> _Place | None:
    """Return the only place, however short the quote; of several places of a long one the nearest, or the first."""
    if len(places) > 1 and _weigh(wanted.exact) < _ENOUGH_EVIDENCE:
        return None
    return min(places, key=lambda place: abs(place.start - (near or 0)))


def _choose_nearest(rivals: list[_Place], near: int | None) -> _Place | None:
    """Return the place nearest to where the quote was, among equal ones; None if another is nearly as near."""
    if near is None:
        return rivals[0]
    nearest, second = sorted(rivals, key=lambda place: abs(place.start - near))[:2]
    return nearest if abs(nearest.start - near) * _CLEARLY_NEARER <= abs(second.start - near) else None


# --- changed a little -------------------------------------------------------------------------------------------------


def _find_changed(text: str, grams: GramIndex, wanted: _Folded) -> Match | None:
    exact = wanted.exact
    if len(exact) <= 2 * _COMPARED:
        return _find_changed_part(text, grams, wanted)
    middle = len(exact) // 2
    parts = (
        _Folded(exact[:_COMPARED], wanted.prefix, exact[_COMPARED:][:CONTEXT_LENGTH]),
        _Folded(exact[middle : middle + _COMPARED], exact[:middle][-CONTEXT_LENGTH:], ""),
        _Folded(exact[-_COMPARED:], exact[:-_COMPARED][-CONTEXT_LENGTH:], wanted.suffix),
    )
    found = [match for part in parts if (match := _find_changed_part(text, grams, part))]
    if len(found) < len(parts) or not found[0].start < found[1].start < found[2].start:
        return None
    length = found[2].end - found[0].start
    is_of_length = abs(length - len(exact)) <= _MAX_CHANGED * len(exact)
    return Match(found[0].start, found[2].end, abs(length - len(exact))) if is_of_length else None


def _find_changed_part(text: str, grams: GramIndex, wanted: _Folded) -> Match | None:
    """Find the one place that is near enough to the quote; None if several are, or none."""
    if not wanted.exact:
        return None
    estimates = grams.estimate_starts(wanted.prefix + wanted.exact + wanted.suffix, _SLACK)
    matches = {
        _settle_edges(text, match_near(wanted.exact, text, start + len(wanted.prefix), _SLACK), wanted)
        for start in estimates[:_MAX_ESTIMATES]
    }
    certain = [match for match in matches if _is_certain(text, match, wanted)]
    return certain[0] if len(certain) == 1 else None


def _settle_edges(text: str, match: Match, wanted: _Folded) -> Match:
    """Move start and end to the context, if that is as near as the changes can have put it."""
    start, end = match.start, match.end
    reach = match.distance + _LONG_WORD if match.distance else 0
    before, after = wanted.prefix[-_EDGE:], wanted.suffix[:_EDGE]
    if len(before) == _EDGE:
        found = text.find(before, max(0, start - reach - _EDGE), start + reach)
        start = found + _EDGE if found >= 0 else start
    if len(after) == _EDGE:
        found = text.find(after, max(0, end - reach), end + reach + _EDGE)
        end = found if found >= 0 else end
    return Match(start, end, match.distance)


def _is_certain(text: str, match: Match, wanted: _Folded) -> bool:
    length, changed = len(wanted.exact), match.distance / len(wanted.exact)
    before, after = _agree(text, match.start, match.end, wanted)
    if match.start >= match.end or changed > _MAX_CHANGED or not _is_cut_alike(wanted, before, after):
        return False
    is_alone = length >= _LONG_ENOUGH_ALONE and changed <= _MAX_CHANGED_ALONE
    evidence = _weigh(wanted.exact) - match.distance + before + after
    return (before + after >= _ENOUGH_CONTEXT or is_alone) and evidence >= _ENOUGH_EVIDENCE


# --- letters ----------------------------------------------------------------------------------------------------------


def _weigh(letters: str) -> int:
    """Return how much letters tell: a Chinese, Japanese or Korean character is as rare as two letters."""
    return len(letters) + sum(letter >= "\u2e80" for letter in letters)


def _is_one_word(two: str) -> bool:
    """Return whether no word ends between two characters. In Chinese and Japanese that cannot be seen."""
    return len(two) == 2 and two.isalnum() and two < "\u2e80"


def _split_words(text: str) -> list[str]:
    return [fold(word, SPACING_FOLDED) for word in text.split()]


def _count_common(one: str, other: str) -> int:
    """Return how many letters both begin with."""
    for index, (letter, its_other) in enumerate(zip(one, other, strict=False)):
        if letter != its_other:
            return index
    return min(len(one), len(other))


def _count_folded(text: str) -> int:
    """Return how many characters at the beginning are left out where typography is folded."""
    first = TYPOGRAPHY_FOLDED.search(text)
    return first.start() if first else len(text)
