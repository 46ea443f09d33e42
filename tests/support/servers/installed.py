"""A page to save with a Kept that was installed or started as people do it, and when it is complete."""

from typing import Final

from support.servers.serving import Person

_PARAGRAPH: Final = (
    "<p>" + "Nobody who walked along the harbour that morning thought of the storm to come. " * 4 + "</p>"
)
PAGE: Final = f"<!doctype html><title>The harbour</title><article><h1>The harbour</h1>{_PARAGRAPH * 8}</article>"
COMPLETE_SECONDS: Final = 120.0


async def is_complete(person: Person, saved: str) -> bool:
    """The article of the item at this path can be read, and a screenshot stands for the page."""
    item = (await person.get(saved)).data
    if item["processing_status"] != "ready_for_reading":
        return False
    thumbnail = await person.get(f"{saved}/thumbnail")
    return thumbnail.status == 200 and thumbnail.headers["content-type"] == "image/webp"
