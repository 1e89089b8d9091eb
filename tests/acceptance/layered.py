"""Small applications with a layer at each scope, one for each public way to attach layers; named by the command line.

What runs writes a line into the file ``$LAYERED``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from remit import Agent, App, Effect, Stack, tool
from remit.layers import Call, CallLayer, CallService, Reply, layer_fn


class Log(Protocol):
    """Where a layer says that it ran."""

    def append(self, line: str, /) -> None: ...


class Lines:
    """A log in the file ``$LAYERED``."""

    def append(self, line: str, /) -> None:
        with Path(os.environ["LAYERED"]).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


def every_public_way(name: str, log: Log) -> dict[str, CallLayer | Stack[CallLayer]]:
    """The ways to attach a layer to calls: a function, a class, a stack, a stack built with an ``if``."""

    class Written(CallLayer):
        def __call__(self, inner: CallService, /) -> CallService:
            async def service(call: Call, /) -> Reply:
                log.append(name)
                return await inner(call)

            return service

    @layer_fn
    async def function(call: Call, inner: CallService) -> Reply:
        log.append(name)
        return await inner(call)

    grown = Stack[CallLayer]()
    if name:
        grown = grown.layer(Written())
    return {"function": function(), "class": Written(), "stack": Stack[CallLayer](Written()), "grown": grown}


WAYS = ("function", "class", "stack", "grown")


@tool(effect=Effect.PURE)
async def work() -> str:
    """Work."""
    Lines().append("base")
    return "worked"


def app_of(way: str) -> App:
    """The application whose layers are attached in that way."""
    layered = work.layer(every_public_way("tool", Lines())[way])
    agent = Agent("agent", instructions="Work.", tools=[layered]).layer(every_public_way("agent", Lines())[way])
    return App(name=way, agents=(agent,), layers=every_public_way("run", Lines())[way])


function, klass, stack, grown = map(app_of, WAYS)
