"""The routes of the figure about lost policy that lead over HTTP and AG-UI."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

from figures.policy_lost_world import ADA, Process
from figures.served import Served, serve, wait_until_at_rest


async def _say_over_http(process: Process) -> None:
    """One process opens the run of a message, and another one executes it."""
    await _send(process, lambda server: server.ask(ADA, "POST", "/api/runs", json={"prompt": "go"}))


async def _say_by_agui(process: Process) -> None:
    await _send(process, lambda server: server.say(ADA, "go", "talk"))


async def _send(process: Process, send: Callable[[Served], Coroutine[Any, Any, object]]) -> None:
    async with serve(process.opens, process.engine()) as server, asyncio.TaskGroup() as tasks:
        tasks.create_task(send(server))
        await wait_until_at_rest(process.opens)
        server.end_streams()


async def _call_over_http(process: Process) -> None:
    async with serve(process.opens) as server:
        await server.call(ADA, process.opens.app.agents[0].name, {"prompt": "go"})


async def _call_in_envelope(process: Process) -> None:
    async with serve(process.opens) as server:
        await server.send_envelope(ADA, process.opens.app.agents[0].name, {"prompt": "go"}, key="go")


async def _call_again_over_http(process: Process) -> None:
    """The process that opened the run has died, and the same request is sent to another one."""
    name, arguments = process.opens.app.agents[0].name, {"prompt": "go"}
    process.store.is_away = True
    async with serve(process.opens) as server:
        await server.call(ADA, name, arguments, key="go")
    process.store.is_away = False
    async with serve(process.continues) as server:
        await server.call(ADA, name, arguments, key="go")


async def _resume_over_http(process: Process) -> None:
    run = await process.opens.submit("go", by=ADA)
    async with serve(process.continues) as server:
        await server.ask(ADA, "POST", f"/api/runs/{run}/resume")
        await wait_until_at_rest(process.continues)


async def _replay_over_http(process: Process) -> None:
    run = (await process.opens.run("go", by=ADA)).run
    async with serve(process.continues) as server:
        await server.ask(ADA, "GET", f"/api/runs/{run}/replay")


ROUTES: Final[dict[str, Callable[[Process], Awaitable[None]]]] = {
    "a message over HTTP": _say_over_http,
    "a message by AG-UI": _say_by_agui,
    "a call over HTTP": _call_over_http,
    "a call in an envelope over HTTP": _call_in_envelope,
    "a call over HTTP that is sent again": _call_again_over_http,
    "resume over HTTP": _resume_over_http,
    "replay over HTTP": _replay_over_http,
}
