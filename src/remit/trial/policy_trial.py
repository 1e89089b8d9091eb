"""A trial of a policy: the recorded calls on which its verdict differs from that of the policy in force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, get_args

from msgspec import Struct

from remit.approvals.judgement import Difference, Judgement, difference, judge
from remit.approvals.policy import Policy
from remit.approvals.shadow import read_shadow
from remit.call.call import Call
from remit.call.contract import Contract
from remit.errors import BlockedError, CallError, PolicyError
from remit.record.arguments import Arguments, Limits, parse_arguments
from remit.record.items import (
    OPEN_RUN,
    AttemptStarted,
    CallEntered,
    CallItem,
    CallReceived,
    ErasedItem,
    Position,
    QuestionItem,
    RunOpened,
    ToolOutput,
)
from remit.record.principal import Caller, Principal
from remit.trial.recorded_ledger import RecordedLedger
from remit.views.parts import CallView
from remit.views.run_view import RunView
from remit.views.sentences import FindContract

Unjudged = Literal["erased", "unrecorded", "unknown tool", "unfit arguments", "other runs"]
"""Why a call was not judged. ``erased``: its arguments were erased. ``unrecorded``: a body made it, and the journal
holds only a digest of its arguments. ``unknown tool``: the application has no such tool now. ``unfit arguments``: the
tool does not take these arguments now. ``other runs``: a rule reads the calls of other runs."""

UNJUDGED_REASONS: Final[tuple[Unjudged, ...]] = get_args(Unjudged)

_LIMITS: Final = Limits()
_NO_ARGUMENTS: Final[Arguments] = parse_arguments("{}", _LIMITS)
_BEGINNINGS: Final = frozenset({AttemptStarted.kind, CallEntered.kind, QuestionItem.kind, ToolOutput.kind})
_JUDGED_ERRORS: Final = (BlockedError, PolicyError)


class ChangedCall(Struct, frozen=True):
    """A recorded call on which two policies differ, with its canonical arguments, at ``at`` (epoch seconds)."""

    run: str
    call: str
    tool: str
    arguments: str
    principal: str
    at: float
    before: Judgement
    after: Judgement


class ChangedGroup(Struct, frozen=True):
    """The calls of a tool on which two policies differ in the same way, by the same rules.

    ``calls`` and ``runs`` count all of them, and ``examples`` are the first that were read.
    """

    kind: Difference
    tool: str
    before: str
    after: str
    before_rule: str
    after_rule: str
    calls: int
    runs: int
    examples: tuple[ChangedCall, ...]


class PolicyTrial(Struct, frozen=True):
    """The result of a trial: how many runs were read, how many calls were judged, and the groups that differ.

    ``unjudged`` counts the calls that could not be judged, by reason. ``refused`` are calls that were refused before
    the policy was asked, such as for lack of a permission.
    """

    runs: int
    calls: int
    refused: int
    unjudged: Mapping[Unjudged, int]
    groups: Sequence[ChangedGroup]

    @property
    def newly_asked(self) -> list[ChangedGroup]:
        """The groups of calls that are newly asked about, or asked more strictly."""
        return self._of("asked")

    @property
    def newly_blocked(self) -> list[ChangedGroup]:
        """The groups of calls that are newly blocked."""
        return self._of("blocked")

    @property
    def looser(self) -> list[ChangedGroup]:
        """The groups of calls that are no longer asked about or blocked, or that others may approve."""
        return self._of("looser")

    def _of(self, kind: Difference) -> list[ChangedGroup]:
        return [each for each in self.groups if each.kind == kind]


class _Group:
    """Counts of calls that differ in the same way."""

    __slots__ = ("calls", "examples", "last_run", "runs")

    def __init__(self) -> None:
        self.calls = 0
        self.runs = 0
        self.last_run = ""
        self.examples: list[ChangedCall] = []


class _Groups:
    """Groups calls that differ in the same way. ``examples`` calls of each group are kept."""

    def __init__(self, examples: int) -> None:
        self._examples = examples
        self._groups: dict[tuple[Difference, str, Judgement, Judgement], _Group] = {}

    def add(self, call: ChangedCall) -> None:
        """Add a call if its two judgements differ."""
        before, after = call.before, call.after
        kind = difference(before, after)
        if kind is None:
            return
        group = self._groups.setdefault((kind, call.tool, _without_reason(before), _without_reason(after)), _Group())
        group.calls += 1
        if group.last_run != call.run:
            group.last_run, group.runs = call.run, group.runs + 1
        if len(group.examples) < self._examples:
            group.examples.append(call)

    def list(self) -> list[ChangedGroup]:
        """The groups, the largest first."""
        groups = [
            ChangedGroup(
                kind, tool, before.word, after.word, before.rule, after.rule, each.calls, each.runs, (*each.examples,)
            )
            for (kind, tool, before, after), each in self._groups.items()
        ]
        return sorted(groups, key=lambda each: (-each.calls, each.tool, each.before_rule, each.after_rule))


class ShadowFold:
    """Collects where a shadow policy has differed from the policy in force, from the notes of runs."""

    def __init__(self, *, examples: int = 3) -> None:
        self._groups = _Groups(examples)
        self._runs = self._calls = 0

    def add_run(self, run: str, positions: Iterable[Position]) -> None:
        """Read the notes on the calls of a run. Only the last one on a call counts."""
        self._runs += 1
        view = RunView()
        for position in positions:
            view.add(position.item, position.at)
        who = "" if view.header is None else view.header.principal
        for call in view.calls.values():
            self._calls += bool(call.tool)
            noted = [(read_shadow(each.note), each.at) for each in call.notes]
            last = next(((note, at) for note, at in reversed(noted) if note is not None), None)
            if last is not None:
                (before, after), at = (last[0].before, last[0].after), last[1]
                self._groups.add(ChangedCall(run, call.id, call.tool, call.made_with, who, at, before, after))

    def result(self) -> PolicyTrial:
        """The result over all runs so far, the largest groups first. ``calls`` are all calls of the runs."""
        return PolicyTrial(self._runs, self._calls, 0, {}, self._groups.list())


class TrialFold:
    """Judges the calls of runs, added one run after the other, by the policy in force and by a changed one.

    Both policies judge the same call: the recorded arguments, the run up to the call, and the facts of the tool now. So
    a difference follows from the policies alone. ``examples`` calls of each group are kept.
    """

    def __init__(self, policy: Policy, new: Policy, find_contract: FindContract, *, examples: int = 3) -> None:
        self._policies = (policy, new)
        self._find_contract = find_contract
        self._groups = _Groups(examples)
        self._contracts: dict[str, tuple[Contract | None, bool]] = {}
        self._unjudged = Counter[Unjudged]()
        self._runs = self._calls = self._refused = 0
        self._run, self._principal = "", Principal("unknown")

    def add_run(self, run: str, positions: Iterable[Position]) -> None:
        """Judge the calls of a run."""
        self._runs += 1
        view, ledger, seen = RunView(), RecordedLedger(run), set[str]()
        for position in positions:
            item = position.item
            view.add(item, position.at)
            if isinstance(item, ErasedItem) and item.was in _BEGINNINGS and item.call not in seen:
                seen.add(item.call)
                self._unjudged["erased"] += 1
            call = view.calls.get(item.call) if _may_begin(item) else None
            if call is not None and call.tool and call.id not in seen:
                seen.add(call.id)
                ledger.at = position.at
                self._add_call(call, view, ledger)
            ledger.add_recorded(item, position.at)

    def result(self) -> PolicyTrial:
        """The result over all runs so far, the largest groups first."""
        return PolicyTrial(self._runs, self._calls, self._refused, dict(self._unjudged), self._groups.list())

    def _add_call(self, view: CallView, run: RunView, ledger: RecordedLedger) -> None:
        if _was_refused_before(view):
            self._refused += 1
            return
        contract, reads_call = self._contract(view.tool)
        if contract is None:
            self._unjudged["unknown tool"] += 1
            return
        header = run.header
        if reads_call and (header is None or not view.made_with):
            was_erased = any(isinstance(item, ErasedItem) for item in ledger.recorded_items())
            self._unjudged["erased" if was_erased else "unrecorded"] += 1
            return
        if ledger.run != self._run:
            self._run, self._principal = ledger.run, _principal_of(header)
        caller = _caller_of(view, run, ledger.run, self._principal)
        call = Call(view.id, contract, _NO_ARGUMENTS, caller, ledger, view.wire)
        if reads_call:
            try:
                call = _bind(call, view)
            except (CallError, ValueError):
                self._unjudged["unfit arguments"] += 1
                return
        if any(policy.earlier_calls.reads_other_runs(call) for policy in self._policies):
            self._unjudged["other runs"] += 1
            return
        self._calls += 1
        before, after = (judge(policy, call) for policy in self._policies)
        if before != after:
            arguments = call.canonical_arguments or view.made_with
            who = caller.principal.name
            self._groups.add(ChangedCall(ledger.run, view.id, contract.name, arguments, who, ledger.at, before, after))

    def _contract(self, tool: str) -> tuple[Contract | None, bool]:
        """The contract of a tool, and whether a policy must read its calls to judge them."""
        found = self._contracts.get(tool)
        if found is None:
            contract = self._find_contract(tool)
            reads = contract is not None and any(policy.reads_call(contract) for policy in self._policies)
            found = self._contracts[tool] = (contract, reads)
        return found


def _may_begin(item: object) -> bool:
    return isinstance(item, CallItem) and not isinstance(item, CallReceived) and item.callee != OPEN_RUN


def _was_refused_before(view: CallView) -> bool:
    """Whether a call ended without success before it began, and not by the policy."""
    output = view.output
    if output is None or output.outcome == "ok" or view.attempts or view.questions or view.calls:
        return False
    return not isinstance(view.error, _JUDGED_ERRORS)


def _bind(call: Call, view: CallView) -> Call:
    """The call with its recorded arguments, as the tool takes them now."""
    schema = call.callee.schema_in
    if view.bound:
        return call.with_payload(schema.load(view.bound))
    return call.with_payload(schema.bind(parse_arguments(view.arguments, _LIMITS)))


def _principal_of(header: RunOpened | None) -> Principal:
    if header is None:
        return Principal("erased")
    return Principal(header.principal, header.tenant, frozenset(header.held)).at(header.target)


def _caller_of(view: CallView, run: RunView, run_id: str, principal: Principal) -> Caller:
    header = run.header
    if header is None:
        return Caller(run_id, "", view.parent, run.depth(view), principal)
    return Caller(
        run_id,
        _agent_of(view, run) or header.agent,
        view.parent,
        run.depth(view),
        principal,
        header.conversation,
        header.application,
        target=header.target,
        metadata=header.metadata,
    )


def _agent_of(view: CallView, run: RunView) -> str:
    """The agent that made a call; empty if no agent did."""
    parent = run.calls.get(view.parent)
    while parent is not None and not parent.messages:
        parent = run.calls.get(parent.parent)
    return "" if parent is None else parent.tool


def _without_reason(judgement: Judgement) -> Judgement:
    """The judgement without its reason, which may name a single call; that of a rule that failed is kept out too."""
    return Judgement(judgement.strictness, judgement.rule, "", judgement.who)
