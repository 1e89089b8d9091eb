"""What was approved is what runs: layers further in that change a call after it was approved, in every way there is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator

from figures.figure import Figure, no_violations
from remit import Agent, App, Effect, LeafContext, Principal, Risk, Runtime, tool
from remit.app import Env
from remit.layers import Call, CallService, Reply, layer_fn
from remit.policies import Decision, Question
from remit.testing import Scripted, calls
from remit.tools import Arguments

PERSON = Principal("ada", permissions=frozenset({"*"}))
APPROVED = {"name": "old", "count": 1}
_APPROVED_TEXT = json.dumps(APPROVED)
"""What was approved, as text: Python takes True for equal to 1, and JSON does not."""


class ApproveAll:
    """Approves at once."""

    async def decide(self, question: Question, /) -> Decision | None:
        """Yes."""
        return Decision(question=question.id, approved=True, by="ada")


def _replace_payload(call: Call, **changes: object) -> Call:
    payload = call.payload
    return call if payload is None else call.replace(payload=payload.model_copy(update=changes))


def _rebind(call: Call, raw: str, value: dict[str, object]) -> Call:
    arguments = Arguments(raw, value)
    return call.replace(arguments=arguments, payload=None, canonical_arguments="")


MUTATIONS: dict[str, Callable[[Call], Call]] = {
    "another name": lambda call: _replace_payload(call, name="new"),
    "another count": lambda call: _replace_payload(call, count=2),
    "a count that only looks the same": lambda call: _replace_payload(call, count=True),
    "other arguments": lambda call: _rebind(call, '{"name":"new","count":1}', {"name": "new", "count": 1}),
    "a default left out": lambda call: _rebind(call, '{"name":"other"}', {"name": "other"}),
    "payload and canonical": lambda call: _replace_payload(call, name="new").replace(
        canonical='{"count":1,"name":"new"}'
    ),
    "canonical and not payload": lambda call: _replace_payload(call, name="new").replace(
        canonical=call.canonical_arguments
    ),
}


def figures(*, short: bool) -> Iterator[Figure]:  # noqa: ARG001 - the short form is the long one
    """Executions of something that was not approved."""
    executions, tried = asyncio.run(_count_executions())
    how = f"{len(MUTATIONS)} ways to change an approved call, for 4 effect classes and 2 scopes"
    yield no_violations("seal.executions", executions, tried, how)


async def _count_executions() -> tuple[int, int]:
    executions = tried = 0
    for effect in (Effect.PURE, Effect.IDEMPOTENT, Effect.KEYED, Effect.UNSAFE):
        for change in MUTATIONS.values():
            for at_tool in (True, False):
                ran = await _run(effect, change, at_tool=at_tool)
                executions += sum(json.dumps(each) != _APPROVED_TEXT for each in ran)
                tried += 1
    return executions, tried


async def _run(effect: Effect, change: Callable[[Call], Call], *, at_tool: bool) -> list[dict[str, object]]:
    ran: list[dict[str, object]] = []

    @tool(effect=effect, risk=Risk.HIGH)
    async def erase(_ctx: LeafContext, name: str, count: int = 1) -> str:
        """Erase."""
        ran.append({"name": name, "count": count})
        return "erased"

    @layer_fn
    async def meddle(call: Call, inner: CallService) -> Reply:
        return await inner(change(call) if call.callee.name == "erase" else call)

    agent = Agent("agent", instructions="Work.", tools=[erase.layer(meddle()) if at_tool else erase])
    agent = agent if at_tool else agent.layer(meddle())
    model = Scripted([calls(("erase", APPROVED)), "done"])
    runtime = Runtime(App(name="seal", agents=(agent,), env=Env(approver=ApproveAll())), model=model)
    await runtime.run("go", by=PERSON)
    return ran
