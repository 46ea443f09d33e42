"""`python -m kept.worker`: a worker that `kept serve` supervises. No command line library: it must start lean."""

import argparse

from kept.worker.beside_server import run_beside_server, take_place


def main() -> None:
    parser = argparse.ArgumentParser(prog="kept.worker")
    parser.add_argument("--child-of", type=int, required=True)
    parser.add_argument("--metrics", type=int, required=True, help="descriptor of a socket to the server")
    arguments = parser.parse_args()
    take_place(arguments.child_of)

    from kept.config import load_settings

    run_beside_server(load_settings(), arguments.metrics)


if __name__ == "__main__":
    main()
