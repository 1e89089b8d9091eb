"""The world of the kill test: tools that take a moment, and whose effects are lines in a file opened O_APPEND.

Some runs file: they have a target and a file of the person, make another file of it, and give it as a typed result.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from remit import Agent, App, Context, Effect, LeafContext, Principal, Risk, Runtime, Tool, tool
from remit.artifacts import Artifact, PromptWithFiles, RunArtifacts
from remit.errors import CallError, ConflictError, ModelBusyError, ModelUnavailableError
from remit.journal.ports import RunRow, Store
from remit.layers import RetryModel
from remit.messages import ChatRequest, Completion
from remit.models import Model
from remit.record.artifact import digest_of
from remit.record.items import ToolOutput
from remit.testing import Scripted, calls

PERSON: Final = Principal("judge", permissions=frozenset({"*"}))
APPLICATION: Final = "kill"
DONE: Final = "all done"
LEAVES: Final = ("pay", "send", "erase")
LEAF_CALLS: Final = 6
"""The calls of leaves that each run makes."""

UNSAFE: Final = ("send", "erase")

FILING: Final = "filing"
"""The agent of the runs that file."""

_TARGET: Final = "bakery/main"
_BOOKS: Final = b"the books of the bakery"
_FILED: Final = b"filed: " + _BOOKS

_MOMENT: Final = 0.03
"""Seconds at most between the start of an effect and its line, and between that and its end."""

_STALL_SECONDS: Final = 0.5
"""What a busy model asks for, which is longer than an agent waits: its run stalls."""

_RETRY: Final = RetryModel(base_delay=0.02, max_delay=0.1)

_Effect = Callable[[str, str], Awaitable[None]]


class Filed(BaseModel):
    """The typed result of a run that files."""

    status: str
    report: Artifact


class UnreliableModel:
    """Fails a request with a probability: it is busy, is unavailable, or cuts its answer; never twice with the same."""

    def __init__(self, model: Model, failure_rate: float) -> None:
        self._model = model
        self._failure_rate = failure_rate
        self._failed = set[tuple[str, str]]()

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """Fail, or answer."""
        key = (request.ledger.run, request.call_id)
        if key in self._failed or random.random() >= self._failure_rate:
            return await self._model(request)
        self._failed.add(key)
        raise random.choice((ModelBusyError("429", retry_after=_STALL_SECONDS), ModelUnavailableError("503")))


def runtime_of(home: Path, store: Store, lease: float, failure_rate: float = 0.0) -> Runtime:
    """Two agents that pay and send, one of which asks a person before it erases; their model may be unreliable."""

    async def act(name: str, key: str) -> None:
        await asyncio.sleep(random.uniform(0, _MOMENT))
        handle = os.open(_effects_log(home), os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        os.write(handle, f"{name} {key}\n".encode())
        os.close(handle)
        await asyncio.sleep(random.uniform(0, _MOMENT))

    batch = (("pay", {"number": 1}), ("send", {"number": 2}), ("both", {"number": 3}))
    plain = [calls(*batch), calls(("send", {"number": 4}), ("pay", {"number": 5})), DONE]
    asking = [calls(*batch), calls(("erase", {"number": 6}), ("send", {"number": 7})), DONE]
    export = ("export", {"source": _refer(_BOOKS).model_dump()})
    filed = ("final_result", Filed(status=DONE, report=_refer(_FILED)).model_dump())
    filing = [calls(*batch), calls(export, ("send", {"number": 4}), ("pay", {"number": 5})), calls(filed)]
    tools = _tools(act)
    agents = [
        Agent(name, instructions="Work.", tools=tools, model=UnreliableModel(Scripted(script), failure_rate))
        for name, script in (("plain", plain), ("asking", asking))
    ]
    model = UnreliableModel(Scripted(filing), failure_rate)
    tools = (*tools, _export)
    agents.append(Agent(FILING, instructions="File.", tools=tools, input=PromptWithFiles, output=Filed, model=model))
    app = App(name=APPLICATION, agents=[each.layer(_RETRY) for each in agents])
    return Runtime(app, store=store, directory=lambda _name, _tenant: PERSON, lease_seconds=lease)


async def submit_filing(runtime: Runtime) -> str:
    """Open a run that files, for the target and with the person's file."""
    books = await runtime.artifacts.add(_BOOKS, by=PERSON, name="books.txt")
    return await runtime.submit("go", by=PERSON, agent=FILING, files=[books], target=_TARGET)


async def find_filing_errors(runtime: Runtime, row: RunRow, outputs: Iterable[ToolOutput]) -> list[str]:
    """What is wrong with a run that files: its target, its typed result, or the file that this refers to."""
    result = next((each.text for each in outputs if each.callee == FILING), "")
    try:
        filed = Filed.model_validate_json(result)
        content = await runtime.artifacts.read(filed.report, by=PERSON)
    except (ValidationError, CallError) as error:
        return [f"run {row.run} gives {result!r}: {error}"]
    found = (row.target, filed.status, content)
    return [] if found == (_TARGET, DONE, _FILED) else [f"run {row.run} gives {found}"]


def read_effects(home: Path) -> list[tuple[str, str]]:
    """What happened, in order: tool and key."""
    if not _effects_log(home).exists():
        return []
    return [(line.split()[0], line.split()[1]) for line in _effects_log(home).read_text().splitlines()]


def expected_result(name: str, arguments: str) -> str:
    """What a call of ``name`` gives that has happened."""
    return f"{name} {arguments.split(':')[1].rstrip('}')}"


def _effects_log(home: Path) -> Path:
    return home / "effects.log"


def _refer(content: bytes) -> Artifact:
    return Artifact(digest=digest_of(content), size=len(content), media_type="text/plain")


@tool(name="export", effect=Effect.KEYED)
async def _export(ctx: LeafContext, source: Artifact) -> Artifact:
    """Make a file of another one, for the target."""
    if ctx.caller.target != _TARGET:
        raise ConflictError(f"the target is {ctx.caller.target!r}")
    files = RunArtifacts()
    return await files.add(b"filed: " + await files.read(source), media_type="text/plain")


def _tools(act: _Effect) -> tuple[Tool[..., Any], ...]:
    @tool(effect=Effect.KEYED)
    async def pay(ctx: LeafContext, number: int) -> str:
        """Pay once for a key."""
        await act("pay", ctx.key)
        return f"pay {number}"

    @tool(effect=Effect.UNSAFE)
    async def send(ctx: LeafContext, number: int) -> str:
        """Send something that cannot be taken back."""
        await act("send", ctx.key)
        return f"send {number}"

    @tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
    async def erase(ctx: LeafContext, number: int) -> str:
        """Erase something, after a person has agreed."""
        await act("erase", ctx.key)
        return f"erase {number}"

    @tool(effect=Effect.COMPOSED)
    async def both(ctx: Context, number: int) -> str:
        """Pay and send, by other calls."""
        paid = await ctx.call(pay, number)
        return f"{paid}, {await ctx.call(send, number)}"

    return pay, send, erase, both
