"""Upgrading a database to the schema of this version, and reading its state.

Alembic is imported where it is used: a server whose database is current runs without it, and is 8 MB smaller.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import DBAPIError

from kept.domain.errors import DatabaseUnreachable, Unavailable
from kept.domain.schema import SchemaState, SchemaTooNew, SchemaTooOld
from kept.storage.database.driver import sqlite
from kept.storage.database.engine import Database, prepare_sqlite_folder
from kept.storage.database.errors import explain_unreachable, is_race
from kept.storage.database.sqlite import apply_pragmas
from kept.storage.migrations.triggers import create_triggers, drop_triggers

if TYPE_CHECKING:
    from alembic.config import Config


MIGRATIONS: Final = Path(__file__).parent
ADVISORY_LOCK: Final = 0x6B657074  # "kept": one migration at a time on a shared PostgreSQL


def migrate(url: str) -> None:
    """Upgrade to the schema of this version, also from several processes at once; raises SchemaTooNew."""
    run_through_races(lambda: upgrade(url))


def run_through_races(change: Callable[[], None]) -> None:
    """Run a change again if it lost a race: PostgreSQL ends one of two transactions that deadlock."""
    for last in (False, False, False, False, True):
        try:
            change()
            return
        except DBAPIError as error:
            if last or not is_race(error):
                raise


def upgrade(url: str) -> None:
    from alembic import command

    with open_for_migration(url) as connection, exclusive_transaction(connection):
        config = alembic_config(connection)
        if state_of(connection, config) is SchemaState.NEWER:
            raise SchemaTooNew
        command.upgrade(config, "head")


def prepare(url: str, *, auto_migrate: bool) -> None:
    """Upgrade the schema for an entry point if that is allowed; otherwise raise unless it is current."""
    if auto_migrate:
        run_through_races(lambda: bring_up_to_date(url))
        return
    state = SchemaState.CURRENT if is_current(url) else read_schema_state(url)
    if state is SchemaState.NEWER:
        raise SchemaTooNew
    if state is not SchemaState.CURRENT:
        raise SchemaTooOld


def bring_up_to_date(url: str) -> None:
    if not (is_current(url) and recreate_triggers(url)):
        upgrade(url)


def recreate_triggers(url: str) -> bool:
    """Recreate the triggers, whose text may change without a migration; return False if somebody upgraded meanwhile."""
    with open_for_migration(url) as connection, exclusive_transaction(connection):
        if read_revision(connection) != find_last_revision():
            return False
        drop_triggers(connection)
        create_triggers(connection)
        return True


def read_schema_state(url: str) -> SchemaState:
    with open_for_migration(url) as connection:
        try:
            return state_of(connection, alembic_config(connection))
        except DBAPIError as error:
            raise DatabaseUnreachable(explain_unreachable(connection.engine.url.render_as_string(), error)) from None


@contextmanager
def open_for_migration(url: str) -> Iterator[Connection]:
    engine = create_migration_engine(url)
    try:
        try:
            connection = engine.connect()
        except DBAPIError as error:
            raise DatabaseUnreachable(explain_unreachable(engine.url.render_as_string(), error)) from None
        with connection:
            yield connection
    finally:
        engine.dispose()


def state_of(connection: Connection, config: "Config") -> SchemaState:
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    script = ScriptDirectory.from_config(config)
    current = MigrationContext.configure(connection).get_current_revision()
    if current is None:
        return SchemaState.EMPTY
    if current == script.get_current_head():
        return SchemaState.CURRENT
    known = {revision.revision for revision in script.walk_revisions()}
    return SchemaState.OLDER if current in known else SchemaState.NEWER


def alembic_config(connection: Connection) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config


def create_migration_engine(url: str) -> Engine:
    if make_url(url).get_backend_name() != "sqlite":
        return create_engine(url)
    prepare_sqlite_folder(make_url(url).database)
    engine = create_engine(url, module=sqlite)

    @event.listens_for(engine, "connect")
    def set_pragmas(connection: sqlite.Connection, _record: object) -> None:
        connection.isolation_level = None
        apply_pragmas(connection, "full", writes=True)
        # Rebuilding a parent table would otherwise delete its children's rows.
        connection.execute("PRAGMA foreign_keys = OFF")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


@contextmanager
def exclusive_transaction(connection: Connection) -> Iterator[None]:
    """Open a transaction that no other migration can overlap; on SQLite it checks every reference before it commits."""
    with connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
        yield
        if connection.dialect.name == "sqlite":
            broken = connection.execute(text("PRAGMA foreign_key_check")).all()
            if broken:
                raise RuntimeError(f"the migration left {len(broken)} dangling references, first {broken[0]}")


def is_current(url: str) -> bool:
    """Return whether a database is at this version's last migration, without importing Alembic.

    It is also False where that could not be read: the migration that follows then raises the reason.
    """
    database = Database(url)
    try:
        return database.run_read(read_revision) == find_last_revision()
    except (DBAPIError, Unavailable):
        return False
    finally:
        database.dispose()


def read_revision(tx: Connection) -> str | None:
    revision: str | None = tx.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return revision


def find_last_revision() -> str:
    """Return the number of the last migration, with which its file name begins."""
    return max(path.name for path in (MIGRATIONS / "versions").glob("[0-9]*_*.py")).partition("_")[0]
