"""A whole page as one static file: every resource inside, nothing that runs, nothing that loads by itself.

The page is written anew from a parser's tree: each tag and attribute by its name, each value escaped. What could run,
load or send something is left out; links to other pages stay, and open in a window of their own. It is served under a
policy that would refuse all of it once more, and carries that policy itself, for when it is downloaded.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.image_sources import best_candidate
from kept.content.markup import tags, walk
from kept.content.page.bounds import find_excess
from kept.content.page.decode import clean_unicode, decode_html
from kept.content.page.links import page_base, resolve_link
from kept.content.whole_page.css import StyleSheets
from kept.content.whole_page.page_file import BadPageFile, PageFile
from kept.content.whole_page.policy import POLICY, SANDBOX
from kept.content.whole_page.resources import Resources

MAX_FRAMES: Final = 3
TOO_DEEP: Final = "The page is nested too deep."
_VOID: Final = tags("area br col hr img input wbr")
# Left out with all that is in them.
_REMOVED: Final = tags(
    "script noscript object embed applet base meta param source track audio frame frameset portal noframes noembed "
    "animate animateTransform animateMotion set handler mpath discard foreignobject fencedframe"
) | {"animateTransform", "animateMotion", "animateColor", "foreignObject"}
# What a browser loads, sends to or jumps to; each is written by its own rule or not at all.
_URL_ATTRIBUTES: Final = tags(
    "src srcset srcdoc href xlink:href xml:base action formaction ping background poster data code codebase archive "
    "classid cite longdesc lowsrc dynsrc manifest profile usemap icon imagesrcset imagesizes sizes attributionsrc "
    "style nonce integrity crossorigin referrerpolicy target rel download http-equiv content is autofocus sandbox "
    "allow csp loading fetchpriority from to by values shadowrootmode shadowmode formtarget form method enctype"
)
_ATTRIBUTE: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_:.-]{0,80}")
_TAG: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9_-]{0,60}")
_TEMPLATE: Final = re.compile(r"<(/?)template(?=[\s/>])", re.IGNORECASE)
_DOCTYPE: Final = re.compile(r"\s*+(?:<!--(?:[^-]++|-(?!->))*+-->\s*+)*+<!doctype\s++html", re.IGNORECASE)
_SHADOW: Final = "kept-template"
# Elements in whose content no escape is read.
_RENAMED: Final = dict.fromkeys(("xmp", "plaintext", "listing"), "pre")
_LINKS: Final = frozenset({"a", "area"})
_SVG_IMAGES: Final = frozenset({"image", "feImage"})
LINK_GUARD: Final = ' target="_blank" rel="noopener noreferrer nofollow" referrerpolicy="no-referrer"'


@dataclass(slots=True)
class _Writer:
    resources: Resources
    sheets: StyleSheets
    base_url: str
    depth: int
    """The number of frames that contain this document."""
    is_drawing: bool = False
    """Whether it is written as XML."""
    out: list[str] = field(default_factory=list)

    def enter(self, node: LexborNode, tag: str) -> str | None:
        """Write what opens the element; return what closes it, or None if its content is left out."""
        if tag in _REMOVED or not _TAG.fullmatch(tag):
            return None
        match tag:
            case "style":
                self._write_style(node, node.text() or "")
            case "link":
                self._write_link(node)
            case "img" | "video":
                self._write_image(node, tag)
            case "iframe":
                self._write_frame(node)
            case "template" | "kept-template":
                return self._open_shadow(node)
            case "input" if (node.attributes.get("type") or "").lower() == "hidden":
                return None
            case _:
                return self._open(node, _RENAMED.get(tag, tag))
        return None

    def _open(self, node: LexborNode, tag: str) -> str:
        self.out.append(f"<{tag}{self._attributes(node, tag)}>")
        if tag == "head":
            self.out.append(self._head())
        return "" if tag in _VOID and not self.is_drawing else f"</{tag}>"

    def text(self, node: LexborNode) -> None:
        self.out.append(_escape_text(node.text_content or ""))

    def _head(self) -> str:
        viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">'
        policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}; form-action \'none\'">'
        return f'<meta charset="utf-8">{policy}<meta name="referrer" content="no-referrer">{viewport}'

    def _write_style(self, node: LexborNode, css: str) -> None:
        media = node.attributes.get("media") or ""
        cleaned = self.sheets.clean(css, self.base_url)
        text = _escape_text(cleaned) if self.is_drawing else cleaned
        self.out.append(f"<style{f' media={_quote(media)}' if media else ''}>{text}</style>")

    def _write_link(self, node: LexborNode) -> None:
        words = (node.attributes.get("rel") or "").lower().split()
        if "stylesheet" not in words or "alternate" in words:
            return
        css = self.sheets.read_sheet(node.attributes.get("href") or "", self.base_url)
        if css is not None:
            media = node.attributes.get("media") or ""
            self.out.append(f"<style{f' media={_quote(media)}' if media else ''}>{css}</style>")

    def _write_image(self, node: LexborNode, tag: str) -> None:
        own = node.attributes
        sources = [own.get("poster")] if tag == "video" else [own.get("src"), best_candidate(own.get("srcset"))]
        parent = node.parent
        if tag == "img" and parent is not None and parent.tag == "picture":
            sources += [best_candidate(source.attributes.get("srcset")) for source in parent.css("source")]
        found = (self.resources.find_image(source, self.base_url) for source in sources if source)
        source = next(filter(None, found), None)
        if source is not None or tag == "img":
            src = f' src="{source}"' if source else ""
            self.out.append(f"<img{src}{self._attributes(node, 'img')}>")

    def _write_frame(self, node: LexborNode) -> None:
        """Write a frame's page into the page itself, as static as that."""
        inside = self._read_frame(node) if self.depth < MAX_FRAMES else None
        if inside is None:
            return
        html, base_url = inside
        page = _write_page(html, base_url, self.resources, self.sheets, self.depth + 1)
        if isinstance(page, str) and self.resources.take(len(page)):
            self.out.append(
                f"<iframe sandbox={_quote(SANDBOX)} srcdoc={_quote(page)}{self._attributes(node, 'iframe')}></iframe>"
            )

    def _read_frame(self, node: LexborNode) -> tuple[str, str] | None:
        srcdoc = node.attributes.get("srcdoc")
        if srcdoc:
            return srcdoc, self.base_url
        part = self.resources.find_part(node.attributes.get("src") or "", self.base_url)
        if part is None or part.media_type not in {"text/html", "application/xhtml+xml"}:
            return None
        if not self.resources.take(len(part.raw)):
            return None
        return decode_html(part.read(), part.content_type).text, part.location or self.base_url

    def _open_shadow(self, node: LexborNode) -> str | None:
        """Open a shadow root, which a page draws apart from its own styles; other templates show nothing."""
        own = node.attributes
        if own.get("shadowmode") is None and own.get("shadowrootmode") is None:
            return None
        self.out.append('<template shadowrootmode="open">')
        return "</template>"

    def _attributes(self, node: LexborNode, tag: str) -> str:
        own = node.attributes
        written = [
            f" {name}={_quote(self._clean_value(name, value or ''))}"
            for name, value in own.items()
            if _is_kept(name) and not (tag == "input" and name == "value" and _is_secret(own))
        ]
        if own.get("style"):
            written.append(f" style={_quote(self.sheets.clean(own['style'] or '', self.base_url))}")
        written.append(self._write_href(own, tag))
        return "".join(written)

    def _clean_value(self, name: str, value: str) -> str:
        """Clean a value, because drawings have styles in attributes of any name."""
        return self.sheets.clean(value, self.base_url) if "(" in value and name not in {"class", "id"} else value

    def _write_href(self, own: Mapping[str, str | None], tag: str) -> str:
        href = own.get("href") or own.get("xlink:href") or ""
        if not href:
            return ""
        if href.strip().startswith("#"):
            return f" href={_quote(href.strip())}"
        if tag in _SVG_IMAGES:
            image = self.resources.find_image(href, self.base_url)
            return f' href="{image}"' if image else ""
        link = resolve_link(href, self.base_url) if tag in _LINKS and not self.is_drawing else None
        return f" href={_quote(link)}{LINK_GUARD}" if link else ""


