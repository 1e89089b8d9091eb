"""Plays a shape to a model: a run, its resume if it rests, and the next message of the conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from remit.agent.agent import Agent
from remit.agent.driver import AgentDriver
from remit.agent.model import AnyModel
from remit.app import App
from remit.call.facts import Effect
from remit.call.tool import Tool, tool
from remit.engine.result import RunResult
from remit.layers.retry_model import RetryModel
from remit.record.principal import Principal
from remit.runtime import Runtime
from remit.testing.provider_suite.endpoint import ShapedEndpoint
from remit.testing.provider_suite.shape import Shape

MakeModel = Callable[[str], AnyModel]
"""Makes the model at the address of an endpoint."""

_PERSON = Principal("ada", permissions=frozenset({"*"}))


class Played(Struct, frozen=True, kw_only=True):
    """The result of a shape.

    ``run`` is the run of the first message, and ``rested`` says whether it rested before its end. ``made`` are the
    calls, ``requests`` the requests until the run first ended or rested, ``streamed`` says whether one of them
    requested a stream, and ``following`` is the run of the next message.
    """

    run: RunResult[Any]
    rested: str
    made: tuple[str, ...]
    requests: int
    streamed: bool
    following: RunResult[Any]

    def list_ends(self, shape: Shape) -> Iterator[str]:
        """Why the run or the conversation did not end as the shape allows."""
        if self.run.status != "done":
            yield f"the run is {self.run.status}: {_describe(self.run)}"
        elif shape.text not in self.run.text:
            yield f"the result does not say {shape.text!r}: {self.run.text!r}"
        if bool(self.rested) != shape.rests:
            yield f"the run has rested: {self.rested}" if self.rested else "the run has not rested"
        if shape.requests and self.requests != shape.requests:
            yield f"{self.requests} requests were sent, not {shape.requests}"
        if self.following.status != "done":
            yield f"the next message is {self.following.status}: {_describe(self.following)}"

    def list_wrong_calls(self, shape: Shape) -> Iterator[str]:
        """The calls that were made without a request, and the requested calls that were not made."""
        made, wanted = Counter(self.made), Counter(shape.calls)
        yield from (f"{each} was made" for each in (made - wanted).elements())
        yield from (f"{each} was not made" for each in (wanted - made).elements())


async def play(
    shape: Shape, make_model: MakeModel, driver: AgentDriver | None = None, *, follow: bool = False
) -> Played:
    """Run a message at an endpoint of that shape, and the next message after the endpoint is healed.

    ``follow``: the answers are streamed.
    """
    made: list[str] = []
    async with ShapedEndpoint(shape) as endpoint:
        options: dict[str, Any] = {} if driver is None else {"driver": driver}
        agent = Agent("clerk", instructions="Work.", tools=_make_tools(made), model=make_model(endpoint.url), **options)
        agent = agent.layer(RetryModel(base_delay=0.0))
        runtime = Runtime(App(name="office", agents=(agent,)))
        run = await _send(runtime, "Look.", follow=follow)
        rested, requests = run.reason if run.status == "stalled" else "", len(endpoint.received)
        endpoint.heal()
        if rested:
            run = await runtime.resume(run.run)
        following = await _send(runtime, "Thank you!", follow=follow)
    streamed = any(body.get("stream") for body in endpoint.received)
    return Played(run=run, rested=rested, made=tuple(made), requests=requests, streamed=streamed, following=following)


def _make_tools(made: list[str]) -> tuple[Tool[..., Any], ...]:
    @tool(effect=Effect.PURE, repeatable=True)
    async def look(what: str) -> str:
        """Look at something."""
        made.append(f"look({what})")
        return f"saw {what}"

    @tool(effect=Effect.PURE, repeatable=True)
    async def now() -> str:
        """Tell the time."""
        made.append("now()")
        return "noon"

    return look, now


async def _send(runtime: Runtime, message: str, *, follow: bool) -> RunResult[Any]:
    if not follow:
        return await runtime.run(message, by=_PERSON, conversation="talk")
    result: RunResult[Any] | None = None
    async for event in runtime.stream(message, by=_PERSON, conversation="talk"):
        result = event if isinstance(event, RunResult) else result
    assert result is not None
    return result


def _describe(run: RunResult[Any]) -> str:
    error = run.reply.error if run.reply is not None else None
    return f"{error.code}: {error.message}" if error is not None else run.reason or run.text or "no reply"
