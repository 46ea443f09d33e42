"""What every test may use: real databases, a running Kept, a person signed in to it."""

import gc
import logging
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import hypothesis
import pytest

from kept.config import Settings
from kept.logs import set_up_logging
from kept.storage.database.engine import Database
from kept.subprocesses.extraction import ExtractorPool
from support.builders.libraries import Owner, make_owner
from support.fixtures.databases import (
    DATABASES,
    PostgresDatabases,
    copy_postgres,
    copy_sqlite,
    make_postgres_template,
    make_sqlite_template,
)
from support.servers.local_servers import run_postgres, run_redis
from support.servers.origin import Origin, run_origin
from support.servers.serving import PATIENT, Person, RunningKept, run_kept, settings_reaching
from support.servers.working import Worker, run_worker

TESTS = Path(__file__).parent
# What `./test --quick` runs: the unit tests, and of the rest what most changes would break first. None of it needs a
# browser, PostgreSQL or Redis, or waits for long.
QUICK = (
    "unit",
    "integration/api/test_items.py",
    "integration/api/test_save.py",
    "integration/api/test_search_api.py",
    "integration/services/ingesting/test_ingest.py",
    "integration/services/items/test_search.py",
    "integration/storage/test_columns.py",
    "integration/storage/test_constraints.py",
    "integration/storage/test_transactions.py",
)
# Unit tests that take seconds: documents of many megabytes, many documents, text that is slow to read.
NOT_QUICK = (
    "unit/test_foreign_text.py",
    "unit/test_fuzzed_input.py",
    "unit/content/test_hostile_documents.py",
    "unit/content/article/test_walks.py",
    "unit/content/export_formats/test_markdown.py",
    "unit/content/export_formats/test_zip_stream.py",
    "unit/content/import_formats/test_hostile_files.py",
    "unit/domain/test_unicode_forms.py",
)

# Files that take longest, the longest first: begun early, none of them is still running when all else has ended.
SLOWEST = (
    "integration/api/test_openapi.py",
    "integration/services/items/test_search_quality.py",
    "integration/chaos",
    "integration/operate",
    "e2e/test_accessibility.py",
    "integration/services/saving/test_power_cut.py",
    "integration/cli/test_worker_commands.py",
    "integration/fetch/browser/test_browser_egress.py",
    "integration/content/test_xss_in_chromium.py",
)

# How long one example takes says more of the machine than of the code. By default the same examples are tried each
# time, so that a run fails for what was changed; `./test --long` looks for others.
hypothesis.settings.register_profile("default", deadline=None, max_examples=25, derandomize=True)
hypothesis.settings.register_profile("long", deadline=None, max_examples=400)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="only what is soon told and needs SQLite and Node alone")
    parser.addoption("--long", action="store_true", help="also run the slow proofs")
    parser.addoption("--shots", action="store_true", help="write pictures of every page into tests/shots/")


def pytest_configure(config: pytest.Config) -> None:
    hypothesis.settings.load_profile("long" if config.getoption("--long") else "default")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if not config.getoption("--quick") or collection_path.suffix != ".py":
        return None
    return None if is_within(collection_path, QUICK) and not is_within(collection_path, NOT_QUICK) else True


def is_within(path: Path, places: tuple[str, ...]) -> bool:
    return any(path.is_relative_to(TESTS / place) for place in places)


def needs_postgresql(item: pytest.Item) -> bool:
    parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    return "postgresql" in parameters.values()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--quick"):
        config.hook.pytest_deselected(items=[item for item in items if needs_postgresql(item)])
        items[:] = [item for item in items if not needs_postgresql(item)]
    items.sort(key=lambda item: not is_within(item.path, SLOWEST))
    if config.getoption("--long"):
        return
    for item in items:
        if "long" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="a slow proof: ./test --long"))


def pytest_collection_finish() -> None:
    """What thousands of collected tests hold stays until the end: to look through it takes seconds a time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test reads the configuration of the machine it runs on."""
    for name in list(os.environ):
        if name.startswith("KEPT_") and not name.startswith("KEPT_TEST_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-home"))


