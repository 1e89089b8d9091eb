"""An application with a source: a server whose tools are those of the file ``$TOOLS``."""

from __future__ import annotations

import os
from pathlib import Path

from remit import App
from remit.mcp import mcp_process
from remit.sources import PinFolder
from tests.mcp.upstream.kit import ODD


def app() -> App:
    """The application."""
    tools = Path(os.environ["TOOLS"])
    source = mcp_process("odd", [*ODD, "new", str(tools)], PinFolder(tools.parent / "pins"))
    return App(name="desk", tools=source.tools, resources=[source])
