"""``remit worker``: a process that drives runs, whoever opened them; its commands are about worker files."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Generator, Mapping
from typing import Annotated, Final

import typer

from remit.app import App
from remit.cli.apps import find_app, installed
from remit.cli.desk import Desk, needs_model, open_desk
from remit.cli.engine import VARIABLE, chosen, engine_of
from remit.cli.legible import one_line
from remit.cli.status import Status, UsageError
from remit.core.frozen import frozen
from remit.errors import LeaseError, RemitError
from remit.runtime import RunResult, Runtime

_AT_ONCE: Final = 130


def worker(
    context: typer.Context,
    *,
    app: Annotated[
        list[str] | None,
        typer.Option(metavar="APP", help="Whose runs: an application, or package.module:attribute. Can be repeated."),
    ] = None,
    engine: Annotated[
        str, typer.Option(metavar="NAME", envvar=VARIABLE, help="local or dbos; see the guide on scaling out.")
    ] = "local",
    concurrency: Annotated[int, typer.Option(metavar="N", min=1, help="So many runs at once.")] = 8,
) -> int:
    """Drive runs that others opened, woke or left behind, until it is stopped; or, with a command, see to worker files.

    Without --app it drives those of every installed application. Ctrl-C or SIGTERM stops it: runs that do not come to
    rest within ten seconds are let go, for others to drive on. A second Ctrl-C ends it at once.
    """
    if context.invoked_subcommand is not None:
        if app:
            raise UsageError(
                f"give --app behind the command: remit worker {context.invoked_subcommand} … --app {app[0]}"
            )
        return Status.DONE
    named = chosen(engine)
    with open_desk() as desk:
        found = [find_app(name, installed()) for name in app or installed()]
        if not found:
            raise UsageError("no application is installed; say which with --app package.module:attribute")
        if any(needs_model(each, agent.name) for each in found for agent in each.agents):
            desk.model.check()
        desk.wait(_Shift(desk, {each.name: each for each in found}).work(named, concurrency))
    return Status.DONE


@frozen(kw_only=False)
class _Shift:
    """What one worker process does between its beginning and its end."""

    desk: Desk
    apps: Mapping[str, App]

    async def work(self, engine: str, concurrency: int) -> None:
        """Drive runs until a signal says to stop."""
        runtimes = {name: self.desk.runtime(app) for name, app in self.apps.items()}

        async def drive(run: str, leave: asyncio.Event, /) -> RunResult[object]:
            return await self._drive(runtimes, run, leave)

        made = engine_of(
            self.desk, engine, drive, applications=list(self.apps), concurrency=concurrency, report=_failed
        )
        with _signals() as stop:
            async with made:
                _say(f"driving runs of {', '.join(self.apps)}: engine {engine}, {concurrency} at once")
                await stop.wait()
                _say("stopping; Ctrl-C ends it at once")
        _say("stopped")

    async def _drive(self, runtimes: Mapping[str, Runtime], run: str, leave: asyncio.Event) -> RunResult[object]:
        row = await self.desk.store.find_run(run)
        application, tenant = (row.application, row.tenant) if row is not None else ("", "")
        try:
            result: RunResult[object] = await runtimes[application].resume(run, leave)
        except LeaseError:
            if leave.is_set():
                _say(f"run {run} let go")
            raise
        questions = f" for {', '.join(result.questions)}" if result.questions else ""
        _say(f"run {run} {result.status}{questions}")
        if self.desk.anchor:
            try:
                await self.desk.audit().seal(tenant, run)
            except RemitError as error:
                _failed(run, error)
        return result


@contextlib.contextmanager
def _signals() -> Generator[asyncio.Event]:
    """An event that the first SIGTERM or Ctrl-C sets; the second ends the process, as a crash would."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()

    def tell() -> None:
        if stop.is_set():
            os._exit(_AT_ONCE)
        stop.set()

    heard = (signal.SIGTERM, signal.SIGINT)
    with contextlib.suppress(NotImplementedError):
        for each in heard:
            loop.add_signal_handler(each, tell)
    try:
        yield stop
    finally:
        with contextlib.suppress(NotImplementedError):
            for each in heard:
                loop.remove_signal_handler(each)


def _failed(run: str, error: BaseException) -> None:
    about = f"run {run}: " if run else ""
    _say(one_line(f"{about}{type(error).__name__}: {error}", most=400))


def _say(text: str) -> None:
    print(f"worker {os.getpid()}: {text}", file=sys.stderr, flush=True)
