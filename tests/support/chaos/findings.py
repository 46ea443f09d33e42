"""What a storm left in the database: every promise that was not kept, in words."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import RowMapping, select

from kept.domain.lifecycle import (
    ENRICHMENT_TRANSITIONS,
    FINAL,
    PROCESSING_TRANSITIONS,
    EnrichmentStatus,
    Lifecycle,
    ProcessingStatus,
    Transition,
)
from kept.storage import lifecycles, tables
from kept.storage.database.engine import Connection, Database
from kept.urls.url import parse_url
from support.chaos.site import SavedPage
from support.fixtures.transactions import reading


@dataclass(frozen=True)
class Accepted:
    """A save that was answered with success: to whom, of what, as which item."""

    page: SavedPage
    user_id: UUID
    item_id: UUID


@dataclass(frozen=True)
class Findings:
    states: Counter[str]
    fragments: int
    jobs: int
    attempts: int
    broken: list[str]


def look(database: Database, accepted: Sequence[Accepted]) -> Findings:
    with reading(database) as tx:
        rows = list(tx.execute(select(tables.media)).mappings())
        fragments = count_fragments(tx)
        jobs = [f"{row.kind} of {row.subject_id}" for row in tx.execute(select(tables.jobs))]
        snapshots = set(tx.execute(select(tables.page_snapshots.c.media_id)).scalars())
        broken = [f"job left: {job}" for job in jobs]
        for row in rows:
            history = lifecycles.list_transitions(tx, row["id"])
            faults = [*judge_media(row, fragments[row["id"]]), *judge_history(row, history)]
            faults += ["it has a snapshot still"] if row["id"] in snapshots else []
            broken += [f"{row['source_url']}: {fault}" for fault in faults]
        for save in accepted:
            broken += [f"{save.page.kind}, {save.page.url}: {fault}" for fault in judge_save(tx, save)]
    return Findings(
        Counter(row["processing_status"] for row in rows),
        sum(fragments.values()),
        len(jobs),
        sum(row["processing_attempts"] for row in rows),
        broken,
    )


def count_fragments(tx: Connection) -> Counter[UUID]:
    column = tables.fragments.c.media_id
    rows = tx.execute(select(column))
    return Counter(rows.scalars())


def judge_media(row: RowMapping, fragments: int) -> Iterator[str]:
    if ProcessingStatus(row["processing_status"]) not in FINAL:
        yield f"it is still {row['processing_status']}"
    if EnrichmentStatus(row["enrichment_status"]) is EnrichmentStatus.PENDING:
        yield "its card is still pending"
    is_ready = row["processing_status"] == ProcessingStatus.READY_FOR_READING
    if fragments != int(is_ready):
        yield f"it is {row['processing_status']} and has {fragments} fragments"
    if not is_ready and not row["failure_code"]:
        yield f"it is {row['processing_status']} and does not say why"


def judge_history(row: RowMapping, history: Sequence[Transition]) -> Iterator[str]:
    if [line.sort_key for line in history] != list(range(1, row["version"] + 1)):
        yield f"its history is numbered {[line.sort_key for line in history]}, its version is {row['version']}"
    by_lifecycle: dict[Lifecycle, list[Transition]] = defaultdict(list)
    for line in history:
        by_lifecycle[line.lifecycle].append(line)
    yield from judge_steps(by_lifecycle[Lifecycle.PROCESSING], None, row["processing_status"])
    yield from judge_steps(by_lifecycle[Lifecycle.ENRICHMENT], EnrichmentStatus.PENDING, row["enrichment_status"])


def judge_steps(lines: Iterable[Transition], state: str | None, now: str) -> Iterator[str]:
    for line in lines:
        if line.from_state != state:
            yield f"line {line.sort_key} begins at {line.from_state}, the one before ended at {state}"
        if not is_allowed(line):
            yield f"line {line.sort_key} goes from {line.from_state} to {line.to_state}"
        state = line.to_state
    if state != now:
        yield f"its history ends at {state}, it is {now}"


def is_allowed(line: Transition) -> bool:
    if line.lifecycle is Lifecycle.ENRICHMENT:
        return EnrichmentStatus(line.to_state) in ENRICHMENT_TRANSITIONS[EnrichmentStatus(line.from_state or "")]
    origin = ProcessingStatus(line.from_state) if line.from_state else None
    return ProcessingStatus(line.to_state) in PROCESSING_TRANSITIONS[origin]


def judge_save(tx: Connection, save: Accepted) -> list[str]:
    """The saver has an item of that page, under the id they were told or (after a merge) under the page's."""
    row = find_held(tx, save)
    if row is None:
        return ["it was accepted and is not there"]
    faults = []
    if row["processing_status"] != save.page.ends_as:
        faults.append(f"it should be {save.page.ends_as} and is {row['processing_status']} ({row['failure_code']})")
    elif save.page.ends_as is ProcessingStatus.READY_FOR_READING and save.page.words not in row["canonical_text"]:
        faults.append("its article is another page's")
    if save.page.needs_screenshot and not row["thumbnail_key"]:
        faults.append("it has no screenshot")
    return faults


def find_held(tx: Connection, save: Accepted) -> RowMapping | None:
    items, media, aliases = tables.items, tables.media, tables.url_aliases
    own = select(tables.libraries.c.id).where(tables.libraries.c.owner_id == save.user_id)
    named = select(aliases.c.media_id).where(aliases.c.url == str(parse_url(save.page.url)))
    query = (
        select(media, tables.fragments.c.canonical_text)
        .join(items, items.c.media_id == media.c.id)
        .outerjoin(tables.fragments, tables.fragments.c.media_id == media.c.id)
        .where(items.c.library_id.in_(own))
    )
    for condition in (items.c.id == save.item_id, media.c.id.in_(named)):
        found = tx.execute(query.where(condition)).mappings().first()
        if found is not None:
            return found
    return None
