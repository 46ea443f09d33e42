"""For an entry point that needs a current schema: upgrade if that is allowed, otherwise insist."""

import os
import sys
import threading
from contextlib import suppress

from kept.config import Settings
from kept.storage.database import schema
from kept.storage.database.revision import is_current
from kept.subprocesses.child import die_with_parent


def prepare_schema(settings: Settings) -> None:
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
