"""Everything a command needs: principal, store, model and an event loop."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from remit.cli.home import HomeFolder, ensure_home
from remit.cli.interrupt import exit_at_second_ctrl_c, exit_immediately
from remit.cli.status import NoSuchError, UsageError, did_you_mean, error_line
from remit.errors import CallCancelledError, InvalidArgumentsError, RemitError, RequestError, RequestNotFoundError
from remit.journal.index import RESTING_STATUSES
from remit.journal.ports import QuestionRow, RunRow, Store
from remit.journal.rest import find_rest
from remit.record.principal import Principal
from remit.server.people.people import People
from remit.users import UserDirectory, os_user, read_users

if TYPE_CHECKING:  # modules for few commands are imported on use
    from remit.app import App
    from remit.audit.audit import Audit
    from remit.client.client import Client
    from remit.client.conversation_reader import ConversationReader
    from remit.client.reader import Page
    from remit.engine.watching import ItemCallback
    from remit.models.choice import ChoiceFile
    from remit.models.resolve import ResolvedModel
    from remit.record.artifact import Artifact
    from remit.record.items import Position
    from remit.record.question import Question
    from remit.record.usage import UsageTotals
    from remit.runtime import RunResult, Runtime

T = TypeVar("T")

_PAGE: Final = 1000


@dataclass(frozen=True, kw_only=True)
class LocalClient:
    """Everything a command needs: principal, store, model and an event loop.

    Coroutines run on its one loop, and only while a command waits for them.
    """

    users: UserDirectory
    principal: Principal
    store: Store
    environ: Mapping[str, str]
    exit_stack: ExitStack
    runner: asyncio.Runner
    home: HomeFolder
    people: People
    anchor: str = ""
    database: str = ""
    clock: Callable[[], float] = time.time
    opened_apps: list[App] = field(default_factory=list["App"])

    @cached_property
    def model(self) -> ResolvedModel:
        """The model that the environment names, or the one that the operator has chosen.

        Raises:
            SetupError: the choice cannot be read, or its key is missing.
        """
        from remit.models.choice import find_default_model

        return find_default_model(self.environ, self.model_choice.read())

    @property
    def model_choice(self) -> ChoiceFile:
        """The file with the operator's choice of a model."""
        from remit.models.choice import ChoiceFile

        return ChoiceFile(self.home.folder)

    def wait(self, coroutine: Awaitable[T]) -> T:
        """Run ``coroutine`` to completion. Ctrl-C cancels it; a second one exits at once, as a crash would.

        Raises:
            CallCancelledError: it was cancelled, and has ended.
        """
        ended = False

        async def until_end() -> T:
            nonlocal ended
            try:
                with exit_at_second_ctrl_c():
                    return await coroutine
            finally:
                ended = True

        try:
            return self.runner.run(until_end())
        except (KeyboardInterrupt, asyncio.CancelledError):
            if not ended:
                exit_immediately()
            raise CallCancelledError("stopped by Ctrl-C") from None

    def execute(
        self, runtime: Runtime, coroutine: Coroutine[Any, Any, RunResult[Any]], find_row: Callable[[], RunRow | None]
    ) -> RunResult[Any]:
        """Execute a run. If Ctrl-C interrupts it, cancel the run, even in the middle of a call.

        ``find_row`` returns the run's row once it is known. A finished or suspended run is entered into the audit log.
        """
        try:
            result = self.wait(coroutine)
        except CallCancelledError:
            row = find_row()
            if row is not None and row.status == "running":
                self.wait(runtime.cancel(row.run, by=self.principal))
                self._seal(row.run)
            raise
        self._seal(result.run)
        return result

    def store_file(self, runtime: Runtime, path: Path) -> Artifact:
        """Store a file of this person for runs.

        Raises:
            UsageError: the file cannot be read, or is refused.
        """
        try:
            return self.wait(runtime.artifacts.add(path, by=self.principal))
        except RequestError as error:
            raise UsageError(f"--file: {error.message}") from error
        except InvalidArgumentsError as error:
            raise UsageError(f"--file {path}: {error.message}") from error

    def audit(self, anchor_location: str = "") -> Audit:
        """The audit of this journal, anchored at ``anchor_location`` or as the environment says.

        Raises:
            SetupError: neither names an anchor.
        """
        from remit.audit.audit import Audit
        from remit.cli.anchor import load_anchor

        return Audit(
            self.store,
            logs=self.home.audit_folder,
            anchor=load_anchor(anchor_location or self.anchor),
            clock=self.clock,
        )

    def _seal(self, run: str) -> None:
        """Enter a run into the audit log if the environment names an anchor. A failure does not change the run."""
        if self.anchor:
            try:
                self.wait(self.audit().seal(self.principal.tenant, run))
            except RemitError as error:
                print(error_line(error.code, error.message), file=sys.stderr)

    def usage(self, positions: Iterable[Position]) -> UsageTotals:
        """The usage of a run's models, at the prices of ``config.toml`` and of Remit's table."""
        from remit.journal.run_totals import RunTotals
        from remit.models.prices import with_default_prices

        return RunTotals.of(positions).usage(with_default_prices(self.users.prices))

    @cached_property
    def reader(self) -> ConversationReader:
        """The reader of everything that the user may see, at the prices of ``config.toml`` and of Remit's table."""
        from remit.client.conversation_reader import ConversationReader
        from remit.models.prices import with_default_prices

        prices = with_default_prices(self.users.prices)
        return ConversationReader(self.store, self.principal, application="", prices=prices)

    def find_run(self, run: str) -> RunRow | None:
        """The row of a run, or None."""
        return self.wait(self.store.find_run(run))

    def latest_run(self, application: str, conversation: str) -> RunRow | None:
        """The latest run of a conversation, ignoring direct calls."""
        tenant = self.principal.tenant
        return self.wait(self.store.find_latest_run(conversation, tenant=tenant, application=application))

    def runtime(
        self, app: App, on_item: ItemCallback | None = None, make_run_id: Callable[[], str] | None = None
    ) -> Runtime:
        """A runtime of ``app`` over this journal, with today's permissions. Without a model, runs that ask one wait."""
        from remit.agent.model import find_or_missing
        from remit.runtime import Runtime

        runtime = Runtime(
            app,
            store=self.store,
            model=find_or_missing(lambda: self.model),
            directory=self.people.find_principal,
            on_item=on_item,
            make_run_id=make_run_id,
            prices=self.users.prices,
        )
        if app.resources and not any(each is app for each in self.opened_apps):
            self.opened_apps.append(app)
            self.wait(runtime.__aenter__())
            self.exit_stack.callback(lambda: self.wait(runtime.__aexit__()))
        return runtime

    def client_of(self, app: App | None) -> Client:
        """The user's client for the runs of ``app``; without an application, for the questions and grants of all."""
        if app is not None:
            return self.runtime(app).client(self.principal)
        from remit.app import App
        from remit.client.client import Client
        from remit.models.prices import with_default_prices

        runtime, prices = self.runtime(App(name="remit")), with_default_prices(self.users.prices)
        return Client(runtime, self.principal, application="", prices=prices)

    def resolve_app(self, row: RunRow, app_reference: str = "") -> App:
        """The application of a run: the one installed under its name, or the one at ``app_reference``.

        Raises:
            NoSuchError: it does not exist.
            UsageError: the one at ``app_reference`` is another application.
            SetupError: it cannot be loaded.
        """
        from remit.agent.linking import all_callees
        from remit.cli.apps import find_app, installed_apps
        from remit.record.items import OPEN_RUN

        loaders = installed_apps()
        if not app_reference and row.application not in loaders:
            raise NoSuchError(
                f"run {row.run} belongs to the application {row.application!r}, which is not installed; "
                "pass --app package.module:attribute, a worker file, or a folder of worker files"
            )
        app = find_app(app_reference or row.application, loaders)
        if app.name != row.application:
            raise UsageError(f"run {row.run} belongs to the application {row.application!r}, not {app.name!r}")
        if row.callee not in {OPEN_RUN, *(each.name for each in all_callees([*app.agents, *app.tools]))}:
            raise NoSuchError(
                f"the application {app.name!r} has no tool or agent {row.callee!r}, which run {row.run} called; "
                f"if it is the worker of a file, name the file: --app {app_reference or app.name}+FILE.worker"
            )
        return app

    def get_run(self, run: str) -> RunRow:
        """The row of a run that this process executes, of any principal.

        Raises:
            NoSuchError: it does not exist.
        """
        row = self.find_run(run)
        if row is None or row.tenant != self.principal.tenant:
            raise NoSuchError(f"run {run} does not exist; see: remit runs")
        return row

    def get_readable_run(self, run: str) -> RunRow:
        """The row of a run that the user may read: their own, or any of the tenant with ``runs:read``.

        Raises:
            NoSuchError: it does not exist. Similar ids of runs that the user may read are suggested.
        """
        return self._find_row(self.reader.status(run), run)

    def get_cancellable_run(self, run: str) -> RunRow:
        """The row of a run that the user may cancel; see `RunReader.cancellable`.

        Raises:
            NoSuchError: it does not exist.
            RequestDeniedError: the user may only read it.
        """
        return self._find_row(self.reader.cancellable(run), run)

    def _find_row(self, reading: Coroutine[Any, Any, RunRow], run: str) -> RunRow:
        try:
            return self.wait(reading)
        except RequestNotFoundError:
            readable_runs = [each.run for each in self.wait(self.reader.runs()).items]
            raise NoSuchError(f"run {run} does not exist{did_you_mean(run, readable_runs)}; see: remit runs") from None

    def list_questions(self, *, only_open: bool) -> list[QuestionRow]:
        """All questions that the user may see, oldest first."""
        return self.read_pages(partial(self.reader.questions, status="open" if only_open else "all"))

    def read_pages(self, read: Callable[..., Coroutine[Any, Any, Page[T]]]) -> list[T]:
        """The rows of all pages of ``read(after=…, limit=…)``."""
        rows, after = list[T](), ""
        while True:
            page = self.wait(read(after=after, limit=_PAGE))
            rows += page.items
            after = page.next
            if not after:
                return rows

    def list_approvers(self, question: Question) -> list[str]:
        """The users who may decide a question."""
        barred = question.requesters if question.four_eyes else ()
        here = [each for each in self.users.principals.values() if each.tenant == question.tenant]
        return [each.name for each in here if each.name not in barred and not question.missing_permission(each)]

    def get_visible_question(self, question: str) -> QuestionRow:
        """A question that the user may see.

        Raises:
            NoSuchError: it does not exist.
        """
        try:
            return self.wait(self.reader.question(question))
        except RequestError:
            visible_ids = [each.question.id for each in self.list_questions(only_open=True)]
            raise NoSuchError(
                f"question {question} does not exist{did_you_mean(question, visible_ids)}; see: remit approvals list"
            ) from None

    def get_question(self, question: str) -> QuestionRow:
        """A question of a run that this process executes.

        Raises:
            NoSuchError: it does not exist.
        """
        row = self.wait(self.store.find_question(question))
        if row is None or row.question.tenant != self.principal.tenant:
            raise NoSuchError(f"question {question} does not exist; see: remit approvals list")
        return row

    def open_questions(self, row: RunRow) -> list[Question]:
        """The open questions that a run waits for."""
        if row.status not in RESTING_STATUSES:
            return []
        rest = find_rest(position.item for position in self.wait(self.store.read(row.run)))
        rows = [self.get_question(question) for question in rest.questions]
        return [found.question for found in rows if found.status == "open"]

    def waiting_run(self, question: Question) -> RunRow | None:
        """The run that waits for a question: the run that asked, or another run that made the announced call."""
        from remit.engine.conversations import find_waiting_run

        return self.wait(find_waiting_run(self.store, question, self.get_run(question.run)))

    def announced_questions(self, application: str, conversation: str) -> list[Question]:
        """The open questions of a conversation about announced calls, which no run waits for yet."""
        if not conversation:
            return []
        rows = self.wait(self.store.list_questions(conversation=conversation))
        mine = [row.question for row in rows if row.question.tenant == self.principal.tenant and not row.question.waits]
        here = [question for question in mine if self.get_run(question.run).application == application]
        return [question for question in here if self.waiting_run(question) is None]


