"""Ways to execute an approved call: resume its run, make it again in Python or over HTTP, or say yes by AG-UI."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

from figures.cms_arguments import TARGETS, Sample
from figures.cms_sweep import ANN, Sweep
from figures.served import events_of, serve, wait_until_at_rest
from remit import Runtime

Execute = Callable[[], Awaitable[bool]]
"""Executes an approved call; whether a person is asked about it anew."""


@asynccontextmanager
async def approve(sweep: Sweep, kind: str, name: str, arguments: Sample) -> AsyncGenerator[Execute]:
    """Make a call that asks, and approve it. Yields what executes it."""
    if kind == "HTTP":
        async with _approve_over_http(sweep, name, arguments) as sending:
            yield sending
        return
    runtime, asked = await (sweep.ask_in_run if kind == "open run" else sweep.ask)(name, arguments)
    if kind == "AG-UI":
        async with serve(runtime) as server:

            async def answer() -> bool:
                (question,) = asked.questions
                events = events_of(await server.answer(ANN, question, {"approved": True}))
                await wait_until_at_rest(runtime)
                return bool(events) and events[-1].get("outcome", {}).get("type") == "interrupt"

            yield answer
        return
    await _say_yes(runtime, asked.questions)

    async def execute() -> bool:
        match kind:
            case "open run":
                result = await sweep.call_in_run(runtime, name, arguments)
            case "attached":
                result = await sweep.attach(runtime, name, arguments)
            case _:
                result = await runtime.resume(asked.run)
        return result.status == "waiting"

    yield execute


@asynccontextmanager
async def _approve_over_http(sweep: Sweep, name: str, arguments: Sample) -> AsyncGenerator[Execute]:
    """The same request again, with its key, executes the call: nothing else executes runs."""
    runtime = await sweep.prepare(name)
    async with serve(runtime, executes=False) as server:

        async def send() -> dict[str, Any]:
            target = TARGETS.get(name, "")
            return (await server.call(ANN, name, arguments, key="approved", target=target)).json()

        asked = await send()
        await _say_yes(runtime, asked["questions"])

        async def execute() -> bool:
            return (await send()).get("status") == "waiting"

        yield execute


async def _say_yes(runtime: Runtime, questions: Iterable[str]) -> None:
    for question in questions:
        await runtime.decide(question, approved=True, by=ANN)
