"""How many bytes an article takes, table by table and index by index, on SQLite and PostgreSQL: `./bench sizes`.

    ./bench sizes [--articles N] [--quick]

The pages of the corpus are read by the real extractor once, then written under new addresses again and again
through the functions that saves and workers use: saved, claimed, extracted, kept, each picture's blob recorded. Blobs
themselves are not written: their size is the web's, not ours. The queue is empty at the end, as it is in life.
"""

import argparse
import asyncio
import contextlib
import json
import statistics
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path
from typing import Final
from uuid import UUID

import psycopg
from backports import zstd
from rich.console import Console
from rich.progress import track
from rich.table import Table
from sqlalchemy import func, select

from kept.clock import utc_now
from kept.config import Settings
from kept.content.article.article import Article, Page
from kept.domain.account import Viewer
from kept.domain.attempt import AttemptRecord, Via
from kept.domain.item import UserFields
from kept.domain.job import ClaimedJob, JobKind, Queue
from kept.domain.lifecycle import ProcessingStatus
from kept.ids import new_id, new_media_id
from kept.services.ingesting.articles import FollowUps, ReadArticle, store_article
from kept.services.saving.links import LinkToSave, create_or_attach_item
from kept.storage import images, lifecycles, media, tables
from kept.storage.database.driver import sqlite
from kept.storage.database.engine import Connection, Database
from kept.storage.migrations.schema import migrate
from kept.storage.queue import queue
from kept.storage.queue.claiming import Claiming, Postponed, claim
from kept.storage.search.fields import WordIndex
from kept.subprocesses.extraction import ExtractorPool
from kept.urls.given import GivenUrl
from kept.urls.url import NormalisedUrl, get_url
from support.builders.accounts import make_viewer
from support.builders.extraction_corpus import describe_corpus, load_articles
from support.fixtures.databases import create_database
from support.fixtures.transactions import reading, writing
from support.servers.local_servers import find_postgres_programs, run_postgres

RULES: Final = Claiming(lease_seconds=1000, host_gap_seconds=0, host_concurrency=1_000_000)
# Some people tag, few write notes: a fifth of the items carry two tags of forty.
TAGGED_EVERY: Final = 5
TAGS: Final = 40
BATCH: Final = 50
# An empty b-tree has a page or two, which would look like bytes of an article.
LEAST_BYTES: Final = 65_536
# What the names of search's tables begin with, whichever database made them.
SEARCH: Final = ("search_", *(index.value for index in WordIndex))
# Emptied by the hour or by the job, so they do not grow with the articles.
SHORT_LIVED: Final = frozenset({"events", "jobs", "hosts", "page_snapshots"})


@dataclass(frozen=True)
class Sample:
    """A page of the corpus and what was made of it."""

    url: str
    body: bytes
    article: Article


@dataclass(frozen=True)
class Size:
    """Bytes of one table or index, and how many rows it holds (0 for an index)."""

    name: str
    of: str
    bytes: int
    rows: int = 0


# --- filling -------------------------------------------------------------------------------------------------------


async def read_corpus(limit: int) -> list[Sample]:
    pool = ExtractorPool.from_settings(Settings())
    samples = []
    for page in track(load_articles()[:limit], "reading", console=Console(stderr=True), transient=True):
        outcome = await pool.extract(Page(page.body, page.url, UUID(int=0), "text/html; charset=utf-8"))
        if isinstance(outcome, Article):
            samples.append(Sample(page.url, page.body, outcome))
    await pool.close()
    return samples


def vary(sample: Sample, number: int) -> tuple[NormalisedUrl, Article]:
    """Another address of the same site, as long as addresses are; pictures with ids and addresses of their own."""
    url = get_url(f"{sample.url.split('#')[0].rstrip('/')}-{number:x}")
    pictures = tuple(replace(one, id=new_media_id()) for one in sample.article.images)
    return url, replace(sample.article, images=pictures)


def fill(database: Database, samples: list[Sample], articles: int) -> None:
    viewer = make_viewer(database)
    for start in track(range(0, articles, BATCH), "filling", console=Console(stderr=True), transient=True):
        with writing(database) as tx:
            for number in range(start, min(start + BATCH, articles)):
                write_one(tx, viewer, samples[number % len(samples)], number)


