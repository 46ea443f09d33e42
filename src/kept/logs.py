"""structlog, for everybody who logs: imported without rich.

structlog imports rich wherever it is installed, for coloured tracebacks that we never ask for: 4 MB of each process.
"""

import sys

_rich = sys.modules.get("rich")
sys.modules["rich"] = None  # type: ignore[assignment] # as if it were not installed
import structlog  # noqa: E402

if _rich is None:
    del sys.modules["rich"]
else:
    sys.modules["rich"] = _rich

__all__ = ["structlog"]