@pytest.fixture(scope="session", autouse=True)
def _quiet_logs() -> None:
    set_up_logging("warning", "console")
    logging.getLogger("werkzeug").setLevel("WARNING")  # else `httpserver` logs among what a command says


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    with run_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    with run_redis() as url:
        yield url


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_sqlite_template(tmp_path_factory.mktemp("sqlite"))


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str) -> str:
    return make_postgres_template(postgres_server)


@pytest.fixture(scope="session")
def postgres_databases(postgres_server: str, postgres_template: str) -> PostgresDatabases:
    return PostgresDatabases(postgres_server, postgres_template)


@contextmanager
def fresh_database(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if kind == "sqlite":
        yield copy_sqlite(request.getfixturevalue("sqlite_template"), tmp_path)
        return
    with request.getfixturevalue("postgres_databases").borrow() as url:
        yield url


@pytest.fixture(params=DATABASES)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A fresh, migrated database; the test runs once on each kind."""
    with fresh_database(request.param, request, tmp_path) as url:
        yield url


@pytest.fixture
def saving_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """SQLite; a test marked `on_both_databases` runs on PostgreSQL too."""
    with fresh_database(getattr(request, "param", "sqlite"), request, tmp_path) as url:
        yield url


@pytest.fixture(params=DATABASES)
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'empty.db'}"
    return copy_postgres(request.getfixturevalue("postgres_server"))


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    database = Database(Settings(database_url=database_url).sqlalchemy_url)
    yield database
    await database.close()


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    return copy_sqlite(sqlite_template, tmp_path)


@pytest.fixture
async def running(sqlite_url: str, tmp_path: Path) -> AsyncIterator[RunningKept]:
    """Kept with its embedded defaults, listening on a free loopback port."""
    async with run_kept(Settings(database_url=sqlite_url, data_dir=tmp_path)) as kept:
        yield kept


@pytest.fixture
async def origin() -> AsyncIterator[Origin]:
    """A web site on loopback."""
    async with run_origin("127.0.0.2", "127.0.0.3") as origin:
        yield origin


@pytest.fixture
async def saving(saving_url: str, tmp_path: Path, origin: Origin) -> AsyncIterator[RunningKept]:
    """A Kept that may fetch from `origin`, and nobody works off its jobs.

    It is patient: most tests are about what a save answers, not when, and test machines are busy.
    """
    async with run_kept(settings_reaching(origin, saving_url, tmp_path, limits=PATIENT)) as kept:
        yield kept


@pytest.fixture
async def impatient(sqlite_url: str, tmp_path: Path, origin: Origin) -> AsyncIterator[RunningKept]:
    """The same with the deadlines people get."""
    async with run_kept(settings_reaching(origin, sqlite_url, tmp_path)) as kept:
        yield kept


@pytest.fixture
async def ann(saving: RunningKept) -> Person:
    """Somebody who uses `saving`."""
    return await saving.make_person("ann")


@pytest.fixture
async def bob(saving: RunningKept) -> Person:
    """Somebody else who uses `saving`."""
    return await saving.make_person("bob")


@pytest.fixture
async def reader(running: RunningKept) -> Person:
    """Somebody who uses `running`."""
    return await running.make_person("ann")


@pytest.fixture
def owner(database: Database) -> Owner:
    """Somebody with a library, where no server runs."""
    return make_owner(database)


@pytest.fixture
def other_owner(database: Database) -> Owner:
    return make_owner(database, "bob")


@pytest.fixture(scope="session")
async def extractors() -> AsyncIterator[ExtractorPool]:
    """The real extraction children; shared, because starting Python and Node takes longer than most tests."""
    pool = ExtractorPool.from_settings(Settings())
    yield pool
    await pool.close()


@pytest.fixture
async def browser_worker(saving: RunningKept, extractors: ExtractorPool) -> AsyncIterator[Worker]:
    """One that visits pages with a real browser too."""
    async with run_worker(saving, extractors) as worker:
        if not worker.ingester.can_render:
            pytest.skip("CHROMIUM IS NOT INSTALLED: rendering is not tested")
        yield worker


@pytest.fixture
async def worker(saving: RunningKept, extractors: ExtractorPool) -> AsyncIterator[Worker]:
    """Works off the jobs of `saving` when a test says so; it has no browser."""
    async with run_worker(saving, extractors) as worker:
        yield worker.without_browser()
