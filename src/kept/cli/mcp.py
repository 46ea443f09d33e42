"""`kept mcp`: tools for an assistant on this machine, over standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kept.cli.output import AsUser, choose_viewer
from kept.cli.running import run
from kept.domain.account import INCLUDED, Scope, Viewer
from kept.domain.errors import OperatorError

if TYPE_CHECKING:
    from kept.wiring.server import Kept

ReadOnly = Annotated[bool, typer.Option("--read-only", help="Offer no more than to search and to read.")]


def mcp(user: AsUser = None, read_only: ReadOnly = False) -> None:
    """Let an assistant search, read, save, tag and highlight: an MCP server on standard input and output."""
    from kept.compat.mcp.endpoint import has_mcp, viewer_of_request

    if not has_mcp():
        raise OperatorError("`kept mcp` needs the extra mcp: pip install 'kept[mcp]'")

    async def action(kept: Kept) -> None:
        from kept.compat.mcp.tools import create_mcp_server

        found = await choose_viewer(kept.database, user)
        viewer_of_request.set(Viewer(found.user, INCLUDED[Scope.READ if read_only else Scope.WRITE]))
        await create_mcp_server(kept).run_stdio_async()

    run(action)
