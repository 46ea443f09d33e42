"""`python -m kept.worker`: the worker that `kept serve` supervises. No command line library: it must start lean."""

import argparse
import os
from contextlib import suppress
from typing import Final

from kept.subprocesses.child import die_with_parent

NICENESS: Final = 5  # a third of the server's share of a busy processor


def main() -> None:
    parser = argparse.ArgumentParser(prog="kept.worker")
    parser.add_argument("--child-of", type=int, required=True)
    parser.add_argument("--metrics", type=int, required=True, help="descriptor of a socket to the server")
    arguments = parser.parse_args()
    die_with_parent(arguments.child_of)
    yield_to_the_server()

    from kept.config import load_settings
    from kept.worker.main import choose_slots, run_worker
    from kept.worker.metrics import share_metrics

    settings = load_settings()
    share_metrics(arguments.metrics)
    run_worker(settings, choose_slots(settings))


def yield_to_the_server() -> None:
    """Whoever saves or reads does not wait for articles that are being made; inherited by every child process."""
    os.nice(NICENESS)
    # Where Linux shares the processor among sessions, as it does in a terminal, niceness counts within one only.
    with suppress(OSError), open("/proc/self/autogroup", "w", encoding="ascii") as autogroup:
        autogroup.write(str(NICENESS))


if __name__ == "__main__":
    main()
