"""What a worker's model said is told like what any other model said: in the timeline, and while the run goes on."""

from __future__ import annotations

from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.usage import RequestUsage

from remit.cli.run_events import ModelText, NoteLogged, RunEvent, RunFollower, ToolCalled
from remit.cli.timeline import Timeline
from remit.record.items import Mismatch, Position
from remit.stores import InMemoryStore
from remit.testing import superuser
from tests.runtime.kit import World
from tests.workers.kit import Found, Script, call, found, runtime_of, worker_of


async def test_the_timeline_tells_what_a_worker_wants_calls_and_gives() -> None:
    store = InMemoryStore()
    used = RequestUsage(input_tokens=7, output_tokens=2)
    wants = [TextPart("Let me see."), call("write", '{"text":"a"}')]
    script = Script(ModelResponse(wants, usage=used), ModelResponse(found(), usage=used))
    worker = worker_of(script.model, World().write(), output=Found)
    result = await runtime_of(worker, store=store).call(worker, superuser(), "go")
    positions = await store.read(result.run)
    lines = [(line.depth, line.label, line.text) for line in Timeline(positions, {}).entries()]
    assert lines[1:5] == [
        (0, "system", "instructions of 19 characters"),
        (0, "user", "go"),
        (0, "assistant", "Let me see."),
        (0, "wants", "Write: text a (write)"),
    ]
    assert [text for _, what, text in lines if what == "usage"] == ["script: 7 + 2 tokens"] * 2
    given = lines.index((0, "wants", "Use final_result: page about, words 3 (final_result)"))
    assert (0, "tool", "The result is accepted.") in lines[given:]
    following = RunFollower()
    events: list[RunEvent] = [event for position in positions for event in following.process_item(position)]
    assert events[0] == ModelText(text="Let me see.")
    assert isinstance(events[1], ToolCalled)
    assert (events[1].name, events[1].sentence.text) == ("write", "Write: text a")
    assert following.root_call is not None


async def test_a_run_that_another_agent_continues_says_so_once() -> None:
    differs = Mismatch(call="c1", what="request of turn 2", recorded="1f", today="2e")
    positions = [
        Position(run="r", epoch=1, seq=seq, at=1.0, item=differs, body="", digest=b"", chain=b"") for seq in range(2)
    ]
    following = RunFollower()
    (event,) = [event for position in positions for event in following.process_item(position)]
    assert isinstance(event, NoteLogged)
    assert "see --app" in event.text
