"""``remit executor``: a process that executes the runs of a shared journal."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Annotated, Final

import typer

from remit.cli.apps import installed_apps
from remit.cli.client import LocalClient, open_client
from remit.cli.engine import ENGINE_VARIABLE, LOCAL_DATA_HELP, choose_engine, find_executed_app, make_engine
from remit.cli.needed_models import needs_model
from remit.cli.status import ExitStatus, UsageError
from remit.cli.text import one_line
from remit.errors import LeaseError, NoModelError, RemitError
from remit.journal.ports import RunRow
from remit.runtime import RunResult, Runtime

_INTERRUPTED_STATUS: Final = 130
_MAX_REASON_LENGTH: Final = 2000


def executor(
    *,
    app: Annotated[
        list[str] | None,
        typer.Option(metavar="APP", help="The application, or package.module:attribute, to execute. Can be repeated."),
    ] = None,
    engine: Annotated[
        str, typer.Option(metavar="NAME", envvar=ENGINE_VARIABLE, help="local or dbos; see the guide on scaling out.")
    ] = "local",
    concurrency: Annotated[int, typer.Option(metavar="N", min=1, help="How many runs to execute at once.")] = 8,
    local_data: Annotated[
        bool,
        typer.Option("--local-data", help=LOCAL_DATA_HELP),
    ] = False,
) -> int:
    """Execute submitted, decided and interrupted runs.

    Without --app it serves every installed application. Without a model, it makes the calls of tools, and runs that
    ask one wait. It runs until Ctrl-C or SIGTERM: a run that does not finish or suspend within ten seconds is released
    for another executor. A second Ctrl-C exits at once.
    """
    engine_name = choose_engine(engine)
    with open_client() as client:
        found = [find_executed_app(client, name, local_data=local_data) for name in app or installed_apps()]
        if not found:
            raise UsageError("no application is installed; name one with --app package.module:attribute")
        if any(needs_model(each, agent.name) for each in found for agent in each.agents):
            _report_missing_model(client)
        runtimes = {each.name: client.runtime(each) for each in found}
        client.wait(_Executor(client, runtimes).run(engine_name, concurrency))
    return ExitStatus.DONE


@dataclass(frozen=True, slots=True)
class _Executor:
    """The main coroutine of an executor process."""

    client: LocalClient
    runtimes: Mapping[str, Runtime]

    async def run(self, engine: str, concurrency: int) -> None:
        """Execute runs until a signal requests a stop."""
        names = list(self.runtimes)
        made = make_engine(
            self.client, engine, self._execute, applications=names, concurrency=concurrency, report=_report_failure
        )
        with _stop_on_signal() as stop:
            async with made:
                _log(f"executing runs of {', '.join(names)}: engine {engine}, {concurrency} at once")
                await stop.wait()
                _log("stopping; press Ctrl-C to exit at once")
        _log("stopped")

    async def _execute(self, run: str, stop_requested: asyncio.Event, /) -> RunResult[object]:
        row = await self.client.store.find_run(run)
        application, tenant = (row.application, row.tenant) if row is not None else ("", "")
        if row is not None:
            await self._check_model(row)
        try:
            result: RunResult[object] = await self.runtimes[application].resume(run, stop_requested)
        except LeaseError:
            if stop_requested.is_set():
                _log(f"run {run} released")
            raise
        questions = f" for {', '.join(result.questions)}" if result.questions else ""
        reason = one_line(f": {result.reason}", max_length=_MAX_REASON_LENGTH) if result.reason else ""
        _log(f"run {run} {result.status}{questions}{reason}")
        if self.client.anchor:
            try:
                await self.client.audit().seal(tenant, run)
            except RemitError as error:
                _report_failure(run, error)
        return result

    async def _check_model(self, row: RunRow) -> None:
        """Leave a run whose model this process lacks to executors that have it. A run that is cancelled needs none.

        Raises:
            NoModelError: names the model and the missing part; the run was not claimed.
        """
        is_asking = needs_model(self.runtimes[row.application].app, row.callee)
        if is_asking and not await self.client.store.cancel_requested_by(row.run):
            self.client.model.check()


@contextlib.contextmanager
def _stop_on_signal() -> Generator[asyncio.Event]:
    """An event set by the first SIGTERM or Ctrl-C; the second exits the process, as a crash would."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()

    def on_signal() -> None:
        if stop.is_set():
            os._exit(_INTERRUPTED_STATUS)
        stop.set()

    handled_signals = (signal.SIGTERM, signal.SIGINT)
    with contextlib.suppress(NotImplementedError):
        for each in handled_signals:
            loop.add_signal_handler(each, on_signal)
    try:
        yield stop
    finally:
        with contextlib.suppress(NotImplementedError):
            for each in handled_signals:
                loop.remove_signal_handler(each)


def _report_missing_model(client: LocalClient) -> None:
    """Say that the model cannot be used, and what that means: calls of tools, such as scheduled ones, need none."""
    try:
        client.model.check()
    except NoModelError as error:
        _log(
            one_line(
                f"without a model, runs that ask one wait until it can be used: {error.message}",
                max_length=_MAX_REASON_LENGTH,
            )
        )


def _report_failure(run: str, error: BaseException) -> None:
    about = f"run {run}: " if run else ""
    _log(one_line(f"{about}{type(error).__name__}: {error}", max_length=400))


def _log(text: str) -> None:
    print(f"executor {os.getpid()}: {text}", file=sys.stderr, flush=True)
