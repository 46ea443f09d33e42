"""Exits 0 if the server in this container can serve: its database and its blob store answer."""

import os
import sys
import urllib.request

try:
    with urllib.request.urlopen(f"http://127.0.0.1:{os.environ.get('KEPT_PORT', '8484')}/readyz", timeout=4) as answer:
        sys.exit(0 if answer.status == 200 else 1)
except OSError:
    sys.exit(1)
