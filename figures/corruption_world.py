"""The journal that the corruption sweep damages, and what is done with it afterwards.

It holds runs that wait for a decision, have one, were interrupted, cancelled or have ended, and grants that are usable,
used up and revoked.
"""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from sqlalchemy import Table

from figures.corruption_damages import TableRow, read_tables
from remit import Agent, App, Effect, LeafContext, Principal, Risk, Runtime, tool
from remit.chat.chat import ChatRequest, Completion
from remit.errors import RemitError
from remit.journal.sql.store import SqlStore
from remit.journal.sql.tables import QUESTIONS
from remit.record.arguments import Limits, parse_arguments
from remit.testing import Scripted, calls

ADA: Final = Principal("ada", permissions=frozenset({"*"}))
BEA: Final = Principal("bea", permissions=frozenset({"*"}))
JOURNAL: Final = "journal.db"
KEY_FILE: Final = "journal.key"

_SCRIPTS: Final[dict[str, list[Any]]] = {
    prompt: [calls(("pay", {"number": number})), calls((last, {"number": number})), "done"]
    for number, (prompt, last) in enumerate(
        {
            "approved": "erase",
            "denied": "erase",
            "open": "erase",
            "cancelled": "erase",
            "ended": "erase",
            "used up": "erase",
            "revoked": "erase",
            "covered": "erase",
            "interrupted": "send",
        }.items()
    )
}
_NUMBERS: Final = {prompt: number for number, prompt in enumerate(_SCRIPTS)}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run: its status and value, or the error that refused it; and what it did."""

    status: str
    value: object = None
    effects: tuple[str, ...] = ()
    error: str = ""


class Written(NamedTuple):
    """The run of each prompt, the question about the announced call that was made, and rows as they once were."""

    runs: dict[str, str]
    burned: str
    older: list[tuple[Table, TableRow]]


@dataclass(slots=True)
class World:
    """Tools that note what they do, over the journal at ``url``."""

    url: str
    now: float
    key_file: Path | None = None
    effects: list[str] = field(default_factory=list[str])
    snapshot: Path | None = None
    store: SqlStore = field(init=False)
    runtime: Runtime = field(init=False)

    def __post_init__(self) -> None:
        self.store = SqlStore(self.url, clock=lambda: self.now, key_file=self.key_file)
        agent = Agent("agent", instructions="Work.", tools=self._tools()[:-1])
        ids = itertools.count(int(self.now))
        self.runtime = Runtime(
            App(name="corruption", agents=(agent,), tools=self._tools()[-1:]),
            store=self.store,
            model=_answer,
            clock=lambda: self.now,
            make_run_id=lambda: f"run{next(ids)}",
            directory=lambda name, _tenant: {"ada": ADA, "bea": BEA}.get(name),
        )

    def _tools(self) -> tuple[Any, ...]:
        @tool(effect=Effect.KEYED)
        async def pay(_ctx: LeafContext, number: int) -> str:
            """Pay."""
            self.effects.append(f"pay {number}")
            return "paid"

        @tool(effect=Effect.UNSAFE)
        async def send(number: int) -> str:
            """Send. The journal is copied while this runs, as if the process had died."""
            if self.snapshot is not None:
                here = self.url.removeprefix("sqlite:///")
                with closing(sqlite3.connect(here)) as source, closing(sqlite3.connect(self.snapshot)) as copy:
                    source.backup(copy)
            self.effects.append(f"send {number}")
            return "sent"

        @tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
        async def erase(number: int) -> str:
            """Erase."""
            self.effects.append(f"erase {number}")
            return "erased"

        @tool(effect=Effect.UNSAFE, risk=Risk.HIGH, confirm="confirmed")
        async def burn(*, confirmed: bool = False) -> str:
            """Burn."""
            if confirmed:
                self.effects.append("burn")
            return "burned" if confirmed else "announced"

        return pay, send, erase, burn


async def _answer(request: ChatRequest, /) -> Completion:
    prompt = next(each for each in _SCRIPTS if any(f'"{each}"' in text for text in request.history))
    return await Scripted(_SCRIPTS[prompt])(request)


async def write_journal(folder: Path) -> Written:
    """Write the journal and its key into ``folder``."""
    work = folder.with_name("work.db")
    world = World(f"sqlite:///{work}", 1000.0, folder / KEY_FILE, snapshot=folder / JOURNAL)
    runtime, runs, questions = world.runtime, dict[str, str](), dict[str, str]()
    older: list[tuple[Table, TableRow]] = []

    def remember() -> None:
        older.extend((QUESTIONS, row) for row in read_tables(world.url)[QUESTIONS] if (QUESTIONS, row) not in older)

    for prompt in ("approved", "denied", "open", "cancelled", "ended"):
        result = await runtime.run(prompt, by=ADA)
        runs[prompt] = result.run
        remember()
        if prompt != "open":
            await runtime.decide(result.questions[0], approved=prompt != "denied", by=BEA)
    remember()
    await runtime.resume(runs["ended"])
    await world.store.request_cancel(runs["cancelled"], "bea")
    for prompt, count in (("used up", 1), ("revoked", 3), ("covered", 2)):
        grant = await runtime.grants.create(
            "erase",
            arguments=f'{{"number":{_NUMBERS[prompt]}}}',
            principal="ada",
            count=count,
            by=BEA,
            expires_in=86400.0,
        )
        if prompt != "revoked":
            await runtime.run(prompt, by=ADA)
        else:
            await runtime.grants.revoke(grant.id, by=BEA)
    for conversation in ("burned", "announced"):
        await _burn(runtime, conversation, confirmed=False)
        (row,) = await world.store.list_questions(conversation=conversation)
        remember()
        questions[conversation] = row.question.id
        runs[conversation] = str(await runtime.decide(row.question.id, approved=True, by=BEA))
    remember()
    await runtime.resume(runs["burned"])
    runs["interrupted"] = (await runtime.run("interrupted", by=ADA)).run
    await world.store.close()
    return Written(runs, questions["burned"], older)


async def _decide(runtime: Runtime, question: str) -> Any:
    """Approve what an announced call would do, and make it."""
    return await runtime.resume(str(await runtime.decide(question, approved=True, by=BEA)))


async def _burn(runtime: Runtime, conversation: str, *, confirmed: bool) -> Any:
    arguments = parse_arguments('{"confirmed":true}' if confirmed else "{}", Limits())
    return await runtime.call_by_name("burn", arguments, by=ADA, conversation=conversation)


async def continue_all(url: str, key_file: Path, written: Written) -> dict[str, Outcome]:
    """Resume every run, decide again, and begin others that need a grant or an approval; what comes of each."""
    world = World(url, 5000.0, key_file)
    runtime = world.runtime
    steps: dict[str, Callable[[], Awaitable[Any]]] = {
        f"resume {prompt}": lambda run=run: runtime.resume(run) for prompt, run in written.runs.items()
    }
    steps["decide burned"] = lambda: _decide(runtime, written.burned)
    for prompt in ("used up", "revoked", "covered"):
        steps[f"begin {prompt}"] = lambda prompt=prompt: runtime.run(prompt, by=ADA)
    for conversation in ("burned", "announced"):
        steps[f"call {conversation}"] = lambda conversation=conversation: _burn(runtime, conversation, confirmed=True)
    outcomes: dict[str, Outcome] = {}
    for name, step in steps.items():
        world.effects.clear()
        try:
            result = await step()
            value = result.value() if result.status == "done" else None
            outcomes[name] = Outcome(result.status, value, tuple(world.effects))
        except RemitError as error:
            outcomes[name] = Outcome("refused", None, tuple(world.effects), str(error))
        except Exception as error:  # noqa: BLE001 - counted: no clear error
            outcomes[name] = Outcome("crashed", None, tuple(world.effects), str(error))
    await world.store.close()
    return outcomes
