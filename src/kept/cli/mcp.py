"""`kept mcp`: tools for an assistant on this machine, over standard input and output."""

from typing import Annotated

import typer

from kept.bootstrap import Kept
from kept.cli.choosing import choose_viewer
from kept.cli.options import AsUser
from kept.cli.running import run
from kept.compat.mcp.caller import viewer_of_request
from kept.compat.mcp.endpoint import has_mcp
from kept.domain.account import INCLUDED, Scope, Viewer
from kept.domain.errors import OperatorError

ReadOnly = Annotated[bool, typer.Option("--read-only", help="Offer no more than to search and to read.")]


def mcp(user: AsUser = None, read_only: ReadOnly = False) -> None:
    """Let an assistant search, read, save, tag and highlight: an MCP server on standard input and output."""
    if not has_mcp():
        raise OperatorError("`kept mcp` needs the extra mcp: pip install 'kept[mcp]'")

    async def action(kept: Kept) -> None:
        from kept.compat.mcp.tools import create_mcp_server

        found = await choose_viewer(kept.database, user)
        viewer_of_request.set(Viewer(found.user, INCLUDED[Scope.READ if read_only else Scope.WRITE]))
        await create_mcp_server(kept).run_stdio_async()

    run(action)
