"""`python -m kept.worker`: the worker that `kept serve` supervises. No command line library: it must start lean."""

import argparse

from kept.subprocesses.child import die_with_parent


def main() -> None:
    parser = argparse.ArgumentParser(prog="kept.worker")
    parser.add_argument("--child-of", type=int, required=True)
    parser.add_argument("--metrics", type=int, required=True, help="descriptor of a socket to the server")
    arguments = parser.parse_args()
    die_with_parent(arguments.child_of)

    from kept.config import load_settings
    from kept.worker.main import choose_slots, run_worker
    from kept.worker.metrics import share_metrics

    settings = load_settings()
    share_metrics(arguments.metrics)
    run_worker(settings, choose_slots(settings))


if __name__ == "__main__":
    main()
