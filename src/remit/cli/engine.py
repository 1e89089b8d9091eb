"""Which engine drives runs: the environment or an option says; one is made for a desk."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from remit.cli.desk import Desk
from remit.cli.status import UsageError
from remit.engine.local import LocalEngine
from remit.engine.port import Drive, Engine, Report
from remit.errors import SetupError
from remit.runtime import Runtime

VARIABLE: Final = "REMIT_ENGINE"
ENGINES: Final = ("local", "dbos")


def chosen(said: str) -> str:
    """The engine that is meant; local if nothing is said.

    Raises:
        UsageError: there is no such engine.
    """
    if said and said not in ENGINES:
        raise UsageError(f"there is no engine {said!r}; give {VARIABLE} or --engine one of: {', '.join(ENGINES)}")
    return said or "local"


def engine_of(
    desk: Desk, name: str, drive: Drive, *, applications: Sequence[str], concurrency: int = 8, report: Report
) -> Engine:
    """The engine ``name`` over the journal of a desk.

    Raises:
        SetupError: something is not installed, or the journal is not where the engine needs it.
    """
    if name == "local":
        return LocalEngine(
            desk.store, drive, applications=applications, concurrency=concurrency, clock=desk.clock, report=report
        )
    if not desk.database.startswith("postgres"):
        raise SetupError("the engine dbos needs the journal in Postgres: set REMIT_DATABASE to postgresql://…")
    try:
        from remit.adapters.dbos import DbosEngine
    except ModuleNotFoundError as error:
        raise SetupError(f"the engine dbos needs {error.name}; install it with: pip install 'remit[dbos]'") from error
    return DbosEngine(
        desk.database,
        desk.store,
        drive,
        applications=applications,
        concurrency=concurrency,
        clock=desk.clock,
        report=report,
    )


def told_of(desk: Desk, runtime: Runtime, run: str) -> None:
    """Tell the engine that the environment names of a run, for a worker process to drive it on.

    The local engine need not be told: it looks into the journal by itself.
    """
    name = chosen(os.environ.get(VARIABLE, ""))
    if name == "local":
        return

    async def tell() -> None:
        engine = engine_of(desk, name, runtime.resume, applications=[runtime.app.name], report=_nothing)
        await engine.wake(run)
        await engine.close()

    desk.wait(tell())


def _nothing(_run: str, _error: BaseException) -> None:
    """Nothing is driven here, so nothing goes wrong with it."""
