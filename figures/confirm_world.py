"""An application whose model announces a call, and what was called of what people said and did about it."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any, Final

from figures.approval_world import Clock
from remit import Agent, App, Effect, LeafContext, Policy, Principal, Risk, Runtime, tool
from remit.agent import AgentDriver
from remit.errors import RemitError
from remit.messages import ChatRequest
from remit.policies import ConfirmationFlag, HighRisk
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls

ADA: Final = Principal("ada", permissions=frozenset({"pages:*"}))
BOB: Final = Principal("bob", permissions=frozenset({"*"}))
STRANGER: Final = Principal("ada", "elsewhere", permissions=frozenset({"*"}))
TALK: Final = "talk"

ANNOUNCE: Final = ("drop", {"page": "about"})
_FLAGGED: Final = ("drop", {"page": "about", "confirmed": True})
_EDITED: Final = ("drop", {"page": "news", "confirmed": True})

FLAGS: Final = {
    "set": (calls(_FLAGGED),),
    "unset": (calls(ANNOUNCE),),
    "repeated": (calls(_FLAGGED, _FLAGGED), calls(_FLAGGED)),
    "edited": (calls(_EDITED),),
}
"""What the model calls after the message."""


@dataclass
class Desk:
    """An application whose model announces a call, and what its tool has dropped."""

    name: str
    kind: str
    driver: AgentDriver
    store: InMemoryStore
    clock: Clock
    dropped: list[str] = field(default_factory=list[str])
    lines: list[Any] = field(default_factory=list[Any])
    runtime: Runtime = field(init=False)

    def __post_init__(self) -> None:
        @tool(effect=Effect.KEYED, risk=Risk.HIGH, confirm="confirmed")
        async def drop(_ctx: LeafContext, page: str, *, confirmed: bool = False) -> str:
            """Drop a page, or say what would be dropped."""
            if confirmed:
                self.dropped.append(page)
            return f"dropped {page}" if confirmed else f"would drop {page}"

        agent = Agent("editor", instructions="Edit.", tools=(drop,), driver=self.driver)
        policy = Policy(ConfirmationFlag() if self.kind == "confirm" else HighRisk())
        model = Scripted([self._answer] * 50)
        self.runtime = Runtime(
            App(name=self.name, agents=(agent,), policy=policy), store=self.store, model=model, clock=self.clock
        )
        self.runtime.add_principals(ADA, BOB)

    def _answer(self, _request: ChatRequest) -> Any:
        return self.lines.pop(0) if self.lines else "Well."

    async def announce(self) -> str:
        """Let the model announce the call; the question about it."""
        self.lines = [calls(ANNOUNCE), "Shall I?"]
        run = await self.runtime.run("Delete the page.", by=ADA, conversation=TALK)
        rows = await self.store.list_questions(run=run.run)
        return rows[0].question.id

    async def act(self, question: str) -> str | None:
        """The act of the person who may: the confirmation of the asker, or the approval of another."""
        by = ADA if self.kind == "confirm" else BOB
        kind = "confirm" if self.kind == "confirm" else "approve"
        return await self.runtime.decide(question, approved=True, by=by, kind=kind)

    async def try_to(self, made: Awaitable[Any]) -> None:
        """Make an attempt, which may be refused, and execute the run that it opens."""
        with contextlib.suppress(RemitError):
            run = await made
            if isinstance(run, str):
                await self.runtime.resume(run)


@dataclass
class Case:
    """One way to something that looks like a yes. ``allowed`` is what the acts of people allow."""

    desk: Desk
    other: Desk
    text: str
    later: tuple[Any, ...]
    allowed: list[str] = field(default_factory=list[str])
    allowed_elsewhere: list[str] = field(default_factory=list[str])

    async def say(self, **options: Any) -> None:
        """The message, after which the model makes its calls."""
        self.desk.lines = [*self.later, "Well."]
        await self.desk.try_to(self.desk.runtime.run(self.text or " ", by=ADA, conversation=TALK, **options))

    @property
    def violations(self) -> int:
        """How many drops no act allows."""
        found = Counter(self.desk.dropped) - Counter(self.allowed)
        return (found + (Counter(self.other.dropped) - Counter(self.allowed_elsewhere))).total()
