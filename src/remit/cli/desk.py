"""What a command works with: the journal, who sits there, the model, and one event loop."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from remit.agent import roster
from remit.agent.model import ChecksModel
from remit.agent.roster import everybody
from remit.app import App
from remit.audit.audit import Audit
from remit.cli.anchor import VARIABLE, anchor_at
from remit.cli.apps import find_app, installed
from remit.cli.choose import Lazy
from remit.cli.home import home_of
from remit.cli.people import People, os_user, read_people
from remit.cli.status import NoSuchError, UsageError, line_of, near
from remit.contracts.items import Waiting
from remit.contracts.principal import Principal
from remit.contracts.question import Question
from remit.core.frozen import frozen
from remit.errors import CallCancelledError, RemitError
from remit.journal.ledger import Watch
from remit.journal.ports import QuestionRow, RunRow, Store
from remit.runtime import RunResult, Runtime

T = TypeVar("T")

READ: Final = "runs:read"
"""The permission to read the runs of others of one's tenant."""

_SHOW_CURSOR = "\x1b[?25h"


@frozen
class Desk:
    """One person's place. Everything asynchronous runs on its one loop, and only while it is waited for."""

    people: People
    me: Principal
    store: Store
    model: Lazy
    runner: asyncio.Runner
    logs: Path
    anchor: str = ""
    database: str = ""
    clock: Callable[[], float] = time.time

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run ``work`` to its end. Ctrl-C cancels it; a second one ends the process at once, as a crash would.

        Raises:
            CallCancelledError: it was cancelled, and has ended.
        """
        ended = False

        async def until_end() -> T:
            nonlocal ended
            try:
                return await work
            finally:
                ended = True

        try:
            return self.runner.run(until_end())
        except (KeyboardInterrupt, asyncio.CancelledError):
            if not ended:
                _end_at_once()
            raise CallCancelledError("stopped by Ctrl-C") from None

    def drive(
        self, runtime: Runtime, work: Coroutine[Any, Any, RunResult[Any]], which: Callable[[], RunRow | None]
    ) -> RunResult[Any]:
        """Drive a run. When Ctrl-C stops it, see to it that it is over, at whichever moment that came.

        ``which`` is the run, as far as it is known by then. At rest it is entered into the audit log.
        """
        try:
            result = self.wait(work)
        except CallCancelledError:
            row = which()
            if row is not None and row.status == "running":
                self.wait(runtime.cancel(row.run, by=self.me))
                self._seal(row.run)
            raise
        self._seal(result.run)
        return result

    def audit(self, where: str = "") -> Audit:
        """The audit of this journal, anchored at ``where``, or else where the environment says.

        Raises:
            SetupError: neither says where.
        """
        return Audit(self.store, logs=self.logs, anchor=anchor_at(where or self.anchor), clock=self.clock)

    def _seal(self, run: str) -> None:
        """Enter a run, if the environment says where it is anchored. It is at rest, whether that works or not."""
        if self.anchor:
            try:
                self.wait(self.audit().seal(self.me.tenant, run))
            except RemitError as error:
                print(line_of(error.code, error.message), file=sys.stderr)

    def find(self, run: str) -> RunRow | None:
        """The line about a run, if there is one."""
        return self.wait(self.store.find_run(run))

    def newest(self, application: str, conversation: str) -> RunRow | None:
        """The last run of a conversation, direct calls left out."""
        tenant = self.me.tenant
        runs = self.store.runs(conversation=conversation, tenant=tenant, application=application, beside=False, limit=1)
        return next(iter(self.wait(runs)), None)

    def runtime(self, app: App, watch: Watch | None = None) -> Runtime:
        """A runtime of ``app`` over this journal, with the permissions that ``config.toml`` gives today."""
        return Runtime(app, store=self.store, model=self.model, directory=self.people.directory, watch=watch)

    def app_of(self, row: RunRow, where: str = "") -> App:
        """The application that a run belongs to: installed under its name, or at ``where``.

        Raises:
            NoSuchError: it is not there. UsageError: another one is.
            SetupError: it cannot be loaded.
        """
        known = installed()
        if not where and row.application not in known:
            raise NoSuchError(
                f"no application {row.application!r} is installed, to which run {row.run} belongs; "
                "say where it is: --app package.module:attribute, or FILE.worker for a worker that stands alone"
            )
        app = find_app(where or row.application, known)
        if app.name != row.application:
            raise UsageError(f"run {row.run} belongs to the application {row.application!r}, not {app.name!r}")
        if row.callee not in {each.name for each in everybody([*app.agents, *app.tools])}:
            raise NoSuchError(
                f"the application {app.name!r} has no tool or agent {row.callee!r}, which run {row.run} called; "
                f"if that is the worker of a file, say which: --app {where or app.name}+FILE.worker"
            )
        return app

    def run(self, run: str) -> RunRow:
        """The line about a run of my tenant.

        Raises:
            NoSuchError: there is none.
        """
        row = self.find(run)
        if row is None or row.tenant != self.me.tenant:
            raise self._no_run(run)
        return row

    def readable(self, run: str) -> RunRow:
        """A run that I may read: one of mine, or of anybody of my tenant if I hold ``runs:read``.

        Raises:
            NoSuchError: there is none.
        """
        row = self.run(run)
        if self.reads not in ("", row.principal):
            raise self._no_run(run)
        return row

    def _no_run(self, run: str) -> NoSuchError:
        """That there is no such run, and which of those that I may read was perhaps meant."""
        known = [each.run for each in self.wait(self.store.runs(tenant=self.me.tenant, principal=self.reads))]
        return NoSuchError(f"there is no run {run}{near(run, known)}; see: remit runs")

    @property
    def reads(self) -> str:
        """Whose runs I may read: empty for those of my whole tenant."""
        return "" if self.me.may(READ) else self.me.name

    def sees(self, question: Question) -> bool:
        """Whether a question is for me to see: I may decide it, or it is about what I asked for."""
        mine = self.me.name in question.requesters
        return question.tenant == self.me.tenant and (mine or self.me.may(question.who))

    def asked(self, question: str) -> QuestionRow:
        """A question that is for me to see.

        Raises:
            NoSuchError: there is none.
        """
        row = self.wait(self.store.find_question(question))
        if row is None or not self.sees(row.question):
            known = [each.question.id for each in self.wait(self.store.questions()) if self.sees(each.question)]
            raise NoSuchError(f"there is no question {question}{near(question, known)}; see: remit approvals list")
        return row

    def question(self, question: str) -> QuestionRow:
        """A question of a run that I drive.

        Raises:
            NoSuchError: there is none.
        """
        row = self.wait(self.store.find_question(question))
        if row is None or row.question.tenant != self.me.tenant:
            raise NoSuchError(f"there is no question {question}; see: remit approvals list")
        return row

    def open_of(self, row: RunRow) -> list[Question]:
        """The open questions that a run waits for."""
        if row.status != "waiting":
            return []
        items = [position.item for position in self.wait(self.store.read(row.run))]
        waiting = next(item for item in reversed(items) if isinstance(item, Waiting))
        rows = [self.question(question) for question in waiting.questions]
        return [found.question for found in rows if found.status == "open"]

    def waiter(self, question: Question) -> RunRow | None:
        """The run that waits for a question: the one that asked, or the one that makes the call it announced."""
        if question.waits:
            return self.run(question.run)
        of_it = self.store.runs(
            conversation=question.conversation,
            tenant=self.me.tenant,
            application=self.run(question.run).application,
        )
        waiting = (row for row in self.wait(of_it) if question.id in [each.id for each in self.open_of(row)])
        return next(waiting, None)

    def announced(self, application: str, conversation: str) -> list[Question]:
        """The open questions of a conversation that no run waits for: they were asked for a call yet to come."""
        if not conversation:
            return []
        rows = self.wait(self.store.questions(conversation=conversation))
        mine = [row.question for row in rows if row.question.tenant == self.me.tenant and not row.question.waits]
        here = [question for question in mine if self.run(question.run).application == application]
        return [question for question in here if self.waiter(question) is None]


@contextmanager
def open_desk(environ: Mapping[str, str] = os.environ) -> Generator[Desk]:
    """The desk of whoever runs this process, for as long as the block lasts.

    Raises:
        SetupError: ``config.toml`` does not know them, or something is not installed.
    """
    home = home_of(environ)
    people = read_people(home.config, os_user())
    me = people.named(os_user())
    anchor = environ.get(VARIABLE, "")
    if anchor:
        anchor_at(anchor)  # one that cannot be had is told before anything runs
    database = environ.get("REMIT_DATABASE") or people.journal
    store = home.store(database)
    model = Lazy(environ)
    with asyncio.Runner() as runner, ExitStack() as closing:
        closing.callback(lambda: runner.run(store.close()))
        closing.callback(lambda: runner.run(model.close()))
        yield Desk(
            people=people,
            me=me,
            store=store,
            model=model,
            runner=runner,
            logs=home.audit,
            anchor=anchor,
            database=database,
        )


def needs_model(app: App, callee: str) -> bool:
    """Whether to run ``callee`` means to ask the model of this desk."""
    return roster.needs_model([*app.agents, *app.tools], callee)


def check_models(desk: Desk, app: App, callee: str) -> None:
    """Refuse to open a run that would come to a model which cannot be had here: this desk's, or a worker's own.

    Raises:
        SetupError: saying which, and what is missing. Nobody was asked anything.
    """
    if needs_model(app, callee):
        desk.model.check()
    for each in roster.reached([*app.agents, *app.tools], callee):
        if isinstance(each, ChecksModel) and each.model is not None:
            each.check_model()


def _end_at_once() -> None:
    """What a crash does: nothing more is written, and the run can be resumed."""
    if sys.stderr.isatty():
        sys.stderr.write(_SHOW_CURSOR)
        sys.stderr.flush()
    os._exit(130)
