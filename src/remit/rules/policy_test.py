"""Runs the tests of a policy file: its rules and windows judge calls that are not made, in a journal in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from remit.approvals.policy import Allow, Ask, Policy
from remit.call.call import Call, CallService
from remit.call.callee import Callee, LeafContext, check_callees
from remit.call.reply import Reply
from remit.call.tool import Tool
from remit.core.checks import check_instance
from remit.errors import BudgetError, CallError, SetupError
from remit.journal.ledger import RunLedger
from remit.journal.memory import InMemoryStore
from remit.layers.budget import Budget
from remit.record.arguments import Limits, canonical_text, content_digest, parse_arguments
from remit.record.items import AttemptStarted, ToolOutput
from remit.record.principal import Caller
from remit.rules.parts import CallPart, FactsPart, Outcome, TestPart
from remit.rules.policy_file import PolicyFile
from remit.schemas.suggestions import suggest

_START: Final = 1_767_225_600.0
"""When a test begins: 2026-01-01, 00:00 UTC."""

_ANY: Final[Mapping[str, Any]] = {"type": "object"}


class PolicyTestResult(NamedTuple):
    """A test of a policy file by its name, and what was not as expected, a line each; empty if it passed."""

    name: str
    problems: tuple[str, ...] = ()


class Judgement(NamedTuple):
    """What became of a call, and the rule or window that said so; empty if none did."""

    outcome: Outcome
    rule: str = ""
    reason: str = ""


async def run_tests(file: PolicyFile, tools: Iterable[Callee[..., Any]] = ()) -> list[PolicyTestResult]:
    """Run the tests of a policy file. No tool is called, nothing is stored, and no time passes.

    The facts and arguments of the application's ``tools`` count. Without any, a tool has the facts that the test says,
    and takes all arguments.

    Raises:
        SetupError: a value is of the wrong type, or the extra ``schema`` is not installed.
    """
    check_instance("run_tests: file", file, PolicyFile, "give what PolicyFile.load returns")
    known = {each.name: each for each in check_callees("run_tests: tools", tools)}
    return [await _Test(file.policy, file.budget, test, known).run() for test in file.tests]


class _Test:
    """One test, with a journal and a clock of its own."""

    def __init__(self, policy: Policy, budget: Budget, test: TestPart, tools: Mapping[str, Callee[..., Any]]) -> None:
        self._policy = policy
        self._budget = budget
        self._test = test
        self._tools = dict(tools)
        self._has_application = bool(tools)
        self._now = _START
        self._store = InMemoryStore(lambda: self._now)
        self._ledgers: dict[str | None, RunLedger] = {}

    async def run(self) -> PolicyTestResult:
        """Judge its calls, one after the other."""
        problems: list[str] = []
        for number, part in enumerate(self._test.calls, 1):
            self._now += part.later
            judged = await self._judge(part, number)
            where = f"call {number}, {part.call}"
            if judged.outcome != part.expect:
                by = f" by {judged.rule!r}" if judged.rule else ""
                why = f": {judged.reason}" if judged.reason else ""
                problems.append(f"{where}: {judged.outcome}{by}, expected {part.expect}{why}")
            elif part.rule is not None and judged.rule != part.rule:
                problems.append(f"{where}: {judged.outcome} by {judged.rule or 'no rule'!r}, expected {part.rule!r}")
        for ledger in self._ledgers.values():
            ledger.close()
        return PolicyTestResult(self._test.name, tuple(problems))

    async def _judge(self, part: CallPart, number: int) -> Judgement:
        try:
            call = await self._make_call(part, number)
        except (CallError, SetupError) as error:
            return Judgement("block", reason=error.message)
        judged = Judgement("allow")

        async def judge(call: Call, /) -> Reply:
            nonlocal judged
            judged = await self._ask_policy(call)
            if judged.outcome == "allow" or (judged.outcome in ("ask", "confirm") and part.approved):
                return await self._policy.earlier_calls.mark_calls(_make_call)(call)
            return Reply.from_value(None)

        service: CallService = self._budget(judge)
        try:
            await service(call)
        except BudgetError as error:
            window = next((each.name for each in self._budget.windows if repr(each.name) in error.message), "")
            judged = Judgement("over", window, error.message)
        begun = any(isinstance(item, AttemptStarted) for item in call.ledger.items_for(call.id))
        if not begun and judged.outcome in ("block", "over"):
            call.ledger.add(_output(call, "denied"))
        return judged

    async def _ask_policy(self, call: Call) -> Judgement:
        try:
            await self._policy.earlier_calls.read(call)
            verdict, rule = self._policy.verdict(call)
            self._policy.earlier_calls.record(call)
        except CallError as error:
            return Judgement("block", reason=error.message)
        if isinstance(verdict, Allow):
            return Judgement("allow", rule)
        if isinstance(verdict, Ask):
            return Judgement("ask" if verdict.kind == "approve" else "confirm", rule, verdict.reason)
        return Judgement("block", rule, verdict.reason)

    async def _make_call(self, part: CallPart, number: int) -> Call:
        callee = self._find_tool(part.call)
        ledger = await self._ledger(part)
        caller = Caller(ledger.run, "", "test", 1, part.by.make(), part.conversation or "", "test")
        arguments = parse_arguments(canonical_text(part.arguments), Limits())
        call = Call(content_digest(str(number), part.call), callee, arguments, caller, ledger)
        return call.with_payload(callee.schema_in.bind(arguments, strict=True))

    def _find_tool(self, name: str) -> Callee[..., Any]:
        if name not in self._tools:
            if self._has_application:
                raise SetupError(f"there is no tool {name!r}; {suggest(name, self._tools)}")
            facts = self._test.tools.get(name, FactsPart())
            self._tools[name] = Tool.from_schema(name, "A tool.", _ANY, _call_nothing, **facts.model_dump())
        return self._tools[name]

    async def _ledger(self, part: CallPart) -> RunLedger:
        ledger = self._ledgers.get(part.run)
        if ledger is None:
            run = f"run {len(self._ledgers) + 1}"
            epoch = (await self._store.acquire(run, "test", 1e9)).epoch
            ledger = RunLedger(self._store, run, epoch, clock=lambda: self._now, on_stored=lambda _items: None)
            self._ledgers[part.run] = ledger
        return ledger


async def _make_call(call: Call, /) -> Reply:
    """Record that a call has begun and succeeded, without making it."""
    call.ledger.add(AttemptStarted(call=call.id, parent="test", callee=call.callee.name, attempt=1))
    call.ledger.add(_output(call, "ok"))
    await asyncio.sleep(0)
    return Reply.from_value(None)


def _output(call: Call, outcome: Any) -> ToolOutput:
    return ToolOutput(call=call.id, parent="test", callee=call.callee.name, text="null", outcome=outcome)


async def _call_nothing(_ctx: LeafContext, _arguments: dict[str, Any]) -> None:
    raise NotImplementedError  # a test calls no tool
