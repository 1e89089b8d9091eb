"""The world of the kill test: tools that take a moment, and whose effects are lines in a file opened O_APPEND."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from remit import Agent, App, Context, Effect, LeafContext, Principal, Risk, Runtime, Tool, tool
from remit.errors import ModelBusyError, ModelUnavailableError
from remit.journal.ports import Store
from remit.layers import RetryModel
from remit.messages import ChatRequest, Completion, completion_from_message
from remit.models import Model
from remit.testing import Scripted, calls

PERSON: Final = Principal("judge", permissions=frozenset({"*"}))
APPLICATION: Final = "kill"
DONE: Final = "all done"
LEAVES: Final = ("pay", "send", "erase")
LEAF_CALLS: Final = 6
"""The calls of leaves that each run makes."""

UNSAFE: Final = ("send", "erase")

CUT: Final = "length"
"""The finish reason of a cut answer."""

_MOMENT: Final = 0.03
"""Seconds at most between the start of an effect and its line, and between that and its end."""

_STALL_SECONDS: Final = 0.5
"""What a busy model asks for, which is longer than an agent waits: its run stalls."""

_RETRY: Final = RetryModel(base_delay=0.02, max_delay=0.1)
_CUT_ANSWER: Final = completion_from_message('{"role":"assistant","content":"all d"}', finish_reason=CUT)

_Effect = Callable[[str, str], Awaitable[None]]


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
        failure = random.choice((ModelBusyError("429", retry_after=_STALL_SECONDS), ModelUnavailableError("503"), None))
        if failure is None:
            return _CUT_ANSWER
        raise failure


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
    tools = _tools(act)
    agents = tuple(
        Agent(name, instructions="Work.", tools=tools, model=UnreliableModel(Scripted(script), failure_rate)).layer(
            _RETRY
        )
        for name, script in (("plain", plain), ("asking", asking))
    )
    app = App(name=APPLICATION, agents=agents)
    return Runtime(app, store=store, directory=lambda _name, _tenant: PERSON, lease_seconds=lease)


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
