"""An exception of a tool reaches the log, the span of its call and the journal, without what is redacted."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from typing import Any, cast

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Tracer
from pydantic import BaseModel

from remit import App, Context, Effect, Runtime, Tool, tool
from remit.errors import NotFoundError
from remit.layers import Redact, Reply
from remit.record.items import AttemptEnded
from remit.testing import superuser
from tests.runtime.kit import items_of

CARD = "4111-1111"


def fail() -> None:
    raise ValueError(f"no card {CARD}")


@tool(effect=Effect.PURE)
async def pay() -> str:
    """Pay."""
    fail()
    return "paid"


@tool(effect=Effect.PURE)
async def find() -> str:
    """Find."""
    raise NotFoundError("no page")


async def ended_of(runtime: Runtime, made: Tool[[], Any]) -> AttemptEnded:
    result = await runtime.call(made, superuser())
    (ended,) = [item for item in await items_of(runtime.store, result.run) if isinstance(item, AttemptEnded)]
    return ended


async def test_an_exception_is_logged_with_its_traceback_and_the_journal_says_where(
    caplog: pytest.LogCaptureFixture,
) -> None:
    runtime = Runtime(App(name="shop", tools=(pay,)))
    ended = await ended_of(runtime, pay)
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("remit.tools", logging.ERROR)
    first, *_, last = record.getMessage().splitlines()
    assert first.startswith("pay failed in run ")
    assert last == f"ValueError: no card {CARD}"
    assert f'raise ValueError(f"no card {{CARD}}")' in record.getMessage()  # noqa: F541 - as the source is
    assert ended.where.startswith("tests/dispatch/test_diagnosis.py:")
    assert ended.where.endswith(" in fail")


async def test_what_is_redacted_is_in_neither(caplog: pytest.LogCaptureFixture) -> None:
    hidden = pay.layer(Redact(patterns=[CARD]))
    ended = await ended_of(Runtime(App(name="shop", tools=(hidden,))), hidden)
    assert "no card [redacted]" in caplog.text
    assert CARD not in caplog.text.replace('CARD = "', "")
    assert CARD not in ended.content


@tool(effect=Effect.PURE)
async def look_up() -> str:
    """Look up."""
    try:
        fail()
    except ValueError as error:
        raise NotFoundError(str(error)) from error
    return "found"


@tool(effect=Effect.PURE)
async def refuse() -> str:
    """Refuse."""
    raise NotFoundError(f"no card {CARD}")


@tool(effect=Effect.PURE)
async def cancel() -> str:
    """Raise what is none of its own signals."""
    try:
        fail()
    except ValueError as error:
        raise asyncio.CancelledError(CARD) from error
    return "never"


@pytest.mark.parametrize(("made", "place"), [(pay, "fail"), (look_up, "fail"), (refuse, "refuse"), (cancel, "fail")])
async def test_where_an_error_was_raised_is_known_although_its_message_is_redacted(
    made: Tool[[], Any], place: str
) -> None:
    hidden = made.layer(Redact(patterns=[CARD]))
    ended = await ended_of(Runtime(App(name="shop", tools=(hidden,))), hidden)
    assert ended.where.endswith(f" in {place}")
    assert CARD not in ended.content


async def test_an_error_that_a_model_is_meant_to_read_is_no_exception(caplog: pytest.LogCaptureFixture) -> None:
    ended = await ended_of(Runtime(App(name="shop", tools=(find,))), find)
    assert caplog.records == []
    assert ended.where.endswith(" in find")


async def test_a_replay_reports_nothing(caplog: pytest.LogCaptureFixture) -> None:
    @tool(effect=Effect.COMPOSED)
    async def outer(ctx: Context) -> str:
        """Fail after a call, so that a replay runs the body again."""
        with pytest.raises(NotFoundError):
            await ctx.call(find)
        fail()
        return "never"

    runtime = Runtime(App(name="shop", tools=(outer, find)))
    result = await runtime.call(outer, superuser())
    assert len(caplog.records) == 1
    assert (await runtime.replay(result.run)).is_identical
    assert len(caplog.records) == 1


async def test_the_span_of_the_call_has_the_exception() -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    runtime = Runtime(App(name="shop", tools=(pay,)))

    def find_tracer(_provider: object) -> Tracer:
        return provider.get_tracer("remit")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("remit.layers.trace._find_tracer", find_tracer)
        await runtime.call(pay, superuser())
    (event,) = [event for span in exporter.get_finished_spans() for event in span.events]
    assert event.attributes is not None
    assert event.attributes["exception.type"] == "ValueError"
    assert "in fail" in str(event.attributes["exception.stacktrace"])


async def test_without_spans_nothing_is_added_to_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("remit.layers.trace._is_loaded", lambda: False)
    ended = await ended_of(Runtime(App(name="shop", tools=(pay,))), pay)
    assert ended.where


async def test_what_a_log_cannot_encode_is_replaced(caplog: pytest.LogCaptureFixture) -> None:
    @tool(effect=Effect.PURE)
    async def read() -> str:
        """Read."""
        raise ValueError("half of \ud83d")

    await ended_of(Runtime(App(name="shop", tools=(read,))), read)
    (logged,) = [each.getMessage() for each in caplog.records if each.name == "remit.tools"]
    assert logged.encode().decode() == logged
    assert "half of \ufffd" in logged


class Page(BaseModel):
    """What a page is."""

    title: str


@tool(effect=Effect.PURE)
async def give_another_type() -> Page:
    """Return what the contract does not allow."""
    return cast("Any", {"title": 7})


@tool(effect=Effect.PURE)
async def give_what_json_cannot_hold() -> Any:
    """Return what no reply can have."""
    return object()


@tool(effect=Effect.PURE)
async def give_another_reply() -> str:
    """Return a reply whose content is none."""
    return cast("Any", Reply.from_value(7))


async def _answer(_arguments: dict[str, Any]) -> Any:
    return {"title": 7}


SCHEMA = {"type": "object", "properties": {"title": {"type": "string"}}}
GIVES_ANOTHER_SHAPE = Tool.from_schema(
    "give_another_shape", "Give.", {"type": "object"}, _answer, SCHEMA, effect=Effect.PURE
)


@pytest.mark.parametrize(
    ("made", "place"),
    [
        (give_another_type, give_another_type.where),
        (give_what_json_cannot_hold, give_what_json_cannot_hold.where),
        (give_another_reply, give_another_reply.where),
        (GIVES_ANOTHER_SHAPE, GIVES_ANOTHER_SHAPE.where),
    ],
    ids=lambda each: each.name if isinstance(each, Tool) else "",
)
async def test_a_result_that_is_refused_is_placed_at_its_tool_and_not_in_the_library_that_checks_it(
    made: Tool[[], Any], place: str
) -> None:
    ended = await ended_of(Runtime(App(name="shop", tools=(made,))), made)
    assert json.loads(ended.content)["errorCode"] == "INVALID_OUTPUT"
    assert ended.where == place
    assert re.fullmatch(r".*tests/dispatch/test_diagnosis\.py:\d+", place)
