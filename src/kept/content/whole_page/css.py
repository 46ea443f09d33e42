"""Style sheets in which nothing is loaded from anywhere: what they ask for is put inside, or taken out.

This is no parser of CSS but three passes with patterns that know strings, comments and escapes. What remains is still
read by a browser under a policy that lets nothing be loaded.
"""

import re
from typing import Final

from kept.content.page.links import resolve_http
from kept.content.whole_page.resources import Resources

MAX_IMPORTS: Final = 5

_COMMENT: Final = r"/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)"
_STRING: Final = r"\"(?:[^\"\\\n]++|\\.)*+(?:\"|(?=\n)|\Z)|'(?:[^'\\\n]++|\\.)*+(?:'|(?=\n)|\Z)"
# Letters may be written as numbers, so that `u\72l(` is `url(`.
_ESCAPED: Final = re.compile(rf"{_COMMENT}|{_STRING}|\\(?:([0-9a-fA-F]{{1,6}})[ \t\r\n\f]?|([g-zG-Z@(-]))", re.DOTALL)
_LOADING: Final = re.compile(
    rf"{_COMMENT}|(?P<string>{_STRING})|(?P<url>(?:url|src)\()|(?P<set>(?:-webkit-)?image-set\()"
    rf"|(?P<import>@import(?:{_STRING}|[^;{{}}\"']++)*+;?)|(?P<rule>@(?:charset|namespace)(?:{_STRING}|[^;{{}}\"']++)*+;?)",
    re.DOTALL | re.IGNORECASE,
)
_URL_REST: Final = re.compile(rf"\s*+(?:({_STRING})|((?:[^)\\\"'(\s]++|\\.)*+))[^)]*+\)?", re.DOTALL)
_IMPORTED: Final = re.compile(
    rf"@import\s*+(?:url\(\s*+)?(?:({_STRING})|([^)\s;\"']*+))\s*+\)?([^;]*+)", re.DOTALL | re.I
)
_PLACE: Final = re.compile(r"#[\w:.-]{1,200}")
_MEDIA: Final = re.compile(r"\s*+[\w\s():,.-]++")
_NUMBERED: Final = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\r\n\f]?|(\n)|(.))", re.DOTALL)
# What would end the element that holds the rules, or be an element where a parser reads them as markup.
_TAG: Final = re.compile(r"<(?=[a-zA-Z/!?])")


class StyleSheets:
    """The style sheets of one page."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources

    def clean(self, css: str, base_url: str, depth: int = 0) -> str:
        """Return the same rules, with everything they ask for inside."""
        plain = _ESCAPED.sub(_unescape_letter, css)
        out: list[str] = []
        at = 0
        while (match := _LOADING.search(plain, at)) is not None:
            out.append(plain[at : match.start()])
            written, at = self._replace(plain, match, base_url, depth)
            out.append(written)
        out.append(plain[at:])
        return _TAG.sub(r"\\3c ", "".join(out))

    def _replace(self, css: str, match: re.Match[str], base_url: str, depth: int) -> tuple[str, int]:
        match match.lastgroup:
            case "string":
                return match[0], match.end()
            case "url":
                rest = _URL_REST.match(css, match.end())
                assert rest is not None
                return self._write_url(_read_string(rest), base_url), rest.end()
            case "set":  # its strings are URLs; a property that no browser knows is passed over
                return "-kept-set(", match.end()
            case "import":
                return self._write_import(match[0], base_url, depth), match.end()
            case _:
                return " ", match.end()

    def _write_url(self, url: str, base_url: str) -> str:
        if _PLACE.fullmatch(url):
            return f'url("{url}")'
        return f'url("{self._resources.find_asset(url, base_url) or "data:,"}")'

    def _write_import(self, rule: str, base_url: str, depth: int) -> str:
        match = _IMPORTED.match(rule)
        if match is None or depth >= MAX_IMPORTS:
            return " "
        url = _read_string(match)
        css = self.read_sheet(url, base_url, depth + 1)
        condition = match[3].strip()
        if css is None or (condition and not _MEDIA.fullmatch(condition)):
            return css or " "
        return f"@media {condition}{{{css}}}" if condition else css

    def read_sheet(self, url: str, base_url: str, depth: int = 0) -> str | None:
        """Return a style sheet of the page's file, cleaned; None where it holds none at that URL."""
        part = self._resources.find_part(url, base_url)
        if part is None or len(part.raw) > self._resources.room:
            return None
        css = part.read().decode("utf-8", "replace")
        if not self._resources.take(len(css)):
            return None
        return self.clean(css, resolve_http(part.location, base_url) or base_url, depth)


def _unescape_letter(match: re.Match[str]) -> str:
    if match[1] is None and match[2] is None:
        return match[0] if match[0][0] != "/" else " "
    if match[2] is not None:
        return match[2]
    number = int(match[1], 16)
    return chr(number) if 64 <= number < 123 and (chr(number).isalpha() or number == 64) else match[0]


def _read_string(match: re.Match[str]) -> str:
    """Return the URL, which is in quotation marks or not."""
    text = match[1][1:].rstrip(match[1][0]) if match[1] else match[2] or ""
    return _NUMBERED.sub(_unescape, text)


def _unescape(match: re.Match[str]) -> str:
    if match[1] is not None:
        number = int(match[1], 16)
        return chr(number) if 0 < number < 0xD800 or 0xE000 <= number <= 0x10FFFF else "\ufffd"
    return match[3] or ""
