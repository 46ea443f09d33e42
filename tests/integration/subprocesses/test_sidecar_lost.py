import os
import signal

import psutil
import pytest

from kept.content.article.readable import NotReadable
from kept.subprocesses.sidecar import BUNDLE, Sidecar
from support.fixtures.extraction import ARTICLE_HTML, is_dead, require_node
from support.servers.local_servers import wait_until

pytestmark = pytest.mark.requirement("004", "§8, §9 the child, its time and its end")


def test_a_sidecar_that_dies_with_a_page_in_hand_is_lost_and_nobody_waits_for_its_successor() -> None:
    sidecar = Sidecar(require_node(), BUNDLE)
    sidecar.start(ARTICLE_HTML, 10)()
    pid = sidecar.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)  # so that it cannot have answered
    finish = sidecar.start(ARTICLE_HTML, 10)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: is_dead(psutil.Process(pid)), what="the end of Node")
    outcome = finish()
    assert isinstance(outcome, NotReadable)
    assert outcome.lost
    assert not isinstance(sidecar.start(ARTICLE_HTML, 10)(), NotReadable)
    sidecar.stop()
