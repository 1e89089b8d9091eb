"""Runs a task in its own application state, and grades the result."""

from __future__ import annotations

import asyncio
import json
import math
import re
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from remit.agent.model import Model
from remit.app import App
from remit.call.call import CallLayer
from remit.core import Stack
from remit.core.amounts import format_dollars
from remit.engine.request import RunOptions
from remit.engine.result import RunResult
from remit.errors import RemitError, SetupError
from remit.evals.case import AnswerCalls
from remit.evals.differences import Snapshot, find_differences
from remit.evals.recording import RecordedModel
from remit.evals.state import has_result, is_same, query_state, temporary_home
from remit.evals.task import Questions, Task, locate
from remit.evals.task_cost import TaskCost
from remit.journal.memory import InMemoryStore
from remit.models.prices import with_default_prices
from remit.record.principal import Principal
from remit.record.usage import NO_USAGE, Price, Prices, UsageTotals, find_price
from remit.runtime import Runtime
from remit.schemas.finding import display_path

_MAX_ROUNDS: Final = 20
"""How many times one prompt may rest on questions, or be continued by a confirmation."""

_MAX_DIFFERENCES: Final = 5
"""How many unexpected differences of the tables are told."""

_APPROVER: Final = "eval-approver"


@dataclass(frozen=True, kw_only=True)
class Failure:
    """One reason why a task failed. ``kind`` is ``effect`` for a forbidden effect."""

    kind: str
    what: str


@dataclass(kw_only=True)
class TaskResult:
    """The result of one task, which passed if it has no failures.

    ``was_stopped``: its cost limit, or an error in that limit, stopped it.
    """

    task: Task
    failures: list[Failure] = field(default_factory=list[Failure])
    changed_tools: list[str] = field(default_factory=list[str])
    usage: UsageTotals = NO_USAGE
    questions: int = 0
    seconds: float = 0.0
    text: str = ""
    was_stopped: bool = False

    @property
    def has_passed(self) -> bool:
        """Whether nothing failed."""
        return not self.failures

    def fail(self, kind: str, what: str) -> None:
        """Add a failure."""
        self.failures.append(Failure(kind=kind, what=what))

    def stop(self, kind: str, what: str) -> None:
        """Add a failure after which nothing else can be graded."""
        self.fail(kind, what)
        self.was_stopped = True


async def run_task(
    task: Task,
    load_app: Callable[[], App],
    model: Model,
    *,
    prices: Prices | None = None,
    case: AnswerCalls | None = None,
) -> TaskResult:
    """Run one task: prepare the state, send the prompts, answer questions, grade.

    ``prices`` are added to those of `remit.models`. Recorded answers of a model without a price cost nothing.

    A failed setup call or an invalid query fails the task.

    Raises:
        SetupError: the application cannot be loaded, or keeps its data elsewhere than in the home of the task.
    """
    result = TaskResult(task=task)
    if isinstance(model, RecordedModel) and find_price(with_default_prices(prices), model.model) is None:
        prices = {**(prices or {}), model.model: Price(0.0, 0.0)}
    with temporary_home():
        async with _own_tasks():
            await _run_and_grade(task, load_app(), model, result, prices, case)
    if isinstance(model, RecordedModel):
        _check_recording(model, result)
    for problem in case.problems() if case is not None and not result.was_stopped else ():
        result.fail("recording", problem)
    return result


async def _run_and_grade(
    task: Task, app: App, model: Model, result: TaskResult, prices: Prices | None, case: AnswerCalls | None
) -> None:
    if not app.agents:
        raise SetupError(f"{task.file}: the application {app.name!r} has no agent")
    trial = _Trial(task, app, model, result, prices, case)
    async with trial.runtime:
        await _grade_trial(task, app, model, result, trial)


async def _grade_trial(task: Task, app: App, model: Model, result: TaskResult, trial: _Trial) -> None:
    if problem := await trial.prepare():
        result.stop("task", problem)
        return
    state = _State(task, app.name, result)
    before = [state.query(sql, "unchanged", number) for number, sql in enumerate(task.unchanged)]
    if not result.has_passed:  # no model is asked for a task that cannot be graded
        result.was_stopped = True
        return
    with closing(Snapshot.take(app.name)) as snapshot:
        started = time.monotonic()
        try:
            async with asyncio.timeout(task.seconds):
                await trial.converse()
        except TimeoutError:
            result.fail("run", f"not done after {task.seconds:g} s")
        except RemitError as error:
            result.fail("run", f"{error.code}: {error.message}")
        result.seconds = time.monotonic() - started
        if isinstance(model, RecordedModel) and model.problem:
            return  # nothing can be graded, and the database may not exist
        _grade_cost(task, result)
        if result.was_stopped:
            return  # the effect of the remaining prompts is unknown
        _grade_state(task, state, before, result)
        _grade_rest(task, app.name, snapshot, result, state.explain_absence())
    _grade_answer(task, result)
    _grade_questions(task.questions, result)


