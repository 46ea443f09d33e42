"""How well highlights are found: spans selected in a browser, and spans in an article that was rewritten."""

import random
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Final

from playwright.async_api import Page

from kept.content.article.canonical import canonical_text
from kept.content.article.highlights.alignment import Copies
from kept.content.article.highlights.anchoring import TextIndex, quote_at
from kept.content.article.highlights.folded_text import TYPOGRAPHIC, TYPOGRAPHY_FOLDED, FoldedText
from kept.content.article.safe_html import SafeHtml
from kept.domain.highlight import MAX_QUOTE, Quote, Span
from support.article_editor import rewrite_article
from support.marks import find_between

SPANS_A_PAGE: Final = 20
# The longest passage anybody would mark by hand; the lengths between are equally likely by their logarithm.
LONGEST: Final = 2_000
# Passages with so many letters in common cannot be told apart by a quote and its context.
_PASSAGE: Final = 20
_TEXT_NODE: Final = re.compile(r"<[^<>]*>|([^<]+)")
_ESCAPE: Final = re.compile(r"&(?:lt|gt|amp|nbsp);|.", re.DOTALL)

# Where a quote stands, by a hint.
Finder = Callable[[Quote, int], Awaitable[Span | None]]

# Selects from and to a character of a text node, as by mouse; tells what a page can know of the selection.
SELECT: Final = """
([wanted, longest]) => {
  const prose = document.querySelector("#prose");
  const walker = document.createTreeWalker(prose, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  const lengths = nodes.map(node => node.data.length);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const place = offset => {
    for (let index = 0; index < nodes.length; index++) {
      if (offset < lengths[index]) return [index, offset];
      offset -= lengths[index];
    }
    return null;
  };
  const segmenter = new Intl.Segmenter("en", {granularity: "grapheme"});
  const segments = nodes.map(node => segmenter.segment(node.data));
  // A whole letter that is seen: its accents, white space and what a closed <details> hides cannot be pointed at.
  const seen = ([index, offset]) => {
    const letter = segments[index].containing(offset);
    const range = document.createRange();
    range.setStart(nodes[index], offset);
    range.setEnd(nodes[index], offset + letter.segment.length);
    const shown = nodes[index].parentElement.checkVisibility() && range.getClientRects().length > 0;
    return shown && letter.index === offset && /^[^\\p{M}\\s\\u00ad\\u200b]/u.test(letter.segment);
  };
  const selection = getSelection();
  const text = (startNode, startOffset, endNode, endOffset) => {
    selection.setBaseAndExtent(startNode, startOffset, endNode, endOffset);
    return selection.toString();
  };
  const found = [];
  for (const [at, length] of wanted) {
    let start = Math.floor(at * total);
    while (start < total && !seen(place(start))) start++;
    if (start >= total) continue;
    let end = Math.min(total - 1, start + length - 1);
    while (end > start && !seen(place(end))) end--;
    const [from, first] = place(start), [to, offset] = place(end);
    const last = offset + segments[to].containing(offset).segment.length;
    const exact = text(nodes[from], first, nodes[to], last);
    const before = text(prose, 0, nodes[from], first);
    const after = text(nodes[to], last, prose, prose.childNodes.length);
    if (exact.length > longest) continue;
    found.push({
      from, first, to, last, exact,
      prefix: [...before].slice(-32).join(""), suffix: [...after.slice(0, 200)].slice(0, 32).join(""),
      hint: [...before.replace(/\\s+/g, " ")].length,
    });
  }
  return {texts: nodes.map(node => node.data), found};
}
"""


@dataclass(slots=True)
class Tally:
    """How many were looked for and found where they were taken, and those that were not."""

    total: int = 0
    found: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def add(self, name: str, text: str, quote: Quote, got: Span | None, truth: Span | None, *, is_right: bool) -> None:
        self.total += 1
        self.found += is_right
        if not is_right:
            shown = text[got.start : got.end] if got else None
            meant = text[truth.start : truth.end] if truth else None
            line = f"{name}: {got} {shown!r:.200} instead of {truth} {meant!r:.200} for {quote!r:.300}"
            (self.missed if got is None else self.wrong).append(line)

    @property
    def share(self) -> float:
        return self.found / max(1, self.total)


