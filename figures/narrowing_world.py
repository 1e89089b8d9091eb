"""A random tree of whatever can make calls, each of which tries to call everything there is, permitted or not."""

from __future__ import annotations

import json
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from pydantic import BaseModel
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from remit import Agent, Context, Effect, LeafContext, Runtime, tool
from remit.call.naming import python_alias
from remit.engines import RunSchedules
from remit.errors import CallError
from remit.messages import ChatRequest
from remit.pipeline import Given, Pipeline, Step, Then
from remit.testing import Scripted, calls
from remit.tools import Callee, Limits, parse_arguments
from remit.workers import WorkerDefinition, build_agent

AnyCallee = Callee[..., Any]

KINDS: Final = ("worker", "worker", "agent", "composed", "pipeline")
NODES, LEAVES = 6, 5
PERMISSIONS: Final = ("a:read", "a:write", "b:read", "b:write")
HELD: Final = (*PERMISSIONS, "a:*", "b:*", "*")
"""What an actor may hold; the last one, everything, a worker need not say."""
MOST_CALLS: Final = 250
"""So many calls are tried in one tree; then whoever is asked is done."""
_PAST: Final = datetime(2026, 1, 1, tzinfo=UTC)
GHOSTS: Final = ("nobody", "node_0", "leaf_0", "NODE-0", "leaf-0 ", "final", "remit:unknown")
"""Names that nobody has, some of which look like one."""