def write_one(tx: Connection, viewer: Viewer, sample: Sample, number: int) -> None:
    url, article = vary(sample, number)
    tags = (f"tag {number % TAGS}", f"tag {number % 7}") if number % TAGGED_EVERY == 0 else ()
    link = LinkToSave(str(url), UserFields(tags=tags), request_id=new_id().hex)
    create_or_attach_item(tx, viewer, link, GivenUrl(str(url), url), now=utc_now())
    job, now = take(tx, JobKind.INGEST), utc_now()
    found = media.find_media(tx, job.subject_id)
    assert found is not None
    begun = AttemptRecord(attempt=1)
    lifecycles.apply_move(tx, found.state, ProcessingStatus.EXTRACTING, at=now, record=begun, processing_attempts=1)
    facts = AttemptRecord(via=Via.SNAPSHOT, attempt=1, http_status=200, redirects=1, fetch_ms=312, extract_ms=41)
    read = ReadArticle(article, url, facts, now)
    kept_id = store_article(tx, job, read, FollowUps(store_images=True, screenshot=False), now=now)
    assert kept_id == job.subject_id
    record_pictures(tx, kept_id)


def record_pictures(tx: Connection, media_id: UUID) -> None:
    assets = images.list_assets(tx, media_id)
    for asset in assets:
        images.record_blob(tx, asset.id, images.image_key(asset, asset.id.hex, "jpeg"), "image/jpeg")
    if assets:
        queue.finish(tx, take(tx, JobKind.STORE_IMAGES))


def take(tx: Connection, kind: JobKind) -> ClaimedJob:
    got = claim(tx, Queue.INGEST, (kind,), now=utc_now(), rules=RULES)
    assert got is not None
    assert not isinstance(got, Postponed)
    return got


# --- weighing ------------------------------------------------------------------------------------------------------


