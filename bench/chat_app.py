"""The application that the chats of the benchmark are held with, and the bare stream that they are compared with."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from remit import Agent, App
from remit.messages import ChatRequest
from remit.server.listening import listen
from remit.testing import Scripted

ANSWER: Final = "We bake bread, rolls and a cake with apples. The bread is warm at seven, the cake at ten."
EVENTS: Final = 13
"""The events of a bare stream before its last one: as many as a chat has."""


def _answer(_request: ChatRequest) -> str:
    _MODEL.requests.clear()  # a script keeps its requests for tests, and with them all that a run holds
    return ANSWER


_MODEL: Final = Scripted([_answer])
app: Final = App(name="bench", agents=[Agent("clerk", instructions="Help customers.", model=_MODEL)])


async def _stream(request: Request) -> Response:
    message = json.loads(await request.body())["messages"][-1]

    async def frames() -> AsyncGenerator[bytes]:
        for number in range(EVENTS):
            yield _frame(number, {"type": "TEXT", "delta": message["content"]})
            await asyncio.sleep(0)
        yield _frame(EVENTS, {"outcome": {"type": "success"}})

    return StreamingResponse(frames(), media_type="text/event-stream")


def _frame(number: int, event: object) -> bytes:
    return f"id: {number}\ndata: {json.dumps(event, separators=(',', ':'))}\n\n".encode()


def main() -> None:
    """Serve bare streams on a free port of this machine, and print the port."""
    with listen("127.0.0.1", [0]) as socket:
        print(f"serving on http://127.0.0.1:{socket.getsockname()[1]}", file=sys.stderr, flush=True)
        config = uvicorn.Config(Starlette(routes=[Route("/agui", _stream, methods=["POST"])]), log_level="warning")
        asyncio.run(uvicorn.Server(config).serve(sockets=[socket]))


if __name__ == "__main__":
    main()
