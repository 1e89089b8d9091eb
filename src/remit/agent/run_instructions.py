"""Instructions that differ from run to run, such as the date or the rules of a site."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from remit.agent.first_messages import record_message
from remit.call.callee import Frame
from remit.call.observing import await_callback
from remit.core.call_checks import check_callback
from remit.core.checks import wrong_value
from remit.errors import InternalError
from remit.record.arguments import content_digest
from remit.record.items import Handoff, Message
from remit.record.ledger import Ledger
from remit.record.principal import Principal


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo:
    """What an agent's `run_instructions`, and the names that its search for tools knows, may depend on.

    ``principal`` has the permissions that it holds for ``target``. ``now`` is the time of the runtime's clock, in UTC.
    """

    principal: Principal
    target: str
    conversation: str
    now: datetime


RunInstructions = str | Callable[[RunInfo], str | Awaitable[str]]
"""A text, or a function that returns one; it may be async. An empty text adds no message."""


def check_run_instructions(what: str, value: object) -> None:
    """Refuse run instructions that are neither a text nor a function.

    Raises:
        SetupError: says what to pass instead.
    """
    if isinstance(value, type) or not (isinstance(value, str) or callable(value)):
        raise wrong_value(what, value, "give a text, or a function of a RunInfo")
    if not isinstance(value, str):
        check_callback(what, value, "info")


async def record_run_instructions(
    frame: Frame, agent: str, instructions: RunInstructions, number: int, *, is_decided: bool
) -> list[str]:
    """The message with the run instructions of ``agent``, number ``number`` of this call; none if they are empty.

    It is a user message, which every model accepts at any position. The system message and the tools thus stay the same
    bytes in every run. See `record_message` for ``is_decided``.

    Raises:
        InternalError: the function failed or returned no text.
    """

    async def make_text() -> str:
        content = await _evaluate(frame, agent, instructions)
        return f"<run_instructions>\n{content}\n</run_instructions>" if content else ""

    return await record_message(
        frame, _message_id(frame.id, number), "run_instructions", make_text, is_decided=is_decided
    )


def find_run_instructions(ledger: Ledger, agent: str) -> str:
    """The newest message with run instructions that the agent's call with this id recorded; empty without one."""
    handoffs = sum(isinstance(item, Handoff) for item in ledger.items_for(agent))
    found = (item for number in range(handoffs, -1, -1) for item in ledger.items_for(_message_id(agent, number)))
    return next((item.text for item in found if isinstance(item, Message)), "")


def describe_run(frame: Frame) -> RunInfo:
    """What a frame knows of its run."""
    caller, now = frame.caller, datetime.fromtimestamp(frame.ledger.now(), UTC)
    return RunInfo(principal=caller.principal, target=caller.target, conversation=caller.conversation, now=now)


def _message_id(agent: str, number: int) -> str:
    return content_digest("run instructions", agent, str(number))


async def _evaluate(frame: Frame, agent: str, instructions: RunInstructions) -> str:
    if isinstance(instructions, str):
        return instructions
    found: object = instructions(describe_run(frame))
    if inspect.isawaitable(found):
        found = await await_callback(f"run_instructions of agent {agent}", cast("Awaitable[object]", found))
    if not isinstance(found, str):
        raise InternalError(f"run_instructions of agent {agent} returned a {type(found).__name__}; return a text")
    return found
