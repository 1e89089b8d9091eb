"""A gate: a layer that checks a precondition of a call. It must be idempotent, since it may check a call twice.

A gate checks the present state, so it skips calls that have already passed. A replay only compares. A call that is
executed again after a crash may already have written: a gate would refuse a deletion because its subject is gone.
"""

from __future__ import annotations

import abc
import json
from collections.abc import Sequence
from typing import Any, Final

from remit.call.call import Call, CallLayer, CallService, RunsOwnCode
from remit.call.callee import Callee
from remit.call.contract import Contract
from remit.call.facts import Effect
from remit.call.observing import await_callback
from remit.call.reply import Reply
from remit.core import Place, Stack
from remit.core.checks import check_method
from remit.errors import (
    ApprovalDeniedError,
    CallCancelledError,
    CallError,
    LostAnswerError,
    PolicyError,
    Suspended,
    error_from_reply,
)
from remit.record.items import AttemptEnded, AttemptStarted, CallEntered, Item, RunOpened, RunScheduled
from remit.shown import show_value

_UNKNOWN: Final = (CallCancelledError, LostAnswerError)
"""The ends of an attempt that do not tell whether it happened."""


def has_passed_gates(call: Call) -> bool:
    """Whether gates must be skipped, because the call is replayed or its body has started and may have written."""
    check_method("has_passed_gates: call", call, "ledger", "give the call that the layer got")
    if call.ledger.execution.is_replaying:
        return True
    if call.callee.facts.effect in (Effect.PURE, Effect.COMPOSED):
        return False
    return has_begun(call.ledger.items_for(call.id))


def has_begun(items: Sequence[Item]) -> bool:
    """Whether an attempt has started and is not known never to have happened."""
    void_attempts = {item.attempt for item in items if isinstance(item, AttemptEnded) and item.void}
    return any(isinstance(item, AttemptStarted) and item.attempt not in void_attempts for item in items)


def has_begun_body(items: Sequence[Item]) -> bool:
    """Whether an attempt has started, or the body of a composed call was entered."""
    return has_begun(items) or any(isinstance(item, CallEntered) for item in items)


def is_outcome_unknown(callee: Contract, items: Sequence[Item]) -> bool:
    """Whether an unsafe attempt has started whose end is unknown, or known only to be a stop or a lost answer."""
    if callee.facts.effect is not Effect.UNSAFE or not has_begun(items):
        return False
    newest = next(item for item in reversed(items) if isinstance(item, (AttemptStarted, AttemptEnded)))
    return isinstance(newest, AttemptStarted) or (
        newest.outcome == "error" and isinstance(error_from_reply(newest.content), _UNKNOWN)
    )


def postpone_failure(call: Call, error: CallError) -> None:
    """Let a recurring call that fails before its time rest until then, when it is tried and recurs.

    Otherwise its schedule would end silently. The first occurrence is still refused when it is opened, and a denial
    ends the schedule.

    Raises:
        Suspended: the call is tried at its time.
    """
    ledger = call.ledger
    if not ledger.execution.is_early or call.caller.call or isinstance(error, ApprovalDeniedError):
        return
    items = ledger.items_for(call.caller.run)
    header = next(item for item in items if isinstance(item, RunOpened))
    has_rested = any(isinstance(item, RunScheduled) for item in items)
    if header.schedule and (has_rested or json.loads(header.schedule)["run"] != header.call):
        raise Suspended(reason="scheduled", starts_at=ledger.execution.starts_at) from error


class Gate(CallLayer):
    """A layer with one check. A tool's gates also run before approval, so that no person is asked in vain."""

    def why_closed(self, _callee: str, /) -> CallError | None:
        """The error if the gate refuses every call of the named callee, which is then not offered.

        None if the result depends on the call.
        """
        return None

    @abc.abstractmethod
    async def check(self, call: Call, /) -> None:
        """Return if the call may pass.

        Raises:
            CallError: the call is refused; the message gives the reason.
        """

    def __call__(self, inner: CallService, /) -> CallService:
        """Check each call before ``inner``."""

        async def check_and_call(call: Call, /) -> Reply:
            if not has_passed_gates(call):
                await check_gate(self, call)
            return await inner(call)

        return check_and_call


def why_closed(callee: Callee[..., Any]) -> CallError | None:
    """The error if a gate around a callee refuses all its calls, else None."""
    refusals = (layer.why_closed(callee.name) for layer in callee.layers if isinstance(layer, Gate))
    return next((each for each in refusals if each is not None), None)


async def check_gate(gate: Gate, call: Call) -> None:
    """Let a gate check a call within a time limit. If the gate returns a value, which may mean no, the call is denied.

    Raises:
        CallError: the call is refused. DeadlineError: the gate took too long.
    """
    what = f"the gate {type(gate).__name__} of {call.callee.name}"
    answer: object = await await_callback(what, gate.check(call), deadline=call.deadline)
    if answer is not None:
        raise PolicyError(
            f"{what} returned {show_value(answer)}, so it is denied; return nothing, or raise an error to refuse"
        )


class CheckGates(RunsOwnCode, CallLayer):
    """Checks a tool's gates before any layer acts on the call, so that no person is asked about a refused call.

    The gates also stay around the tool and check the call again, because the state may change while approval is
    pending.
    """

    place = Place.OWN

    def __init__(self, gates: tuple[Gate, ...]) -> None:
        self._gates = gates

    @property
    def name(self) -> str:
        """The names of the gates."""
        return ", ".join(type(gate).__name__ for gate in self._gates)

    def __call__(self, inner: CallService, /) -> CallService:
        """Check the gates before ``inner``."""

        async def check_gates(call: Call, /) -> Reply:
            if not has_passed_gates(call):
                for gate in self._gates:
                    await check_gate(gate, call)
            return await inner(call)

        return check_gates

    def __repr__(self) -> str:
        return f"CheckGates({self.name})"


_BEFORE_GATES: Final = (Place.AUTHORIZE, Place.VALIDATE)


def with_gates_first(run_layers: Stack[CallLayer], tool_layers: Stack[CallLayer]) -> Stack[CallLayer]:
    """Add an early check of a tool's gates to the run layers, after the call is permitted and valid."""
    gates = tuple(layer for layer in tool_layers if isinstance(layer, Gate))
    return run_layers.insert_inside(_BEFORE_GATES, CheckGates(gates)) if gates else run_layers
