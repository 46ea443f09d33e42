"""`kept`: the command line.

Exit codes: 0 it worked, 1 it did not, 2 the command or the configuration is wrong.
"""

import errno
import gc
import os
import sys

from kept.domain.errors import FULL_DISK, KeptError, OperatorError


def main() -> None:
    """Every expected failure is one clear line on standard error; a stack trace is a bug."""
    # Kept has no plugins of pydantic, and looking for some takes 8 ms with 180 packages installed.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")
    gc.disable()  # it finds nothing in what imports make; `load_command` enables it for the command
    try:
        try:
            run_command()
        finally:
            flush_output()
    except (OperatorError, KeptError) as error:
        complain(str(error))
        sys.exit(getattr(error, "exit_code", 1))
    except OSError as error:
        if error.errno not in FULL_DISK | {errno.EPIPE}:
            raise
        discard_output()
        if error.errno != errno.EPIPE:  # else whoever read our output has gone
            complain(f"cannot write: {error.strerror}")
        sys.exit(1)
    finally:
        gc.freeze()  # or it goes through everything once more when the process ends
        gc.enable()


def run_command() -> None:
    if sys.argv[1:] == ["serve"]:
        serve_by_settings()
        return
    from kept.cli.commands import app

    app()


def serve_by_settings() -> None:
    """As services and containers start it. What reads options would stay in memory beside the server: 2.4 MB."""
    from kept.cli.logs import log_warnings
    from kept.cli.start_server import start_server
    from kept.config import load_settings

    log_warnings()
    gc.enable()
    try:
        start_server(load_settings())
    except KeyboardInterrupt:
        sys.exit(130)


def complain(message: str) -> None:
    for line in message.splitlines():
        print(f"kept: {line}", file=sys.stderr)


def flush_output() -> None:
    """Now, where a disk that is full can still be told of."""
    if sys.stdout is not None:
        sys.stdout.flush()


def discard_output() -> None:
    """What was not written is not tried again when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


if __name__ == "__main__":
    main()