@asynccontextmanager
async def _own_tasks() -> AsyncGenerator[None]:
    """Cancel the tasks that the block leaves behind, as the end of an event loop does. This closes databases."""
    before = asyncio.all_tasks()
    try:
        yield
    finally:
        left = asyncio.all_tasks() - before
        for each in left:
            each.cancel()
        await asyncio.gather(*left, return_exceptions=True)


class _Trial:
    """One execution of a task."""

    def __init__(
        self,
        task: Task,
        app: App,
        model: Model,
        result: TaskResult,
        prices: Prices | None,
        case: AnswerCalls | None,
    ) -> None:
        self._task = task
        self._result = result
        self._store = InMemoryStore(time.time)
        layers = app.build_layers()
        self._cost = TaskCost(math.inf if task.cost is None else task.cost)
        if task.cost is not None:
            layers = layers.layer(self._cost)
        self.runtime = Runtime(
            app,
            store=self._store,
            model=model,
            prices=prices,
            layers=layers if case is None else Stack[CallLayer](case, layers),
        )
        self._user = Principal("eval-user", task.user.tenant, frozenset(task.user.permissions))
        self._approver = Principal(_APPROVER, task.user.tenant, frozenset({"*"}))
        self.runtime.add_principals(self._user, self._approver)
        self._decided: set[str] = set()

    async def prepare(self) -> str:
        """Make the calls of the setup with all permissions, and approve them; return the problem, if any."""
        for number, each in enumerate(self._task.setup):
            target = self._task.target if each.target is None else each.target
            try:
                files = {name: await self._add_file(path) for name, path in each.files.items()}
                arguments = {**each.arguments, **files}
                made = await self.runtime.call_by_name(each.call, arguments, by=self._approver, target=target)
                for question in made.questions:
                    self._decided.add(question)
                    await self.runtime.decide(question, approved=True, by=self._approver)
                (await self.runtime.resume(made.run) if made.questions else made).value()
            except RemitError as error:
                return f"{locate(self._task, 'setup', number)}: {each.call}: {error.message}"
        return ""

    async def _add_file(self, path: str) -> dict[str, Any]:
        file = Path(self._task.file).parent / path
        return (await self.runtime.artifacts.add(file, by=self._approver)).model_dump(mode="json")

    async def converse(self) -> None:
        """Send the prompts in one conversation, and answer the questions."""
        for number, prompt in enumerate(self._task.prompt):
            self._cost.used = self._result.usage.cost or 0.0
            if self._cost.used >= self._cost.dollars:
                self._result.stop("cost", f"prompt {number + 1} was not sent: {_describe_cost(self._result)}")
                return
            options = RunOptions(conversation="eval", target=self._task.target)
            if not number:
                options |= RunOptions(agent=self._task.agent, messages=self._task.messages)
            run = await self.runtime.run(prompt, by=self._user, **options)
            opened: list[str] = []
            for _ in range(_MAX_ROUNDS):
                ended = await self._finish(run)
                if ended.status != "done":
                    self._fail(ended)
                    return
                opened += await self._answer_open_questions()
                if not opened:
                    break
                run = await self.runtime.resume(opened.pop(0))
            else:
                self._result.fail("run", f"no end after {_MAX_ROUNDS} confirmations of one prompt")

    def _fail(self, ended: RunResult[Any]) -> None:
        if self._cost.stopped:
            self._result.stop("cost", f"the run was stopped: {self._cost.stopped}")
        else:
            self._result.fail("run", f"the run is {ended.status}: {ended.reason or _one_line(ended.text)}")

    async def _finish(self, run: RunResult[Any]) -> RunResult[Any]:
        """Answer the questions that a run waits for, and resume it until it has ended."""
        for _ in range(_MAX_ROUNDS):
            if run.status != "waiting":
                break
            await self._answer_open_questions()
            run = await self.runtime.resume(run.run)
        usage = run.usage
        self._result.usage = self._result.usage.plus(usage)
        self._result.text = run.text
        return run

    async def _answer_open_questions(self) -> list[str]:
        """Answer the open questions, as the user if a confirmation is enough. Returns the runs that this opens."""
        opened: list[str] = []
        for row in await self._store.list_questions():
            question = row.question
            if question.id in self._decided:
                continue
            self._decided.add(question.id)
            approved = _verdict(self._task.questions, self._result.questions) == "approve"
            self._result.questions += 1
            kind = self.runtime.client(self._user).decision_kind(question)
            by = self._user if kind == "confirm" else self._approver
            run = await self.runtime.decide(question.id, approved=approved, by=by, kind=kind)
            opened += [] if run is None else [run]
        return opened


