"""Calls that the loop of another agent framework makes in an open run: how they pause, and what its model reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from remit.client.open_run import OpenRun
from remit.engine.result import CallResult
from remit.errors import ContractError, RequestConflictError, SetupError
from remit.record.arguments import Arguments


async def call_tool(
    run: OpenRun, tool: str, arguments: Arguments | Mapping[str, object] | str, *, key: str
) -> CallResult[Any]:
    """Make a call of the framework's model in ``run``; the same call with the same ``key`` is one call.

    Raises:
        RequestConflictError: the framework gave the call no id, so that a repeated call would be made twice.
    """
    if not key:
        raise RequestConflictError(f"the call of {tool} has no id; use a model that gives each call an id of its own")
    return await run.call(tool, arguments, key=key)


def is_paused(result: CallResult[Any]) -> bool:
    """Whether the call waits for a person, or for something that will pass."""
    return result.status in ("waiting", "stalled")


def is_denied(result: CallResult[Any]) -> bool:
    """Whether a policy, a layer or a person refused the call."""
    return result.reply is not None and result.reply.outcome == "denied"


def describe_pause(result: CallResult[Any]) -> dict[str, Any]:
    """What a program needs to ask a person and to continue: the run, its questions, and why a stalled call waits."""
    return {"run": result.run, "questions": list(result.questions), "reason": result.reason}


def model_text(result: CallResult[Any]) -> str:
    """What the framework's model reads: a text without quotes, other results as JSON, errors as Remit words them."""
    reply = result.reply
    if reply is None:
        return result.reason
    if reply.notice is not None or reply.is_pending or reply.outcome != "ok":
        return reply.content_with_notice
    value = result.value()
    return value if isinstance(value, str) else result.text


def check_declared(tool: str, **declared: object) -> None:
    """Refuse a tool of the framework that declares what would not hold for a call in a run.

    Raises:
        ContractError: names it.
    """
    if lost := ", ".join(name for name, value in declared.items() if value):
        why = "which does not hold in a run of Remit; leave it out, and declare it there"
        raise ContractError(f"{tool} declares {lost}, {why}")


async def refuse_ungoverned(**_: object) -> str:
    """The function of an offered tool, which the framework never calls where its calls are governed.

    Raises:
        SetupError: always.
    """
    raise SetupError("this tool of Remit was called past its run; give the agent the middleware that makes its calls")


def refuse_early_approval(result: CallResult[Any]) -> RequestConflictError:
    """The error of a framework that continues with a call which a person has not decided yet."""
    waits_for = ", ".join(result.questions) or result.reason
    return RequestConflictError(
        f"{result.callee.name} still waits ({waits_for}); decide it in Remit, because only that approves the call"
    )
