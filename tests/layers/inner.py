"""What stands inside a layer under test: answers in turn, and tells which calls reached it."""

from __future__ import annotations

import asyncio

from remit.layers import Call, CallLayer, Reply


class Inner:
    """Gives each of ``answers`` in turn, the last one for ever; an error is raised."""

    def __init__(self, *answers: Reply | BaseException) -> None:
        self._answers = list(answers or [Reply.from_value("inner")])
        self.calls: list[Call] = []

    async def __call__(self, call: Call, /) -> Reply:
        answer = self._answers[min(len(self.calls), len(self._answers) - 1)]
        self.calls.append(call)
        if isinstance(answer, BaseException):
            raise answer
        return answer


async def stopped_within(layer: CallLayer, call: Call) -> list[str]:
    """The ids of the calls that were under way inside ``layer`` and were stopped when the task around it was."""
    begun, stopped = asyncio.Event(), list[str]()

    async def inner(call: Call, /) -> Reply:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.append(call.id)
            raise
        raise AssertionError("nobody sets the event")

    async def around() -> Reply:
        return await layer(inner)(call)

    running = asyncio.create_task(around())
    await begun.wait()
    running.cancel()
    (outcome,) = await asyncio.gather(running, return_exceptions=True)
    assert isinstance(outcome, asyncio.CancelledError)
    return stopped
