"""The tools, layers and environments of the documents about layers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from remit import Tool, tool
from remit.layers import Call, CallLayer, CallService, Reply, layer_fn
from remit.policies import Decision, Question


class DatabaseTool:
    """Document 2, blocks 8 and 10: a tool owns what it needs, has a default name, and is called directly."""

    def __init__(self, pool: dict[str, str], log: list[str] | None = None) -> None:
        self.pool = pool
        self.log = [] if log is None else log

    async def __call__(self, query: str) -> str:
        """Query the database."""
        self.log.append(query)
        return self.pool[query]


def database(log: list[str] | None = None) -> Tool[[str], str]:
    return tool(DatabaseTool({"1": "one"}, log), effect="pure")


@layer_fn
async def probe(call: Call, inner: CallService, name: str, log: list[str]) -> Reply:
    """Note when a call enters and leaves."""
    log.append(f"{name} enter")
    reply = await inner(call)
    log.append(f"{name} exit")
    return reply


class Approves:
    """An approver that says yes."""

    async def decide(self, question: Question, /) -> Decision | None:
        """Approve."""
        return Decision(question=question.id, approved=True, by="bob")


class HasLogger(Protocol):
    """Document 2, block 13: a capability is a protocol."""

    @property
    def logger(self) -> list[str]:
        """Where lines go."""
        ...


@dataclass
class ProductionEnv:
    """Document 2, blocks 14 and 15: an environment is a dataclass that satisfies the protocols of its layers."""

    approver: Approves | None = field(default_factory=Approves)
    logger: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class LogCalls(CallLayer):
    """Document 2, block 6: a layer that declares its capability in its type."""

    env: HasLogger

    def __call__(self, inner: CallService, /) -> CallService:
        """Log each call."""

        async def log(call: Call, /) -> Reply:
            self.env.logger.append(call.callee.name)
            return await inner(call)

        return log
