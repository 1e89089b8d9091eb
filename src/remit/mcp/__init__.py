"""MCP: an application as a server, over any transport, and the servers of others as sources of tools."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.mcp.upstream.sources import mcp_address as mcp_address
    from remit.mcp.upstream.sources import mcp_process as mcp_process
else:
    __getattr__ = lazy_exports(__name__)