def make_static_page(file: PageFile, *, max_bytes: int) -> str | BadPageFile:
    """Write the whole page as one document of at most about `max_bytes` characters."""
    resources = Resources(file, max_bytes - len(file.html), _write_drawing)
    return _write_page(file.html, file.base_url, resources, StyleSheets(resources), 0)


def _write_page(html: str, base_url: str, resources: Resources, sheets: StyleSheets, depth: int) -> str | BadPageFile:
    excess = find_excess(html)
    if excess is not None:
        return BadPageFile(excess)
    tree = LexborHTMLParser(_TEMPLATE.sub(rf"<\1{_SHADOW}", clean_unicode(html)))
    root = tree.root
    if root is None:
        return BadPageFile(TOO_DEEP)
    base = tree.css_first("base[href]")
    base_url = page_base(base_url, base.attributes.get("href") if base is not None else None)
    writer = _Writer(resources, sheets, base_url, depth)
    if not walk(root, partial(_visit, writer), writer.out):
        return BadPageFile(TOO_DEEP)
    doctype = "<!doctype html>" if _DOCTYPE.match(html[:20_000]) else ""
    return doctype + "".join(writer.out)


def _write_drawing(svg: str) -> str | None:
    """Write an SVG file with nothing in it that runs or loads."""
    if find_excess(svg) is not None:
        return None
    tree = LexborHTMLParser(f"<!doctype html><body>{clean_unicode(svg)}")
    root = tree.css_first("svg")
    if root is None:
        return None
    nothing = Resources(PageFile.empty(), 1024 * 1024, lambda _: None)
    writer = _Writer(nothing, StyleSheets(nothing), "", MAX_FRAMES, is_drawing=True)
    is_whole = walk(root, partial(_visit, writer), writer.out, alone=True)
    return "".join(writer.out) if is_whole else None


def _is_kept(name: str) -> bool:
    lower = name.lower()
    return lower not in _URL_ATTRIBUTES and not lower.startswith("on") and _ATTRIBUTE.fullmatch(name) is not None


def _is_secret(own: Mapping[str, str | None]) -> bool:
    return (own.get("type") or "").lower() == "password"


def _visit(writer: _Writer, node: LexborNode) -> str | None:
    tag = node.tag
    if tag == "-text":
        writer.text(node)
        return None
    return None if tag is None or tag.startswith(("-", "!")) else writer.enter(node, tag)


def _escape_text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\xa0", "&#160;")


def _quote(value: str) -> str:
    return f'"{_escape_text(value).replace(chr(34), "&quot;")}"'
