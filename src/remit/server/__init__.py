"""Serve a runtime over HTTP: `build_server` makes an ASGI application. Needs the extra ``server``."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.mcp.settings import McpSettings as McpSettings
    from remit.server.app import build_server as build_server
    from remit.server.identity import Authenticate as Authenticate
    from remit.server.identity import Identity as Identity
    from remit.server.serving import ServerSettings as ServerSettings
else:
    __getattr__ = lazy_exports(
        __name__,
        extras=dict.fromkeys(("remit.server.app", "remit.server.identity", "remit.server.serving"), "server"),
    )
