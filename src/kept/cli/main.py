"""`kept`: the command line.

Exit codes: 0 it worked, 1 it did not, 2 the command or the configuration is wrong.
"""

import gc
import os
import sys

from kept.domain.errors import KeptError, OperatorError


def main() -> None:
    """Every expected failure is one clear line on standard error; a stack trace is a bug."""
    # Kept has no plugins of pydantic, and looking for some takes 8 ms with 180 packages installed.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")
    gc.disable()  # it finds nothing in what imports make; `load_command` enables it for the command
    try:
        from kept.cli.commands import app

        app()
    except (OperatorError, KeptError) as error:
        for line in str(error).splitlines():
            print(f"kept: {line}", file=sys.stderr)
        sys.exit(getattr(error, "exit_code", 1))
    finally:
        gc.freeze()  # or it goes through everything once more when the process ends
        gc.enable()
