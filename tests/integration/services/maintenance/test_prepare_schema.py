"""The schema is made in a child of the server, which ends with it, whatever becomes of the status of children."""

import signal
import subprocess
import sys
from pathlib import Path

import psutil

from kept.config import Settings
from kept.storage.database.schema import is_current
from support.commands import environment
from support.waiting import until

SLOW = """
import os, time
from kept.config import load_settings
from kept.services.maintenance import prepare_schema
def prepare(url, *, auto_migrate):
    print(os.getpid(), flush=True)
    time.sleep(60)
prepare_schema.schema.prepare = prepare
prepare_schema.prepare_schema(load_settings())
"""
WITHOUT_STATUS = """
import signal
from kept.config import load_settings
from kept.services.maintenance.schema import prepare_schema
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
prepare_schema(load_settings())
"""


async def test_a_migration_ends_with_the_server_that_began_it(tmp_path: Path) -> None:
    server = subprocess.Popen([sys.executable, "-c", SLOW], env=environment(tmp_path), stdout=subprocess.PIPE)
    try:
        assert server.stdout is not None
        child = psutil.Process(int(server.stdout.readline()))
        assert child.ppid() == server.pid
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=30)
        await until(lambda: not child.is_running())
    finally:
        server.kill()
        server.communicate()


def test_the_schema_is_made_where_the_status_of_children_is_ignored(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", WITHOUT_STATUS], env=environment(tmp_path), timeout=60, check=True)
    assert is_current(Settings(data_dir=tmp_path).sqlalchemy_url)
