"""Where a browser on this machine finds a server that listens on an address of it."""

from typing import Final

EVERY_ADDRESS: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104 - recognised, not listened on


def local_url(host: str, port: int) -> str:
    if host in EVERY_ADDRESS:
        return f"http://localhost:{port}"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
