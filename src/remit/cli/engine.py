"""Chooses the engine, from an option or the environment, and builds it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from remit.app import App
from remit.cli.apps import find_app, installed_apps
from remit.cli.client import LocalClient
from remit.cli.status import UsageError
from remit.engine.local import LocalEngine
from remit.engine.port import Engine, ErrorHandler, ExecuteFunction
from remit.errors import SetupError
from remit.lazy_exports import install_hint
from remit.runtime import Runtime

ENGINE_VARIABLE: Final = "REMIT_ENGINE"
ENGINES: Final = ("local", "dbos")
LOCAL_DATA_HELP: Final = "All executors run on this machine, which has the files of the applications."


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


def find_executed_app(client: LocalClient, name: str, *, local_data: bool) -> App:
    """Load an application whose runs this process executes. A journal shared with other machines needs shared data.

    Raises:
        UsageError: the application keeps its data in a file of this machine.
    """
    from remit.database.database import list_files

    before = list_files()
    app = find_app(name, installed_apps())
    files = sorted(list_files() - before)
    if files and client.database.startswith("postgres") and not local_data:
        raise UsageError(
            f"the application {app.name!r} keeps its data in {files[0]}, "
            "which executors on other machines do not have: "
            "keep its data in Postgres (REMIT_DATA), keep the journal in SQLite too, "
            "or pass --local-data if all executors run on this machine"
        )
    return app


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
        local_data=True,  # each application was checked when it was loaded
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
