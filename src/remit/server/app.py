"""Builds the server of a runtime, an ASGI application."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from remit.core.call_checks import check_types
from remit.engine.local import LocalEngine
from remit.engine.port import Engine
from remit.errors import NoModelError
from remit.mcp.settings import McpSettings
from remit.runtime import Runtime
from remit.server.console import console_routes
from remit.server.health import health_routes
from remit.server.identity import Authenticate
from remit.server.mcp import mcp_route
from remit.server.model_switch import ModelSwitch
from remit.server.openapi import openapi_route
from remit.server.operations import OPERATIONS
from remit.server.pages.approvals import approval_routes
from remit.server.problems import HANDLERS
from remit.server.rest.operation import Operation
from remit.server.sandbox import site_routes
from remit.server.serving import ServerSettings, Serving

_LOG: Final = logging.getLogger("remit.server")
_DEFAULT: Final = ServerSettings()
_MOST_CAUSES: Final = 100


@check_types
def build_server(
    runtime: Runtime,
    authenticate: Authenticate,
    settings: ServerSettings = _DEFAULT,
    *,
    engine: Engine | None = None,
    routes: Sequence[BaseRoute] = (),
    middleware: Sequence[Middleware] = (),
    operations: Sequence[Operation] = (),
    console: Path | None = None,
    models: ModelSwitch | None = None,
    mcp: McpSettings | None = None,
) -> Starlette:
    """The server of a runtime. Everything that it does, it does through the client of the sender of a request.

    Its lifespan executes runs with ``engine``, by default a `LocalEngine`, unless other processes execute them all, and
    opens the resources of the application unless the runtime is open. An application that mounts it enters
    ``server.router.lifespan_context(server)`` in its own lifespan, as Starlette does not.

    Args:
        runtime: the runtime that it serves.
        authenticate: finds the principal of a request.
        settings: its limits.
        engine: is told about new and decided runs, and executes runs here if ``settings.concurrency`` is not 0.
        routes: further routes, such as of a login. They come first.
        middleware: around all routes.
        operations: further operations of the API, such as those of people, which its description has too.
        console: the folder of the web console, by default that of the package.
        models: lets an operator choose the model of the runtime; without it, none can.
        mcp: the key and the times of ``/mcp``; by default a random key, which is that of this server alone.
    """
    if engine is None and settings.concurrency:
        engine = _local_engine(runtime, settings)
    serving = Serving(runtime=runtime, authenticate=authenticate, settings=settings, engine=engine, models=models)

    offered = (*OPERATIONS, *operations)
    app = Starlette(
        routes=[
            *routes,
            *health_routes(serving),
            *approval_routes(serving),
            openapi_route(serving, offered),
            mcp_route(serving, mcp or McpSettings()),
            *(each.route(serving) for each in offered),
            *site_routes(runtime.app),
            *console_routes(console),
        ],
        middleware=list(middleware),
        exception_handlers=dict(HANDLERS),
        lifespan=lambda _app: _execute_while_open(serving),
    )
    app.state.serving = serving
    return app


@contextlib.asynccontextmanager
async def _execute_while_open(serving: Serving) -> AsyncGenerator[None]:
    """Open the resources of the application, and execute runs."""
    async with contextlib.AsyncExitStack() as stack:
        if serving.runtime.open_resources is None:
            await stack.enter_async_context(serving.runtime)
        if serving.engine is not None and serving.settings.concurrency:
            await stack.enter_async_context(serving.engine)
        elif serving.engine is not None:
            stack.push_async_callback(serving.engine.close)
        if serving.models is not None:
            serving.models.wake = serving.wake
            stack.push_async_callback(serving.models.close)
        yield
        serving.stopping.set()


def _local_engine(runtime: Runtime, settings: ServerSettings) -> LocalEngine:
    return LocalEngine(
        runtime.store,
        runtime.resume,
        applications=[runtime.app.name],
        concurrency=settings.concurrency,
        poll_seconds=settings.poll_seconds,
        on_error=ErrorLog(),
    )


class ErrorLog:
    """Writes the errors of runs to the log: a missing model in one line for each cause, others with their place."""

    def __init__(self) -> None:
        self._told = set[str]()

    def __call__(self, run: str, error: BaseException) -> None:
        """Write an error, unless it is a missing model of which the log says so already."""
        if not isinstance(error, NoModelError):
            _LOG.error("run %s could not be executed", run or "-", exc_info=error)
        elif error.message not in self._told and len(self._told) < _MOST_CAUSES:
            self._told.add(error.message)
            _LOG.error("runs wait for their model, and are tried again: %s", error.message)
