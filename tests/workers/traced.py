"""A program that listens to its workers and an agent, and prints what it was told. A provider is set once in a process.

Run by `tests/workers/test_traced.py`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Sequence
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.usage import RequestUsage

from remit import Agent
from remit.chat.chat import completion_from_message, encode_message
from remit.errors import ModelBusyError, NoModelError
from remit.messages import ChatRequest, Completion
from remit.testing import Scripted, calls, superuser
from remit.tools import Callee
from tests.layers.test_trace import Listening, pipeline
from tests.workers.kit import Script, call, runtime_of, worker_of

Told = list[dict[str, Any]]


def told(spans: Sequence[ReadableSpan]) -> Told:
    """The spans as JSON, each with the name of the one that it stands within."""
    names = {span.context.span_id: span.name for span in spans if span.context}
    return [
        {
            "name": span.name,
            "within": names[span.parent.span_id] if span.parent else "",
            "kind": span.kind.name,
            "status": span.status.status_code.name,
            "about": dict(span.attributes or {}),
        }
        for span in spans
    ]


async def nameless(_request: ChatRequest, /) -> Completion:
    """A model that does not say its name."""
    return completion_from_message(encode_message({"role": "assistant", "content": "done"}))


class Heard:
    """What is told while a call is made."""

    def __init__(self) -> None:
        self._listening = Listening()
        trace.set_tracer_provider(self._listening.provider)

    async def of(self, callee: Callee[..., Any]) -> Told:
        before = len(self._listening.spans)
        with contextlib.suppress(NoModelError):
            await runtime_of(callee).call(callee, superuser(), "go")
        return told(self._listening.spans[before:])

    async def twice(self, callee: Callee[..., Any]) -> tuple[Told, Told]:
        """What is told of a run, and of its replay."""
        before = len(self._listening.spans)
        runtime = runtime_of(callee)
        result = await runtime.call(callee, superuser(), "go")
        between = len(self._listening.spans)
        assert (await runtime.replay(result.run)).is_identical
        return told(self._listening.spans[before:between]), told(self._listening.spans[between:])

    async def cancelled(self) -> Told:
        """What is told of a request that is under way when its run is cancelled."""
        asked = asyncio.Event()

        async def slow(_request: ChatRequest, /) -> Completion:
            asked.set()
            await asyncio.Event().wait()
            raise AssertionError

        running = asyncio.create_task(self.of(worker_of(slow)))
        await asked.wait()
        before = len(self._listening.spans)
        running.cancel()
        await asyncio.wait({running})
        return told(self._listening.spans[before:])


async def main() -> None:
    """Print what is told of each."""
    heard = Heard()
    usage = RequestUsage(input_tokens=7, output_tokens=3)
    answer = ModelResponse([TextPart("done")], usage=usage, finish_reason="length")
    lines = [calls(("pipeline", {})), "done"]
    agent = Agent("worker", instructions="Go.", tools=[pipeline], model=Scripted(lines))
    worker, replayed = await heard.twice(worker_of(Script([call("pipeline")], answer).model, pipeline))
    spans = {
        "worker": worker,
        "replayed": replayed,
        "agent": await heard.of(agent),
        "port": await heard.of(worker_of(Scripted(lines), pipeline)),
        "nameless": await heard.of(worker_of(nameless)),
        "failed": await heard.of(worker_of(Scripted([ModelBusyError("later")]))),
        "absent": await heard.of(worker_of("nobody:x")),
        "cancelled": await heard.cancelled(),
    }
    sys.stdout.write(json.dumps(spans))


if __name__ == "__main__":
    asyncio.run(main())
