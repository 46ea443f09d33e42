"""Highlights for tests: made through the API or the services, and their places found as a worker does."""

from typing import Any
from uuid import UUID

from kept.clock import utc_now
from kept.domain.highlight import Highlight, NewHighlight, parse_quote
from kept.domain.item import Card
from kept.domain.job import JobKind, Queue
from kept.services.highlights.anchoring import reanchor_highlights
from kept.services.highlights.annotations import import_highlights
from kept.services.highlights.highlights import create_highlight
from kept.storage import highlights
from kept.storage.database.engine import Database
from kept.storage.queue.claiming import Postponed, claim
from support.builders.jobs import RULES
from support.builders.libraries import Owner
from support.fixtures.transactions import reading, writing
from support.servers.serving import Person


async def post_highlight(person: Person, media_id: str, exact: str, **fields: Any) -> Any:
    """The highlight as the API tells it."""
    answer = await person.post(f"/api/v1/media/{media_id}/highlights", {"exact": exact, **fields})
    assert answer.status == 201, answer.body
    return answer.data


async def mark(owner: Owner, card: Card, exact: str, **fields: Any) -> Highlight:
    new = NewHighlight(parse_quote(exact), **fields)
    return await create_highlight(owner.database, owner.viewer, card.media.id, new, now=utc_now())


def bring(owner: Owner, card: Card, *new: NewHighlight) -> set[UUID]:
    """As an import does."""
    with writing(owner.database) as tx:
        return import_highlights(tx, owner.viewer.user_id, {card.media.id: new}, now=utc_now())


def list_on(owner: Owner, media_id: UUID) -> list[Highlight]:
    with reading(owner.database) as tx:
        return highlights.list_of_media(tx, owner.viewer.user_id, [media_id]).get(media_id, [])


async def anchor_waiting(database: Database) -> int:
    """Work off the jobs that find highlights in articles; how many there were."""
    done = 0
    while True:
        with writing(database) as tx:
            job = claim(tx, Queue.INGEST, [JobKind.ANCHOR_HIGHLIGHTS], now=utc_now(), rules=RULES)
        if job is None or isinstance(job, Postponed):
            return done
        await reanchor_highlights(database, job)
        done += 1