class Number(BaseModel):
    """What leaves, composed tools and pipelines take."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """What a callee may do, as its author has written it.

    ``tool_scope`` and ``permissions`` are None for everything.
    """

    name: str
    kind: str
    needs: frozenset[str] = frozenset()
    listed_tools: frozenset[str] = frozenset()
    tool_scope: frozenset[str] | None = None
    permissions: frozenset[str] | None = None
    hands_to: tuple[str, ...] = ()


class Tree:
    """Callees of every kind, and what ran of them: name and call."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.ran: list[tuple[str, str]] = []
        self.started: dict[str, str] = {}
        """The runs that bodies started, each with the call that did."""
        self.runtime: Runtime | None = None
        self.held = frozenset(chance.sample(HELD, chance.randint(1, 4)) if chance.random() < 0.6 else {"*"})
        self.nodes: dict[str, Node] = {}
        self._calls_left = MOST_CALLS
        self._callees: dict[str, AnyCallee] = {}
        self._team: dict[str, AnyCallee] = {}
        self._inner = [f"node-{index}" for index in range(NODES)]
        kinds = {name: chance.choice(KINDS) for name in self._inner}
        leaves = [f"leaf-{index}" for index in range(LEAVES)]
        hands = [f"handoff_to_{name}" for name in self._inner if kinds[name] == "agent"]
        self._names = [*self._inner, *leaves, *hands]
        for name in leaves:
            self._leaf(name)
        for name in reversed(self._inner):
            self._callees[name] = self._make[kinds[name]](self, name)
        for name in hands:
            self.nodes[name] = Node(name=name, kind="handoff")
        self._team.update({name: self._callees[name] for name in self._inner if kinds[name] == "worker"})
        scopes = find_scopes(self.nodes)
        for name in (name for name in self._inner if kinds[name] == "worker"):
            self.nodes[name] = replace(self.nodes[name], tool_scope=scopes[name])
        self.root = chance.choice(self._inner[:2])

    @property
    def callees(self) -> tuple[AnyCallee, ...]:
        """All of them."""
        return tuple(self._callees.values())

    def arguments(self, name: str) -> str:
        """Arguments that the callee of that name takes."""
        node = self.nodes.get(name)
        if node is not None and node.kind in ("worker", "agent"):
            return '{"prompt":"go"}'
        return '{"reason":"go"}' if name.startswith("handoff_to_") else '{"number":1}'

    def _leaf(self, name: str) -> None:
        needs = self._sample(PERMISSIONS, 0.3)

        @tool(name=name, effect=Effect.PURE, permissions=needs)
        async def leaf(ctx: LeafContext, number: int) -> int:
            """Do something."""
            self.ran.append((name, ctx.key))
            return number

        self._callees[name] = leaf
        self.nodes[name] = Node(name=name, kind="leaf", needs=needs)

    def _worker(self, name: str) -> AnyCallee:
        tools = [each for each in self._callees.values() if self.chance.random() < 0.6]
        listed = [each.name for each in tools]
        below = self._sample([each for each in listed if self.nodes[each].kind == "worker"], 1)
        again = (name,) if self.chance.random() < 0.2 else ()
        definition = WorkerDefinition(
            name=name,
            prompt="Call everything.",
            tools=tuple(each for each in listed if each not in below),
            workers=(*sorted(below), *again),
            delegates=None if self.chance.random() < 0.4 else tuple(sorted(self._sample(self._names, 0.5))),
            permissions=None if self.chance.random() < 0.5 else self._sample(HELD[:-1], 0.4),
        )
        lists, added = frozenset((*listed, *again)), definition.delegates
        self.nodes[name] = Node(
            name=name,
            kind="worker",
            listed_tools=lists,
            tool_scope=None if added is None else lists | frozenset(added),
            permissions=definition.narrowed_permissions,
        )
        return build_agent(definition, tools=tools, workers=self._team, model=FunctionModel(self._by_worker))

    def _agent(self, name: str) -> AnyCallee:
        tools = [each for each in self._callees.values() if self.chance.random() < 0.6]
        peers = [each for each in tools if isinstance(each, Agent)][:1]
        lists = frozenset((*(each.name for each in tools), *(f"handoff_to_{each.name}" for each in peers)))
        self.nodes[name] = Node(
            name=name, kind="agent", listed_tools=lists, hands_to=tuple(each.name for each in peers)
        )
        model = Scripted([self._by_agent] * 5)
        return Agent(name, instructions="Call everything.", tools=tools, handoffs=peers, model=model)

    def _composed(self, name: str) -> AnyCallee:
        needs = self._sample(PERMISSIONS, 0.1)

        @tool(name=name, effect=Effect.COMPOSED, permissions=needs)
        async def composed(ctx: Context, number: int) -> int:
            """Call everything."""
            self.ran.append((name, ctx.key))
            for wanted in self._next_names():
                try:
                    await self._by_code(ctx, wanted)
                except CallError:
                    continue
            return number

        self.nodes[name] = Node(name=name, kind="composed", needs=needs)
        return composed

    def _pipeline(self, name: str) -> AnyCallee:
        callees = self.chance.sample(list(self._callees.values()), self.chance.randint(1, 4))
        steps = [
            Step(name=f"s{index}", callee=each, takes=self._step_arguments(each), on_failure=Then.CONTINUE)
            for index, each in enumerate(callees)
        ]
        made = Pipeline(name, Number, steps, description="Call some.")
        self.nodes[name] = Node(name=name, kind="pipeline", needs=made.facts.permissions)
        return made

    def _step_arguments(self, callee: AnyCallee) -> dict[str, Any]:
        return {"prompt": "go"} if "prompt" in self.arguments(callee.name) else {"number": Given("number")}

    def _next_names(self) -> Sequence[str]:
        """What somebody tries to call: everything, in some order, as long as there is something left to try."""
        names = self.chance.sample([*self._names, *self._names, *GHOSTS], len(self._names))
        chosen = names[: max(0, self._calls_left)]
        self._calls_left -= len(chosen)
        return chosen

    async def _by_code(self, ctx: Context, name: str) -> None:
        arguments = json.loads(self.arguments(name))
        ways: list[Callable[[], Awaitable[object]]] = [
            lambda: ctx.call(name, arguments),
            lambda: ctx.call(name, **arguments),
            lambda: getattr(ctx.tools, python_alias(name))(**arguments),
        ]
        if name in self._callees:
            made = self._callees[name]
            is_pipeline = self.nodes[name].kind == "pipeline"
            said = (Number(number=1),) if is_pipeline else tuple(arguments.values())
            ways += [lambda: ctx.call(made, *said)] * 3
            ways += [lambda: self._start_run(ctx, name), lambda: self._schedule(ctx, name)]
        await self.chance.choice(ways)()

    async def _start_run(self, ctx: Context, name: str) -> None:
        arguments = parse_arguments(self.arguments(name), Limits())
        if self.runtime is not None:
            result = await self.runtime.call_by_name(name, arguments, by=ctx.caller.principal)
            self.started[result.run] = ctx.key

    async def _schedule(self, ctx: Context, name: str) -> None:
        key = f"{ctx.key} {len(self.started)}"
        run = await RunSchedules().add(key, name, json.loads(self.arguments(name)), at=_PAST)
        self.started[run] = ctx.key

    def _by_worker(self, messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        wanted = () if any(isinstance(message, ModelResponse) for message in messages) else self._next_names()
        if not wanted:
            return ModelResponse([TextPart("done")])
        return ModelResponse([ToolCallPart(name, self.arguments(name), f"c{i}") for i, name in enumerate(wanted)])

    def _by_agent(self, request: ChatRequest) -> Any:
        turns = sum('"role":"assistant"' in text[:40] for text in request.history)
        wanted = () if turns > 1 else self._next_names()
        return calls(*((name, self.arguments(name)) for name in wanted)) if wanted else "done"

    def _sample(self, names: Sequence[str], share: float) -> frozenset[str]:
        return frozenset(name for name in names if self.chance.random() < share)

    _make: Final[dict[str, Callable[[Tree, str], AnyCallee]]] = {
        "worker": _worker,
        "agent": _agent,
        "composed": _composed,
        "pipeline": _pipeline,
    }


def find_scopes(nodes: Mapping[str, Node]) -> dict[str, frozenset[str]]:
    """The tool scope of each node, where what its agents list counts if it does not narrow; iterated, as defined."""
    scopes = {name: node.listed_tools | (node.tool_scope or frozenset()) for name, node in nodes.items()}
    successors = {name: frozenset({name, *node.hands_to}) for name, node in nodes.items()}
    for _ in nodes:
        successors = {name: group.union(*(successors[each] for each in group)) for name, group in successors.items()}
        for name, node in nodes.items():
            if node.tool_scope is None:
                agents = [each for each in node.listed_tools & nodes.keys() if nodes[each].kind in ("worker", "agent")]
                scopes[name] = scopes[name].union(*(scopes[each] for below in agents for each in successors[below]))
    return scopes