def is_repeated(text: str, span: Span) -> bool:
    """Whether the article has the passage twice: a few words that begin with it, end with it, or are its middle."""
    letters = FoldedText.of(text, TYPOGRAPHY_FOLDED)
    start, end = letters.fold(span.start), letters.fold(span.end)
    middle = (start + end) // 2
    starts = {middle - _PASSAGE // 2} if end - start >= _PASSAGE else {start, middle - _PASSAGE // 2, end - _PASSAGE}
    return any(letters.text.count(letters.text[max(0, at) : max(0, at) + _PASSAGE]) > 1 for at in starts)


def choose_lengths(dice: random.Random, count: int) -> list[tuple[float, int]]:
    return [(dice.random(), round(LONGEST ** dice.random())) for _ in range(count)]


# --- in a browser -----------------------------------------------------------------------------------------------------


async def show_article(page: Page, html: SafeHtml) -> None:
    """As the reader's page shows it, with its style; images are not fetched."""
    static = files("kept.web").joinpath("static")
    style = "".join(static.joinpath(name).read_text("utf-8") for name in ("kept.css", "reading.css"))
    body = f'<article class="article"><div class="prose" id="prose">{html}</div></article>'
    await page.set_content(f"<!doctype html><meta charset=utf-8><style>{style}</style><body>{body}</body>")


async def measure_selections(page: Page, name: str, html: SafeHtml, tally: Tally, *, count: int = SPANS_A_PAGE) -> None:
    """Select at random, and look for what the browser says was selected."""
    await show_article(page, html)
    index = TextIndex(str(canonical_text(html)))

    async def find(quote: Quote, hint: int) -> Span | None:
        return index.find_quote(quote, hint)

    await measure_shown(page, name, html, tally, find, count=count)


async def measure_shown(
    page: Page, name: str, html: SafeHtml, tally: Tally, find: Finder, *, count: int = SPANS_A_PAGE
) -> None:
    """The same of an article that the browser shows already, found by whoever is asked."""
    told: dict[str, Any] = await page.evaluate(SELECT, [choose_lengths(random.Random(name), count), MAX_QUOTE])
    nodes = [node for node in _TEXT_NODE.finditer(str(html)) if node[1]]
    assert [unescape(node[0]) for node in nodes] == told["texts"], f"{name}: the browser has other text nodes"
    text = str(canonical_text(html))
    for selected in told["found"]:
        truth = find_selected(str(html), nodes, selected)
        quote = Quote(selected["exact"], selected["prefix"], selected["suffix"])
        got = await find(quote, selected["hint"])
        tally.add(name, text, quote, got, truth, is_right=got == truth)


def find_selected(html: str, nodes: list[re.Match[str]], selected: dict[str, Any]) -> Span:
    """The truth: marks put into the markup where the selection begins and ends, and read in its canonical text."""
    start = offset_in_markup(nodes[selected["from"]], selected["first"])
    end = offset_in_markup(nodes[selected["to"]], selected["last"])
    return find_between(html[:start], html[start:end], html[end:])


def offset_in_markup(node: re.Match[str], units: int) -> int:
    """After so many UTF-16 code units of the text node."""
    at = node.start()
    for part in _ESCAPE.finditer(node[0]):
        if units <= 0:
            break
        units -= 1 if len(part[0]) > 1 or part[0] <= "\uffff" else 2
        at += len(part[0])
    return at


def unescape(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\xa0").replace("&amp;", "&")


# --- in another copy --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class RewrittenTally:
    """Spans of rewritten articles: those with all their words as they were, those with other words, and those of a
    passage that the article has twice, of which mostly nothing tells which it was."""

    untouched: Tally = field(default_factory=Tally)
    touched: Tally = field(default_factory=Tally)
    repeated: Tally = field(default_factory=Tally)


def measure_rewritten(
    name: str, text: str, tally: RewrittenTally, *, count: int = SPANS_A_PAGE, seed: str = ""
) -> None:
    """Rewrite the article and follow spans of the first copy into the second."""
    name += seed
    rewritten = rewrite_article(text, random.Random(name).randrange(2**32))
    copies = Copies(TextIndex(text), TextIndex(rewritten.text))
    assert copies.can_be_compared
    for at, length in choose_lengths(random.Random(name), count):
        span = trim(text, int(at * len(text)), int(at * len(text)) + length)
        if span is None:
            continue
        quote, truth = quote_at(text, span), rewritten.find(text, span)
        got = copies.follow(span)
        if rewritten.is_untouched(text, span):
            is_right = got is not None and same_words(rewritten.text, got, truth)
            judged = tally.untouched
        else:
            is_right = got is not None and (got == truth or rewritten.share_from(span, got) > 1 / 3)
            judged = tally.touched
        judged = tally.repeated if is_repeated(text, span) else judged
        judged.add(name, rewritten.text, quote, got, truth, is_right=is_right)


def trim(text: str, start: int, end: int) -> Span | None:
    part = text[start:end]
    stripped = part.strip()
    return Span(start + len(part) - len(part.lstrip()), start + len(part.rstrip())) if stripped else None


def same_words(text: str, one: Span, other: Span | None) -> bool:
    """The same but for quotation marks, dashes and dots at the ends."""
    return other is not None and core(text, one) == core(text, other)


def core(text: str, span: Span) -> tuple[int, int]:
    part = text[span.start : span.end]
    dropped = TYPOGRAPHIC + " \n\t\xad"
    return span.end - len(part.lstrip(dropped)), span.start + len(part.rstrip(dropped))
