"""SC-001, SC-002: of the corpus' pages saved through the API, how many answers hold a finished card."""

from typing import Any

import pytest
from aiohttp import web

from support.builders.extraction_corpus import ARTICLES_EXPECTED, MOZILLA_EXPECTED, load_articles, load_mozilla
from support.servers.origin import Origin
from support.servers.serving import Person


def serve(origin: Origin, name: str, body: bytes) -> str:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=body, content_type="text/html", charset="utf-8")

    return origin.on(f"/{name}", answer)


@pytest.mark.requirement("000", "SC-001", "SC-002", "SC-008")
async def test_sc_001_sc_002_real_pages_come_back_with_title_excerpt_and_image(
    ann: Person, bob: Person, origin: Origin
) -> None:
    # two people, so that neither saves too much in a minute
    articles = [await ann.save(serve(origin, f"a/{page.key}", page.body)) for page in load_articles()]
    others = [await bob.save(serve(origin, f"m/{page.key}", page.body)) for page in load_mozilla()]
    assert (len(articles), len(others)) == (ARTICLES_EXPECTED, MOZILLA_EXPECTED)
    assert share(articles, "title", "excerpt") >= 0.98
    assert share(articles, "preview_image_url") == 1
    assert share(articles + others, "title", "excerpt") >= 0.94
    assert share(articles + others, "preview_image_url") >= 0.77


def share(items: list[Any], *fields: str) -> float:
    return sum(all(item[field] for field in fields) for item in items) / len(items)
