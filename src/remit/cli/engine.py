"""Chooses the engine, from an option or the environment, and builds it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from remit.cli.client import LocalClient
from remit.cli.status import UsageError
from remit.engine.local import LocalEngine
from remit.engine.port import Engine, ErrorHandler, ExecuteFunction
from remit.errors import SetupError
from remit.lazy_exports import install_hint
from remit.runtime import Runtime

ENGINE_VARIABLE: Final = "REMIT_ENGINE"
ENGINES: Final = ("local", "dbos")


def choose_engine(name: str) -> str:
    """Validate an engine name; empty means ``local``.

    Raises:
        UsageError: there is no such engine.
    """
    if name and name not in ENGINES:
        raise UsageError(
            f"there is no engine {name!r}; give {ENGINE_VARIABLE} or --engine one of: {', '.join(ENGINES)}"
        )
    return name or "local"


def make_engine(
    client: LocalClient,
    name: str,
    execute: ExecuteFunction,
    *,
    applications: Sequence[str],
    concurrency: int = 8,
    report: ErrorHandler,
) -> Engine:
    """Build the engine ``name`` over the journal of a client.

    Raises:
        SetupError: a requirement is not installed, or the engine cannot use this journal.
    """
    if name == "local":
        return LocalEngine(
            client.store,
            execute,
            applications=applications,
            concurrency=concurrency,
            clock=client.clock,
            on_error=report,
        )
    if not client.database.startswith("postgres"):
        raise SetupError("the engine dbos needs the journal in Postgres: set REMIT_DATABASE to postgresql://…")
    try:
        from remit.adapters.dbos import DbosEngine
    except ModuleNotFoundError as error:
        raise SetupError(f"the engine dbos needs {error.name}; {install_hint('dbos')}") from error
    return DbosEngine(
        client.database,
        client.store,
        execute,
        applications=applications,
        concurrency=concurrency,
        local_data=True,  # `remit executor` has checked each application
        clock=client.clock,
        on_error=report,
    )


def notify_engine(client: LocalClient, runtime: Runtime, run: str) -> None:
    """Notify the engine named by the environment of a run, so that an executor resumes it.

    The local engine needs no notification: it polls the journal.
    """
    name = choose_engine(os.environ.get(ENGINE_VARIABLE, ""))
    if name == "local":
        return

    async def tell() -> None:
        engine = make_engine(client, name, runtime.resume, applications=[runtime.app.name], report=_ignore_failure)
        await engine.wake(run)
        await engine.close()

    client.wait(tell())


def _ignore_failure(_run: str, _error: BaseException) -> None:
    """Ignore failures: this process only notifies and executes nothing."""
