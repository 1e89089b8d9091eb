"""A bank whose payments survive the processes that make them, and the processes of an agent that pays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Unpack

from remit import App, Principal, Runtime, SqlStore, Tool
from remit.call.facts import FactOptions
from remit.runtime import OpenRun, ToolInfo

ADA = Principal("ada")
BOB = Principal("bob", permissions=frozenset({"approvals:decide"}))


class ScriptedCall(NamedTuple):
    """A call of the scripted model."""

    id: str
    arguments: dict[str, Any]
    name: str = "pay"


Step = str | Sequence[ScriptedCall]
"""What the scripted model answers: a text, or calls."""


class Turn(NamedTuple):
    """How an agent's run ended or paused: its questions, what its model read of each call, and its answer."""

    questions: Sequence[str]
    read: Sequence[tuple[str, str]]
    answer: str


class Bank:
    """Writes each payment to a file. ``after_payment`` is called right after one, such as to kill the process."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.after_payment = lambda: None

    def pay(self, account: str, euros: int) -> str:
        """Pay euros to an account."""
        if euros < 0:
            raise ValueError("a payment is positive")
        with (self.home / "payments").open("a", encoding="utf-8") as file:
            file.write(f"{account} {euros}\n")
        self.after_payment()
        return f"paid {euros} to {account}"

    @property
    def payments(self) -> list[str]:
        """All payments so far, by whichever process."""
        file = self.home / "payments"
        return sorted(file.read_text(encoding="utf-8").splitlines()) if file.exists() else []


class Framework(Protocol):
    """An agent of another framework that pays, with a scripted model. It keeps its own state in the home of the bank.

    It has the framework's own tool, or ``offers`` that of Remit.
    """

    def __init__(self, bank: Bank, *, offers: bool) -> None: ...

    def adopt(self, **facts: Unpack[FactOptions]) -> Tool[..., Any]:
        """The framework's own tool as a tool of Remit."""
        ...

    async def start(self, run: OpenRun, script: Sequence[Step], tools: Sequence[ToolInfo]) -> Turn:
        """Run the agent from its first message. ``tools`` are the tools of Remit."""
        ...

    async def resume(self, run: OpenRun, script: Sequence[Step], tools: Sequence[ToolInfo]) -> Turn:
        """Continue the agent from its saved state."""
        ...


class Process:
    """One process of the program, which starts ``number`` hours after the first one."""

    def __init__(self, bank: Bank, framework: Framework, number: int, **facts: Unpack[FactOptions]) -> None:
        self._now = 1_800_000_000.0 + 3600 * number
        store = SqlStore.at(bank.home / "journal.db", self._clock)
        app = App(name="bank", tools=[framework.adopt(**facts)])
        self.runtime = Runtime(app, store=store, clock=self._clock)
        self.runtime.add_principals(ADA, BOB)
        self._framework = framework

    def open_run(self) -> OpenRun:
        """The run of the agent's conversation."""
        return self.runtime.client(ADA).open_run(idempotency_key="conversation 1")

    async def start(self, script: Sequence[Step]) -> Turn:
        """Run the agent from its first message."""
        async with self.open_run() as run:
            return await self._framework.start(run, script, await self.runtime.client(ADA).tools())

    async def resume(self, script: Sequence[Step]) -> Turn:
        """Continue the agent from its saved state."""
        async with self.open_run() as run:
            return await self._framework.resume(run, script, await self.runtime.client(ADA).tools())

    async def decide(self, *, about: str = "", approved: bool, **details: Any) -> int:
        """Decide the open questions whose arguments contain a text, as an approver; return their number."""
        rows = [row for row in await self.runtime.store.list_questions() if row.status == "open"]
        chosen = [row.question for row in rows if about in row.question.arguments]
        for question in chosen:
            await self.runtime.client(BOB).decide(question.id, approved=approved, **details)
        return len(chosen)

    async def close(self) -> bool:
        """End the run; return whether it replays identically."""
        async with self.open_run() as run:
            await run.close()
        return (await self.runtime.replay(run.id)).is_identical

    def _clock(self) -> float:
        return self._now
