"""A page's description of its article in JSON-LD, for `metadata` and for the choice of an article."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from kept.content.page.text_cleaning import decode_line
from kept.domain.json import JsonObject, JsonValue

_MAX_SCRIPT: Final = 512 * 1024
_MAX_SCRIPTS: Final = 20
_MARK: Final = "application/ld+json"
_MAX_NODES: Final = 500
_MAX_AUTHORS: Final = 5
_ARTICLE_TYPES: Final = ("article", "blogposting", "report", "webpage", "recipe", "review", "videoobject")


@dataclass(frozen=True, slots=True)
class LinkedData:
    """The article's own description of itself; each field may be missing."""

    headline: str | None = None
    description: str | None = None
    byline: str | None = None
    people: str | None = None
    """The people in the byline, if it says that they are people."""
    site_name: str | None = None
    published: str | None = None


def find_json_ld(html: str) -> list[str]:
    """Find the page's JSON-LD scripts in its text: pages put them anywhere, even at their very end."""
    scripts: list[str] = []
    position = html.find(_MARK)
    while position >= 0 and len(scripts) < _MAX_SCRIPTS:
        start = html.find(">", position) + 1
        end = html.find("</script", start)
        if start == 0 or end < 0:
            break
        scripts.append(html[start:end])
        position = html.find(_MARK, end)
    return scripts


def read_json_ld(scripts: list[str]) -> LinkedData:
    """Read the first article-like node from all of a page's scripts; malformed ones are ignored."""
    nodes = [node for script in scripts for node in _nodes(_load(script))]
    articles = [node for node in nodes if _is_article(node)]
    return LinkedData(
        headline=_first(articles, lambda node: _text(node.get("headline"))),
        description=_first(articles, lambda node: _text(node.get("description"))),
        byline=_first(articles, lambda node: _names(node.get("author"))),
        people=_first(articles, lambda node: _names(_people(node.get("author")))),
        site_name=_first(articles, lambda node: _names(node.get("publisher"))),
        published=_first(articles, lambda node: _text(node.get("datePublished"))),
    )


def find_article_body(html: str) -> str | None:
    """Return the longest text of the article that the page gives as data, without tags."""
    nodes = (node for script in find_json_ld(html) for node in _nodes(_load(script)))
    bodies = [body for node in nodes if isinstance(body := node.get("articleBody"), str)]
    return decode_line(max(bodies, key=len)) or None if bodies else None


def _load(script: str) -> JsonValue:
    if len(script) > _MAX_SCRIPT:
        return None
    # Some generators wrap the object in a comment or CDATA, or end it like a statement.
    start = min((at for at in (script.find("{"), script.find("[{")) if at >= 0), default=-1)
    end = max(script.rfind("}"), script.rfind("}]") + 1)
    if start < 0 or end < start:
        return None
    try:
        loaded: JsonValue = json.loads(script[start : end + 1], strict=False)
    except (ValueError, RecursionError):
        return None
    return loaded


def _nodes(data: JsonValue) -> Iterator[JsonObject]:
    """Yield the top objects and those in a graph, in the page's order."""
    waiting = [data]
    for _ in range(_MAX_NODES):
        if not waiting:
            return
        data = waiting.pop()
        if isinstance(data, list):
            waiting.extend(reversed(data))
        elif isinstance(data, dict):
            yield data
            waiting.extend(data[key] for key in ("mainEntity", "@graph") if key in data)


def _is_article(node: JsonObject) -> bool:
    kinds = node.get("@type")
    names = kinds if isinstance(kinds, list) else [kinds]
    return any(isinstance(name, str) and name.lower().endswith(_ARTICLE_TYPES) for name in names)


def _first(nodes: list[JsonObject], read: Callable[[JsonObject], str | None]) -> str | None:
    return next(filter(None, map(read, nodes)), None)


def _text(value: JsonValue) -> str | None:
    if isinstance(value, list) and value:
        value = value[0]
    return decode_line(value) or None if isinstance(value, str) else None


def _people(value: JsonValue) -> JsonValue:
    named = value if isinstance(value, list) else [value]
    return [person for person in named if isinstance(person, dict) and person.get("@type") == "Person"]


def _names(value: JsonValue) -> str | None:
    """Return the names of one person or several, or the plain text that some pages put there."""
    people = value if isinstance(value, list) else [value]
    names = [_text(person.get("name") if isinstance(person, dict) else person) for person in people]
    return ", ".join(dict.fromkeys(name for name in names[:_MAX_AUTHORS] if name and "://" not in name)) or None
