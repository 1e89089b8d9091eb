"""Each message on record says who wrote it, so that no reader has to guess from its text."""

from __future__ import annotations

from remit import Agent, App, Runtime
from remit.record.items import Message
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import find_superuser, items_of


async def authors(runtime: Runtime, run: str) -> list[tuple[str, str]]:
    """The messages of a run: the beginning of the text of each, and who wrote it."""
    return [(item.text[:9], item.by) for item in await items_of(runtime.store, run) if isinstance(item, Message)]


async def test_the_messages_of_a_person_of_a_calling_agent_and_of_models_are_told_apart() -> None:
    mate = Agent("mate", instructions="Help.", description="Helps.", model=Scripted(["looked"]))
    lead = Agent("lead", instructions="Lead.", tools=[mate])
    model = Scripted([calls(("mate", {"prompt": "look"})), "done"])
    runtime = Runtime(App(name="office", agents=(lead,)), model=model, directory=find_superuser)

    result = await runtime.run("go", by=superuser())

    assert [by for _, by in await authors(runtime, result.run)] == [
        *("instructions", "person", "model"),
        *("instructions", "caller", "model"),
        "model",
    ]


async def test_what_the_loop_and_the_run_tell_a_model_is_theirs() -> None:
    agent = Agent(
        "clerk",
        instructions="Answer.",
        run_instructions=lambda _ctx: "It is Monday.",
        output=int,
        output_mode="native",
    )
    model = Scripted(["three", "3"])
    runtime = Runtime(App(name="office", agents=(agent,)), model=model, directory=find_superuser)

    result = await runtime.run("how many?", by=superuser())

    assert [by for _, by in await authors(runtime, result.run)] == [
        *("instructions", "run_instructions", "person"),
        *("model", "loop", "model"),
    ]
