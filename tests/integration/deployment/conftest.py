"""One store of images for all tests of a run: to build one takes minutes.

`KEPT_TEST_STORE` names a folder that is kept, so that the next run builds only what has changed.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.servers.containers import Store, make_store


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    kept = os.environ.get("KEPT_TEST_STORE")
    made = make_store(Path(kept) if kept else tmp_path_factory.mktemp("containers"))
    yield made
    made.podman("rm", "--all", "--force", "--time", "5")
    made.podman("volume", "rm", "--all", "--force")
