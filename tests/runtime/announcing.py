"""A tool with a confirmation flag, whose announced calls a person confirms or approves."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from remit import Agent, App, Ask, Effect, LeafContext, Policy, Principal, Risk, Runtime, Tool, When, tool
from remit.agent import AgentDriver, NativeDriver
from remit.policies import Question
from remit.record.question import DecisionKind
from remit.runtime import RunResult
from remit.stores import InMemoryStore, Store
from remit.testing import Scripted, calls
from remit.tools import Preview

ADA, BOB = Principal("ada", permissions=frozenset({"pages:*"})), Principal("bob", permissions=frozenset({"*"}))
"""Ada acts and may decide nothing; bob approves."""
ANNOUNCE, FLAGGED = calls(("drop", {"page": "about"})), calls(("drop", {"page": "about", "confirmed": True}))


class Desk:
    """A tool with a confirmation flag, under a rule that asks for one kind of yes."""

    def __init__(
        self,
        *script: Any,
        kind: DecisionKind = "confirm",
        store: Store | None = None,
        driver: AgentDriver | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.dropped: list[str] = []
        self.clock = clock
        self.state = "1"
        self.kind: DecisionKind = kind
        self.store = store or InMemoryStore(clock)
        self.driver = driver or NativeDriver()
        self.script = script
        self.people = {each.name: each for each in (ADA, BOB)}

        @tool(effect=Effect.KEYED, risk=Risk.HIGH, confirm="confirmed", permissions=["pages:drop"])
        async def drop(ctx: LeafContext, page: str, confirmed: bool = False) -> str:
            """Drop a page, or say what would be dropped."""
            if confirmed:
                self.dropped.append(page)
            return f"dropped {page}" if confirmed else f"would drop {page}"

        async def preview(_ctx: LeafContext, payload: Any) -> Preview:
            return Preview(f"the page {payload.page}", state=self.state)

        self.drop: Tool[..., Any] = drop.with_preview(preview)
        self.runtime, self.model = self.process()

    def process(self, model: Scripted | None = None) -> tuple[Runtime, Scripted]:
        """Another process over the same store."""
        model = model or Scripted(list(self.script))
        policy = Policy(
            When("asked", lambda call: call.callee.name == "drop", Ask(reason="it is asked about", kind=self.kind))
        )
        agent = Agent("editor", instructions="Work.", tools=(self.drop,), driver=self.driver)
        app = App(name="desk", agents=(agent,), policy=policy)
        return Runtime(app, store=self.store, model=model, directory=self.find_person, clock=self.clock), model

    def find_person(self, name: str, _tenant: str) -> Principal | None:
        return self.people.get(name)

    async def say(self, text: str = "drop it", **options: Any) -> RunResult[Any]:
        return await self.runtime.run(text, by=options.pop("by", ADA), conversation="talk", **options)

    async def question(self) -> Question:
        (row,) = await self.store.list_questions()
        return row.question

    async def decide(self, question: str = "", **options: Any) -> str | None:
        """The yes of the person whose act the rule asks for."""
        question = question or (await self.question()).id
        act: dict[str, Any] = {"by": ADA, "kind": "confirm"} if self.kind == "confirm" else {"by": BOB}
        act = {"approved": True, **act, **options}
        return await self.runtime.decide(question, **act)

    async def carry(self) -> RunResult[Any]:
        """Decide the open question, and execute the run that this opens."""
        run = await self.decide()
        assert run is not None
        return await self.runtime.resume(run)
