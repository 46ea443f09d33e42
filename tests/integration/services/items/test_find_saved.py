"""A saved page is found by what a person has at hand: the id of its item or media, or its URL."""

from uuid import UUID, uuid4

import pytest

from kept.domain.errors import NotFound
from kept.services.items.lists import find_saved
from kept.storage import media
from support.builders.libraries import Owner
from support.fixtures.transactions import writing

URL = "https://example.org/a"


async def test_by_the_id_of_its_item_or_media_or_by_its_url(owner: Owner) -> None:
    card = await owner.save(URL)
    for wanted in (
        str(card.item.id),
        str(card.media.id),
        URL,
        "example.org/a",
        "ann:secret@example.org/a",
        "HTTPS://EXAMPLE.ORG:443/a#part",
    ):
        assert (await owner.database.read(find_saved, owner.viewer, wanted)).item.id == card.item.id


async def test_by_a_url_that_is_not_of_the_web(owner: Owner) -> None:
    card = await owner.save("mailto:ann@example.org")
    assert (await owner.database.read(find_saved, owner.viewer, "mailto:ann@example.org")).item.id == card.item.id


async def test_by_the_id_of_a_media_that_was_merged_into_another(owner: Owner) -> None:
    card, old_id = await owner.save(URL), uuid4()
    with writing(owner.database) as tx:
        media.remember_merge(tx, old_id, card.media.id)
    assert (await owner.database.read(find_saved, owner.viewer, str(old_id))).item.id == card.item.id


async def test_what_somebody_else_saved_is_as_if_it_were_not_there(owner: Owner, other_owner: Owner) -> None:
    theirs = await other_owner.save(URL)
    for wanted in (URL, str(theirs.item.id), str(theirs.media.id)):
        with pytest.raises(NotFound):
            await owner.database.read(find_saved, owner.viewer, wanted)


@pytest.mark.parametrize(
    "wanted", ["", "not a url", str(UUID(int=7)), "https://example.org/other", "x" * 100_000, "\x00"]
)
async def test_what_is_not_saved_or_means_nothing_is_not_found(owner: Owner, wanted: str) -> None:
    await owner.save(URL)
    with pytest.raises(NotFound):
        await owner.database.read(find_saved, owner.viewer, wanted)