@contextmanager
def open_client(environ: Mapping[str, str] = os.environ) -> Generator[LocalClient]:
    """The client of the user who runs this process, for the duration of the block.

    Raises:
        SetupError: ``config.toml`` does not list the user, or a requirement is not installed.
    """
    home = ensure_home(environ)
    users = read_users(home.config_file, os_user())
    principal = users.require_principal(os_user())
    anchor = environ.get("REMIT_ANCHOR", "")
    if anchor:
        from remit.cli.anchor import load_anchor

        load_anchor(anchor)  # a missing requirement is reported before anything runs
    database = environ.get("REMIT_DATABASE") or users.journal_url
    key_file = environ.get("REMIT_JOURNAL_KEY") or users.journal_key
    store, directory = home.open_store(database, key_file), home.open_directory(database, key_file)
    with asyncio.Runner() as runner, ExitStack() as exit_stack:
        exit_stack.callback(lambda: runner.run(store.close()))
        exit_stack.callback(lambda: runner.run(directory.close()))
        exit_stack.callback(_close_models, runner)
        yield LocalClient(
            users=users,
            principal=principal,
            store=store,
            environ=environ,
            exit_stack=exit_stack,
            runner=runner,
            home=home,
            people=People(directory, users),
            anchor=anchor,
            database=database,
        )


def _close_models(runner: asyncio.Runner) -> None:
    """Close all opened models, whether an agent, a driver or this client opened them."""
    models = sys.modules.get("remit.models.resolve")
    if models is not None:
        runner.run(models.close_opened_models())
