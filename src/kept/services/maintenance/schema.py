"""The database's schema: whether it is current, and upgrading it."""

import os
import sys
import threading
from contextlib import suppress

from kept.config import Settings
from kept.domain.schema import SchemaState
from kept.storage.database import schema
from kept.storage.database.schema import is_current
from kept.subprocesses.child import die_with_parent


def ensure_schema(settings: Settings) -> None:
    """For a command: upgrade the database where it is older than this version; one that is current is left alone.

    Quick where there is nothing to do: no lock that a running server's writes would wait for, no Alembic.
    """
    if not is_current(settings.sqlalchemy_url):
        from kept.storage.database import schema

        schema.migrate(settings.sqlalchemy_url)


def migrate_schema(settings: Settings) -> None:
    """Upgrade the database to the schema of this version. Safe to call twice, and from several machines at once."""
    schema.migrate(settings.sqlalchemy_url)


def prepare_schema(settings: Settings) -> None:
    """For an entry point that needs a current schema: upgrade if that is allowed, otherwise insist."""
    url, auto_migrate = settings.sqlalchemy_url, settings.auto_migrate
    if auto_migrate and _can_fork() and not is_current(url):
        _migrate_apart(url)
    schema.prepare(url, auto_migrate=auto_migrate)


def _can_fork() -> bool:
    return sys.platform == "linux" and threading.active_count() == 1


def _migrate_apart(url: str) -> None:
    """In a child: a server that has migrated is 16 MB larger until it is started again. What went wrong there is
    told by whoever tries once more."""
    server = os.getpid()
    child = os.fork()
    if child == 0:
        try:
            die_with_parent(server)
            schema.prepare(url, auto_migrate=True)
        finally:
            os._exit(0)
    with suppress(ChildProcessError):  # where SIGCHLD is ignored, the system takes the child's status
        os.waitpid(child, 0)


def read_schema_state(settings: Settings) -> SchemaState:
    """Whether the database's schema is the one this version knows."""
    return schema.read_schema_state(settings.sqlalchemy_url)
