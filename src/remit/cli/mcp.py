"""``remit mcp``: serves an application to the MCP client that starts this process."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

import typer

from remit.cli.client import open_client
from remit.cli.engine import LOCAL_DATA_HELP, find_executed_app
from remit.cli.options import TargetOption
from remit.cli.state_key import find_state_key
from remit.cli.status import ExitStatus
from remit.cli.streams import Output, own_output, read_lines

_MOST_TOOLS = 1_000_000


def mcp(
    app: Annotated[str, typer.Argument(metavar="APP", help="The application, or package.module:attribute.")],
    *,
    target: TargetOption = "",
    server: Annotated[
        str, typer.Option(metavar="URL", help="The address of a server of the same journal: its pages take decisions.")
    ] = "",
    all_tools: Annotated[
        bool, typer.Option("--all-tools", help="List all tools, however many there are, instead of a search.")
    ] = False,
    hold: Annotated[
        float, typer.Option(metavar="SECONDS", min=0, max=3600, help="How long a call waits for a person at a time.")
    ] = 20.0,
    local_data: Annotated[bool, typer.Option("--local-data", help=LOCAL_DATA_HELP)] = False,
) -> int:
    """Serve an application by MCP, over standard streams.

    It reads messages from stdin and writes to stdout, until stdin ends. Calls are made as you, under the policy of the
    application. A call that waits for a person continues when the client makes it again, or in an executor.
    """
    from remit.mcp.server import McpServer
    from remit.mcp.settings import McpSettings
    from remit.mcp.stdio import Connection

    def page(question: str) -> str:
        return f"{server.rstrip('/')}/approvals/{quote(question, safe='')}" if server else ""

    with open_client() as client, own_output() as output:
        runtime = client.runtime(find_executed_app(client, app, local_data=local_data))
        above = _MOST_TOOLS if all_tools else McpSettings().list_above
        settings = McpSettings(key=find_state_key(client), hold_seconds=hold, list_above=above)
        by = runtime.client(client.principal)

        async def serve() -> None:
            connection = Connection(McpServer(runtime, settings), by, Output(output).write, target=target, page=page)
            await connection.serve(read_lines())

        client.wait(serve())
    return ExitStatus.DONE
