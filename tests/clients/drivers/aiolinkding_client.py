"""aiolinkding through its own managers. Runs in its environment: python aiolinkding_client.py ADDRESS TOKEN PAGE."""

import asyncio
import json
import sys

from aiolinkding import async_get_client
from aiolinkding.errors import InvalidTokenError, RequestError, UnknownEndpointError

address, token, page = sys.argv[1:4]


async def main():
    told = {}
    client = await async_get_client(f"{address}/linkding", token)
    listed, offset = [], 0
    while True:
        part = await client.bookmarks.async_get_all(limit=60, offset=offset)
        listed += [bookmark["id"] for bookmark in part["results"]]
        offset += 60
        if part["next"] is None:
            break
    told["listed"], told["count"] = len(set(listed)), part["count"]
    told["archived"] = (await client.bookmarks.async_get_archived(limit=1))["count"]
    told["found"] = (await client.bookmarks.async_get_all(query="#tag-2 harbour"))["count"]
    made = await client.bookmarks.async_create(
        page, title="T", description="D", notes="N", tag_names=["one", "two"], unread=True
    )
    told["made"] = {name: made[name] for name in ("title", "description", "notes", "tag_names", "unread")}
    changed = await client.bookmarks.async_update(made["id"], title="U", tag_names=["three"])
    told["changed"] = {name: changed[name] for name in ("title", "notes", "tag_names")}
    await client.bookmarks.async_archive(made["id"])
    told["is_archived"] = (await client.bookmarks.async_get_single(made["id"]))["is_archived"]
    await client.bookmarks.async_unarchive(made["id"])
    try:  # it sends the name as "example", which linkding refuses too
        await client.tags.async_create("fresh")
    except RequestError:
        told["tag"] = "refused"
    every = await client.tags.async_get_all(limit=100)
    told["tags"] = every["count"]
    told["single"] = (await client.tags.async_get_single(every["results"][0]["id"]))["name"]
    told["theme"] = (await client.user.async_get_profile())["theme"]
    await client.bookmarks.async_delete(made["id"])
    try:
        await client.bookmarks.async_get_single(made["id"])
    except UnknownEndpointError:
        told["gone"] = True
    try:
        await client.bookmarks.async_create("http://")
    except RequestError:
        told["refused"] = True
    try:
        stranger = await async_get_client(f"{address}/linkding", "wrong")
        await stranger.bookmarks.async_get_all()
    except InvalidTokenError:
        told["unknown_token"] = True
    print(json.dumps(told))


asyncio.run(main())
