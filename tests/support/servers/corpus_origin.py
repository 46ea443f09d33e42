"""`python -m support.servers.corpus_origin HOSTS`: the pages of the corpus on so many loopback addresses, each a host.

It prints its port. `/N/anything` is page N of the corpus; `/requests` tells how often which path was asked for.
A page is sent with a picture's address in its head unless the path ends in `-plain`, after 50 ms as if from afar.
"""

import asyncio
import sys
from collections import Counter
from typing import Final

from aiohttp import web

from support.builders.extraction_corpus import load_articles

DISTANCE_SECONDS: Final = 0.05
PICTURE: Final = b'<meta property="og:image" content="/picture.jpg">'


def host(number: int) -> str:
    return f"127.0.{1 + number // 250}.{1 + number % 250}"


async def serve(hosts: int) -> None:
    pages = [page.body for page in load_articles()]
    requests: Counter[str] = Counter()

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/requests":
            return web.json_response(requests)
        requests[request.path] += 1
        first = request.path.split("/")[1]
        if not first.isdecimal():
            return web.Response(status=404)
        await asyncio.sleep(DISTANCE_SECONDS)
        body = pages[int(first) % len(pages)]
        is_plain = request.path.endswith("-plain")
        return web.Response(body=strip_pictures(body) if is_plain else PICTURE + body, content_type="text/html")

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    await web.TCPSite(runner, host(0), 0).start()
    port = runner.addresses[0][1]
    for number in range(1, hosts):
        await web.TCPSite(runner, host(number), port).start()
    print(port, flush=True)
    await asyncio.Event().wait()


def strip_pictures(body: bytes) -> bytes:
    """No picture for a card: neither Open Graph's nor Twitter's."""
    return body.replace(b"og:image", b"og:none").replace(b"twitter:image", b"twitter:none")


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
