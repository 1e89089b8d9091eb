"""The log of a call: messages with a level and fields, on record once each."""

from __future__ import annotations

import pytest

from remit import App, Effect, Runtime, tool
from remit.record.items import Note
from remit.testing import superuser
from remit.tools import LeafContext, LogLine


@tool(effect=Effect.IDEMPOTENT)
async def work(ctx: LeafContext) -> str:
    """Work."""
    ctx.log("began", at=1)
    ctx.log.info("halfway")
    ctx.log.warning("slow", seconds=3)
    ctx.log.error("no image", page="about", image=object)
    ctx.emit("log.book", {"message": "not a line of the log"})
    return "done"


async def test_each_message_is_on_record_with_its_level_and_fields() -> None:
    runtime = Runtime(App(name="test", tools=(work,)))
    result = await runtime.call_by_name("work", work.build_arguments(), by=superuser())
    notes = [each.item for each in await runtime.store.read(result.run) if isinstance(each.item, Note)]
    lines = [LogLine.from_note(each) for each in notes]
    assert lines == [
        LogLine("info", "began", {"at": 1}),
        LogLine("info", "halfway", {}),
        LogLine("warning", "slow", {"seconds": 3}),
        LogLine("error", "no image", {"page": "about", "image": "<class 'object'>"}),
        None,
    ]
    assert (await runtime.replay(result.run)).is_identical


@pytest.mark.parametrize("data", ["", "[1]", "not json", "[" * 100_000])
def test_a_note_that_holds_no_message_is_no_line_of_a_log(data: str) -> None:
    assert LogLine.from_note(Note(call="c", name="log", data=data)) is None


def test_a_message_that_is_no_text_is_shown_as_one() -> None:
    assert LogLine.from_note(Note(call="c", name="log", data="{}")) == LogLine("info", "", {})