def weigh_sqlite(path: Path) -> list[Size]:
    """Every b-tree's pages. `dbstat` is in Debian's own SQLite but not in the wheel that Kept uses."""
    with contextlib.closing(sqlite.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        listed = "SELECT name, tbl_name, type FROM sqlite_schema WHERE rootpage > 0"
        found = [Size(name, of, 0, count(connection, name, kind)) for name, of, kind in connection.execute(listed)]
        bytes_of = dict(connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name").fetchall())
    return [replace(size, bytes=bytes_of[size.name]) for size in found]


def count(connection: sqlite.Connection, name: str, kind: str) -> int:
    return int(connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]) if kind == "table" else 0


POSTGRESQL_SIZES: Final = """
SELECT c.relname, coalesce(t.relname, c.relname), c.relkind,
       CASE WHEN c.relkind = 'r' THEN pg_table_size(c.oid) ELSE pg_relation_size(c.oid) END
FROM pg_class c
LEFT JOIN pg_index i ON i.indexrelid = c.oid
LEFT JOIN pg_class t ON t.oid = i.indrelid
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'i')
"""


def weigh_postgresql(url: str) -> list[Size]:
    """A table with what it keeps aside (TOAST), and every index."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM")
        rows = connection.execute(POSTGRESQL_SIZES).fetchall()
        return [
            Size(name, of, size, count_postgresql(connection, name) if kind == "r" else 0)
            for name, of, kind, size in ((n, o, k if isinstance(k, str) else k.decode(), s) for n, o, k, s in rows)
        ]


def count_postgresql(connection: psycopg.Connection, name: str) -> int:
    row = connection.execute(f'SELECT count(*) FROM "{name}"'.encode()).fetchone()
    assert row is not None
    return int(row[0])


# --- telling -------------------------------------------------------------------------------------------------------


def as_table(found: dict[str, list[Size]], articles: int) -> Table:
    table = Table("table or index", title=f"bytes an article, {articles:,} articles")
    for database in found:
        table.add_column(f"rows, {database}", justify="right")
        table.add_column(database, justify="right")
    weights = {name: {(s.of, s.name != s.of, s.name): s for s in sizes} for name, sizes in found.items()}
    for key in sorted({key for sizes in weights.values() for key in sizes}):
        cells = [sizes.get(key) for sizes in weights.values()]
        if max(cell.bytes if cell else 0 for cell in cells) > LEAST_BYTES:
            shown = [text for cell in cells for text in show(cell, articles)]
            table.add_row(f"  {key[2]}" if key[1] else f"[bold]{key[2]}", *shown)
    table.add_section()
    for what, part in PARTS.items():
        sums = [sum(s.bytes for s in sizes if classify(s) is part) for sizes in found.values()]
        table.add_row(what, *(text for total in sums for text in ("", f"{total / articles:,.0f}")))
    return table


class Part(Enum):
    TABLES = auto()
    INDEXES = auto()
    SEARCH = auto()
    SHORT_LIVED = auto()


PARTS: Final = {"tables that last": Part.TABLES, "their indexes": Part.INDEXES, "the search index": Part.SEARCH}


def classify(size: Size) -> Part:
    if size.of in SHORT_LIVED:
        return Part.SHORT_LIVED
    if size.of.startswith(SEARCH):
        return Part.SEARCH
    return Part.TABLES if size.name == size.of else Part.INDEXES


def show(size: Size | None, articles: int) -> tuple[str, str]:
    if size is None:
        return "", "-"
    return f"{size.rows / articles:.2f}" if size.rows else "", f"{size.bytes / articles:,.0f}"


def describe_samples(samples: list[Sample]) -> str:
    html = statistics.mean(len(str(one.article.html).encode()) for one in samples)
    text = statistics.mean(len(str(one.article.text).encode()) for one in samples)
    page = statistics.mean(len(one.body) for one in samples)
    sent = statistics.mean(len(zlib.compress(one.body)) for one in samples)
    snapshot = statistics.mean(len(zstd.compress(one.body)) for one in samples)
    pictures = statistics.mean(len(one.article.images) for one in samples)
    return (
        f"{len(samples)} pages: {page:,.0f} bytes of HTML each ({sent:,.0f} as sites send it, deflated; {snapshot:,.0f}"
        f" as a snapshot, zstd),\narticle {html:,.0f} bytes of HTML and {text:,.0f} of text, {pictures:.1f} pictures"
    )


@contextlib.contextmanager
def fresh_databases() -> Iterator[dict[str, str]]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kept-bench-")))
        urls = {"SQLite": f"sqlite:///{folder / 'kept.db'}"}
        if find_postgres_programs():
            server = stack.enter_context(run_postgres())
            create_database(server, "bench_sizes")
            urls["PostgreSQL"] = f"{server}/bench_sizes"
        yield urls


async def measure(url: str, samples: list[Sample], articles: int) -> list[Size]:
    settings = Settings(database_url=url)
    await asyncio.to_thread(migrate, settings.sqlalchemy_url)
    database = Database(settings.sqlalchemy_url, durability="normal")
    fill(database, samples, articles)
    check(database, articles)
    await database.close()
    return weigh_sqlite(Path(url.removeprefix("sqlite:///"))) if url.startswith("sqlite") else weigh_postgresql(url)


def check(database: Database, articles: int) -> None:
    with reading(database) as tx:
        ready = select(func.count()).where(tables.media.c.processing_status == ProcessingStatus.READY_FOR_READING)
        left = select(func.count()).select_from(tables.jobs)
        assert (tx.scalar(ready), tx.scalar(left)) == (articles, 0)


async def run(articles: int, pages: int, as_json: bool) -> None:
    samples = await read_corpus(pages)
    with fresh_databases() as urls:
        found = {name: await measure(url, samples, articles) for name, url in urls.items()}
    print(describe_samples(samples))
    Console(width=120).print(as_table(found, articles))
    if as_json:
        print(json.dumps({name: {s.name: s.bytes / articles for s in sizes} for name, sizes in found.items()}))


def main() -> None:
    parser = argparse.ArgumentParser(prog="./bench sizes", description=__doc__)
    parser.add_argument("--articles", type=int, default=2_000)
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    parser.add_argument("--json", action="store_true", help="the same for programs, one line")
    options = parser.parse_args()
    print(describe_corpus(), file=sys.stderr)
    articles, pages = (100, 20) if options.quick else (options.articles, 1000)
    asyncio.run(run(articles, pages, options.json))


if __name__ == "__main__":
    main()