def _verdict(questions: Questions, number: int) -> str:
    return questions.answers[min(number, len(questions.answers) - 1)]


def _check_recording(model: RecordedModel, result: TaskResult) -> None:
    result.changed_tools = [] if model.problem else model.changed_tools
    if model.problem:
        result.failures.clear()  # the model's next action is unknown
        result.fail("recording", model.problem)
    elif model.unconsumed_count and not result.was_stopped:
        result.fail("recording", f"{model.unconsumed_count} recorded answers were not used")


class _State:
    """The database that a task queries. An invalid query fails the task once."""

    def __init__(self, task: Task, application: str, result: TaskResult) -> None:
        self._task = task
        self._application = application
        self._result = result

    def query(self, sql: str, *key: str | int) -> list[Any] | None:
        """The rows; none without a database or with an invalid query."""
        try:
            return query_state(self._application, sql)
        except SetupError as error:
            self._result.fail("task", f"{locate(self._task, *key)}: {error.message}")
            return None

    def explain_absence(self) -> str:
        """The advice if there is no database."""
        name = f"{self._application}.db"
        return f"; there is no database {name}, because no call has opened it: a call in setup that reads makes it"


def _grade_state(task: Task, state: _State, before: Sequence[list[Any] | None], result: TaskResult) -> None:
    for number, each in enumerate(task.expect):
        failed = len(result.failures)
        rows = state.query(each.query, "expect", number, "query")
        if len(result.failures) == failed and not has_result(rows or [], each.equals):
            expected, why = json.dumps(each.equals, ensure_ascii=False), state.explain_absence() if rows is None else ""
            given = json.dumps(rows or [], ensure_ascii=False)
            result.fail("state", f"{each.query!r} gives {given}, not {expected}{why}")
    for number, (sql, rows) in enumerate(zip(task.unchanged, before, strict=True)):
        if not is_same(rows, state.query(sql, "unchanged", number)):
            why = state.explain_absence() if rows is None else ""
            result.fail("state", f"the result of {sql!r} has changed{why}")
    for number, each in enumerate(task.forbidden):
        if state.query(each.query, "forbidden", number, "query"):
            result.fail("effect", each.effect)


def _grade_rest(task: Task, application: str, before: Snapshot, result: TaskResult, absence: str) -> None:
    """Fail a task that changed what it was not asked to. A case has no state: its tools answer from the record."""
    if not task.nothing_else or task.matching is not None:
        return
    try:
        with closing(Snapshot.take(application)) as after:
            found = find_differences(before, after, [*task.derived, *task.changes])
    except SetupError as error:
        result.fail("task", f"{display_path(Path(task.file))}: changes: {error.message}")
        return
    why = "" if before.tables() else absence
    for each in found[:_MAX_DIFFERENCES]:
        result.fail("effect", f"the task names no such change: {each}{why}")
    if len(found) > _MAX_DIFFERENCES:
        result.fail("effect", f"and {len(found) - _MAX_DIFFERENCES} other rows differ")


def _grade_questions(rules: Questions, result: TaskResult) -> None:
    asked = result.questions
    if asked < rules.at_least or (rules.at_most is not None and asked > rules.at_most):
        most = "" if rules.at_most is None else f" and at most {rules.at_most}"
        result.fail("questions", f"asked {asked} times, not at least {rules.at_least}{most}")


def _grade_cost(task: Task, result: TaskResult) -> None:
    """Fail a task that cost more than its limit, because an answer was longer than estimated."""
    cost, is_told = result.usage.cost, any(each.kind == "cost" for each in result.failures)
    if task.cost is not None and cost is not None and cost > task.cost and not is_told:
        result.fail("cost", _describe_cost(result))


def _describe_cost(result: TaskResult) -> str:
    used, most = format_dollars(result.usage.cost or 0.0), format_dollars(result.task.cost or 0.0)
    return f"the task has cost {used} of its {most}"


def _grade_answer(task: Task, result: TaskResult) -> None:
    rules, text = task.answer, result.text.casefold()
    missing = [each for each in rules.contains if each.casefold() not in text]
    present = [each for each in rules.excludes if each.casefold() in text]
    said = f"; it is {_one_line(result.text)!r}"
    if missing:
        result.fail("answer", f"the answer lacks {', '.join(map(repr, missing))}{said}")
    if present:
        result.fail("answer", f"the answer says {', '.join(map(repr, present))}{said}")
    if rules.matches and not re.search(rules.matches, result.text, re.IGNORECASE):
        result.fail("answer", f"the answer does not match {rules.matches!r}{said}")


def _one_line(text: str) -> str:
    return " ".join(text.split())[:500]
