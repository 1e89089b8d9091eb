"""Tests of rules that read the calls before: after a call, not after a call, within a time, and of one or all runs.

Calls of the run are read from a fold of its items. Those of other runs are read from the store, in which a call that a
rule looks for leaves a mark before it begins and after it has succeeded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeVar

from pydantic import PositiveFloat

from remit.call.call import Call, CallService
from remit.call.contract import names_of
from remit.call.gate import has_begun_body
from remit.call.reply import Reply
from remit.call.subject import Per, subject_of
from remit.core.argument_types import Converted
from remit.core.call_checks import callback, check_arguments
from remit.core.checks import as_texts
from remit.errors import PolicyError, SetupError
from remit.record.items import RuleRead
from remit.record.uses import UseRequest
from remit.shown import show_value

T = TypeVar("T")
_Mark = Literal["begun", "succeeded"]
_NO_LIMIT: Final = float("inf")


class DeclaredTest:
    """The base class of tests of rules that are data, and run no code of an application."""

    __slots__ = ()

    def __call__(self, call: Call, /) -> bool:
        """Whether the test holds for a call."""
        raise NotImplementedError

    def reads(self) -> Iterable[After]:
        """The tests in it that read earlier calls."""
        return ()


@check_arguments()
@dataclass(frozen=True, slots=True)
class After(DeclaredTest):
    """Holds if one of these tools or agents was called before. A call counts once it begins, even if it has not ended.

    Args:
        tools: one name, or several.
        per: whose calls are read: those of the run, or all of the conversation, principal, tenant or agent.
        within: only calls that began in the last so many seconds.
    """

    tools: Annotated[Iterable[str], Converted(as_texts)]
    _: KW_ONLY
    per: Per = "run"
    within: PositiveFloat | None = None

    def __post_init__(self) -> None:
        if not self.tools:
            raise SetupError(f"{type(self).__name__}: give the name of a tool or agent")

    @property
    def mark(self) -> _Mark:
        """What a call must have done to count."""
        return "begun"

    @property
    def text(self) -> str:
        """The test in words, by which the journal names it."""
        within = "" if self.within is None else f" within {self.within:g} s"
        return f"{self._word} {', '.join(sorted(self.tools))} per {self.per}{within}"

    @property
    def _word(self) -> str:
        return "after"

    def __call__(self, call: Call, /) -> bool:
        """Whether it holds. Once the call has begun, and in a replay, the recorded answer stands."""
        items = call.ledger.items_for(call.id)
        if call.ledger.execution.is_replaying or has_begun_body(items):
            return _last_answer(call, self.text)
        return self._holds(self._happened(call))

    def _holds(self, happened: bool, /) -> bool:  # noqa: FBT001 - one fact
        return happened

    def reads(self) -> Iterable[After]:
        """The test itself."""
        return (self,)

    def _happened(self, call: Call) -> bool:
        past = call.ledger.past
        if self.per == "run":
            found = past.latest(self.tools, but=call.id, only_succeeded=self.mark == "succeeded")
            latest = None if found is None else found.at
        else:
            subjects = self.subjects(call)
            if not all(past.knows(subject, call.id) for subject in subjects):
                raise PolicyError(f"{call.callee.name} is denied: the earlier calls of the {self.per} were not read")
            times = [past.latest_use(subject, call.id) for subject in subjects]
            latest = max((at for at in times if at is not None), default=None)
        return latest is not None and (self.within is None or call.ledger.now() - latest <= self.within)

    def subjects(self, call: Call) -> list[str]:
        """What identifies, in the store, the marks that it reads."""
        return [subject_of(call.caller, self.per, self.mark, tool) for tool in self.tools]


@check_arguments()
@dataclass(frozen=True, slots=True)
class NotAfter(After):
    """Holds unless one of these tools or agents was called before, and succeeded. See `After`."""

    @property
    def mark(self) -> _Mark:
        """What a call must have done to count."""
        return "succeeded"

    @property
    def _word(self) -> str:
        return "not after"

    def _holds(self, happened: bool, /) -> bool:  # noqa: FBT001 - one fact
        return not happened


@check_arguments()
class AllOf(DeclaredTest):
    """Holds if all of these tests do, in their order; the others are not tried after one that does not hold."""

    __slots__ = ("tests",)

    def __init__(self, *tests: Annotated[Callable[[Call], bool], callback("call", is_async=False)]) -> None:
        if len(tests) < 2:
            raise SetupError("AllOf: give two tests or more")
        self.tests = tests

    def __call__(self, call: Call, /) -> bool:
        """Whether all tests hold."""
        for test in self.tests:
            holds: object = test(call)
            if type(holds) is not bool:
                raise TypeError(f"a test returned {show_value(holds)}; return True or False")
            if not holds:
                return False
        return True

    def reads(self) -> Iterable[After]:
        """The tests in it that read earlier calls."""
        return [read for test in self.tests if isinstance(test, DeclaredTest) for read in test.reads()]

    def __repr__(self) -> str:
        return f"AllOf({', '.join(map(repr, self.tests))})"


def _last_answer(call: Call, test: str) -> bool:
    items = reversed(call.ledger.items_for(call.id))
    return next((item.holds for item in items if isinstance(item, RuleRead) and item.test == test), False)


class ReadingRule(NamedTuple):
    """A test that reads earlier calls, and the tools whose calls its rule covers; empty for all."""

    test: After
    tools: frozenset[str]

    def covers(self, call: Call) -> bool:
        """Whether the rule covers a call."""
        return not self.tools or any(name in self.tools for name in names_of(call.callee))


class EarlierCalls:
    """Reads, records and marks the calls that the ``rules`` of a policy look for; most policies have none."""

    __slots__ = ("_marks", "_shared", "rules")

    def __init__(self, rules: Sequence[ReadingRule]) -> None:
        self.rules = rules
        self._shared = [rule for rule in rules if rule.test.per != "run"]
        self._marks: dict[tuple[str, _Mark], set[Per]] = {}
        for rule in self._shared:
            for tool in rule.test.tools:
                self._marks.setdefault((tool, rule.test.mark), set()).add(rule.test.per)

    def reads_other_runs(self, call: Call) -> bool:
        """Whether a rule that covers a call needs the calls of other runs."""
        return any(rule.covers(call) for rule in self._shared)

    async def read(self, call: Call) -> None:
        """Read from the store what the rules that cover a call need of other runs."""
        for rule in self._shared:
            if rule.covers(call) and not call.ledger.execution.is_replaying:
                for subject in rule.test.subjects(call):
                    latest = await call.ledger.reservations.latest_use(subject, call.id)
                    call.ledger.past.put_latest_use(subject, call.id, latest)

    async def have_changed(self, call: Call, judged: T, judge: Callable[[Call], T]) -> bool:
        """Whether what happened since changes how a call was judged that rules of the run cover."""
        if not any(rule.covers(call) for rule in self.rules):
            return False
        await self.read(call)
        return judge(call) != judged

    def record(self, call: Call) -> None:
        """Record the answers of the tests about a call where they are new, so that they stand once it has begun."""
        if not self.rules or call.ledger.execution.is_replaying:
            return
        for rule in self.rules:
            if rule.covers(call) and (holds := rule.test(call)) != _last_answer(call, rule.test.text):
                call.ledger.add(RuleRead(call=call.id, test=rule.test.text, holds=holds))

    def mark_calls(self, inner: CallService) -> CallService:
        """Have calls that rules look for leave marks, before ``inner`` begins them and after they have succeeded."""
        if not self._marks:
            return inner

        async def call_marked(call: Call, /) -> Reply:
            await self._mark(call, "begun")
            reply = await inner(call)
            if reply.outcome == "ok":
                await self._mark(call, "succeeded")
            return reply

        return call_marked

    async def _mark(self, call: Call, mark: _Mark) -> None:
        subjects = [
            subject_of(call.caller, per, mark, name)
            for name in names_of(call.callee)
            for per in sorted(self._marks.get((name, mark), ()))
        ]
        is_marked = mark == "begun" and has_begun_body(call.ledger.items_for(call.id))
        if subjects and not is_marked and not call.ledger.execution.is_replaying:
            requests = [UseRequest(mark, subject, 1.0, _NO_LIMIT) for subject in subjects]
            await call.ledger.reservations.reserve_uses(call.id, requests)


def reading_rules(test: Any, tools: Iterable[str]) -> list[ReadingRule]:
    """What a rule with this test for calls of these tools reads."""
    reads = test.reads() if isinstance(test, DeclaredTest) else ()
    return [ReadingRule(each, frozenset(tools)) for each in reads]
