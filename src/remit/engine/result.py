"""The results of runs and replays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, TypeVar, cast

from msgspec.structs import asdict

from remit.call.call import root_call_id
from remit.call.reply import Reply
from remit.core.argument_types import Converted
from remit.core.checks import check_text
from remit.dispatch.registry import AnyCallee
from remit.dispatch.unwrapping import unwrap_reply
from remit.engine.outcome import ExecutionOutcome, ExecutionStatus
from remit.errors import RequestConflictError, RequestError
from remit.journal.codec import ChatItem, build_chat_history, items_from_messages
from remit.journal.replay import ReplayLedger
from remit.record.items import Item, Message, Position, RunFinished, RunOpened
from remit.record.usage import NO_USAGE, UsageTotals
from remit.views.receipt import FindContract, Receipt, make_receipt

Out = TypeVar("Out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(Generic[Out]):
    """The outcome of a run, or of a call of an open run.

    ``questions`` are the questions that it waits for. ``reason`` says why it stalled, failed or was cancelled.
    """

    run: str
    status: ExecutionStatus
    callee: AnyCallee
    reply: Reply | None = None
    questions: tuple[str, ...] = ()
    reason: str = ""

    def __post_init__(self) -> None:
        if not self.reason and self.reply is not None and self.reply.error is not None:
            object.__setattr__(self, "reason", self.reply.error.message)

    @property
    def text(self) -> str:
        """The content of the reply as a model reads it; empty while it waits."""
        return self.reply.content if self.reply else ""

    def value(self) -> Out:
        """The typed result.

        Raises:
            CallError: the run or the call failed with this error.
            RequestError: there is no result yet.
        """
        if self.reply is None:
            why = self.reason or ", ".join(self.questions)
            raise RequestConflictError(f"run {self.run} has no result: it is {self.status} ({why})")
        return cast("Out", unwrap_reply(self.callee, self.reply))


def check_run_id(run: object, what: str = "run") -> None:
    """Refuse a value that is not the id of a run.

    Raises:
        RequestError: says what to pass, even if a result was passed instead of its id.
    """
    if isinstance(run, Result):
        raise RequestError(f"{what} is the result of run {run.run}; give its id, which is its attribute run")
    check_text(what, run, RequestError)


def _as_run_id(what: str, run: Any) -> str:
    check_run_id(run, what)
    return run


RunId = Annotated[str, Converted(_as_run_id)]
"""The id of a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult(Result[Out]):
    """The result of a call of an open run: ``done``, ``failed``, ``cancelled``, ``waiting`` or ``stalled``.

    After the questions of a waiting call are decided, the same call with the same key returns its result. ``call`` is
    its id in the journal.
    """

    call: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult(Result[Out]):
    """The result of a run: ``done``, ``failed``, ``cancelled``, or how it rests: ``waiting``, ``open`` and others.

    A waiting run has questions, and an open one takes calls. A stalled run rests for a ``reason`` that will pass, such
    as a busy model: an engine continues it at ``retry_at`` (epoch seconds), `Runtime.resume` at once. A scheduled run
    starts at ``retry_at``, a ``queued`` one when the runs before it in its conversation have ended.
    ``usage`` has the requests, tokens and US dollars of all executions so far; its ``cost`` is None if the price of a
    model is unknown. ``items`` is the journal of the run so far, even if it had ended before; `turns`, `events`
    and `receipt` are read from it.
    """

    usage: UsageTotals = NO_USAGE
    retry_at: float = 0.0
    items: Sequence[Item] = field(default=(), repr=False, compare=False)
    find_contract: FindContract = field(default=lambda _name: None, repr=False, compare=False)

    @property
    def turns(self) -> int:
        """The number of answers by the models of the root agent and its successors by handoff."""
        root = self._root_call
        answers = (item for item in self.items if isinstance(item, Message) and item.request)
        return sum(item.agent == root for item in answers)

    @property
    def events(self) -> list[ChatItem]:
        """The messages of the run, system message included, as items: one for each message. Empty for a tool."""
        return items_from_messages(build_chat_history(self.items, self._root_call), self._root_call)

    @property
    def receipt(self) -> Receipt:
        """The changes by the calls of the run, over all its agents, from the journal."""
        return make_receipt(self.items, self.find_contract)

    @property
    def _root_call(self) -> str:
        header = self.items[0] if self.items else None
        return root_call_id(header) if isinstance(header, RunOpened) else ""


def result_of(run: str, callee: AnyCallee, outcome: ExecutionOutcome, find_contract: FindContract) -> RunResult[Any]:
    """The result of an execution."""
    return RunResult(run=run, callee=callee, find_contract=find_contract, **asdict(outcome))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayReport:
    """The result of a replay: the number of messages and terminal records compared, and the first difference.

    ``changed_tools`` are the tools whose definition has changed since the run called them. Their recorded results
    answered the replay, so this alone is no difference.
    """

    run: str
    compared_count: int
    difference: str = ""
    changed_tools: tuple[str, ...] = ()

    @property
    def is_identical(self) -> bool:
        """Whether the current code reproduces the journal byte for byte."""
        return not self.difference


def report_replay(run: str, ledger: ReplayLedger, items: Sequence[Position]) -> ReplayReport:
    """Report a completed replay. Items of an ended run that the replay did not reach are a difference."""
    has_ended = any(isinstance(position.item, RunFinished) for position in items) and not ledger.execution.was_cancelled
    unclaimed = ledger.unclaimed_items() if has_ended else []
    difference = f"the journal continues where the current code ends: {unclaimed[0]!r}"[:400] if unclaimed else ""
    return ReplayReport(run=run, compared_count=ledger.compared_count, difference=difference)
