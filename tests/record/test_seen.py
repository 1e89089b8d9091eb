"""A tool tells what it has shown, and a later call of the conversation knows in which state."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from remit import Agent, App, Effect, LeafContext, Risk, Runtime, tool
from remit.call.observing import ObservingContext
from remit.errors import SetupError
from remit.record.items import Item, Message, Note
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.tools import Preview, Seen
from tests.runtime.kit import runtime_of


class Memory:
    """An agent that is shown pages, and what its conversation knows of them."""

    def __init__(self, *answers: Any) -> None:
        self.found: list[dict[str, str]] = []

        @tool(effect=Effect.PURE)
        async def show(ctx: LeafContext, state: str, parts: list[str], page: str = "about") -> str:
            """Show parts of a page."""
            ctx.emit(Seen("page", page, state, tuple(parts)))
            return state

        @tool(effect=Effect.PURE)
        async def recall(ctx: LeafContext, parts: list[str], page: str = "about") -> None:
            """Find out in which state parts of a page were seen."""
            self.found.append(await ctx.last_seen("page", page, *parts))

        agent = Agent("editor", instructions="Edit.", tools=[show, recall])
        self.show, self.recall = show, recall
        self.runtime = Runtime(App(name="test", agents=(agent,)), model=Scripted([*answers]), store=InMemoryStore())

    async def say(self, *, conversation: str = "monday") -> None:
        await self.runtime.run("Go on.", by=superuser(), conversation=conversation)


def shows(state: str, *parts: str, page: str = "about") -> Any:
    return calls(("show", {"state": state, "parts": [*parts], "page": page}))


def recalls(*parts: str) -> Any:
    return calls(("recall", {"parts": [*parts]}))


async def test_a_run_knows_the_state_that_it_saw_last() -> None:
    memory = Memory(shows("1"), shows("2"), shows("9", page="team"), recalls(), "Done.")
    await memory.say()
    assert memory.found == [{"": "2"}]


async def test_a_run_knows_what_earlier_runs_of_its_conversation_saw_and_others_do_not() -> None:
    memory = Memory(shows("1", "title"), shows("2", "text"), "Done.", "Hello.", recalls("title", "text", "x"), "Done.")
    for _ in range(3):
        await memory.say()
    assert memory.found == [{"title": "1", "text": "2"}]
    memory = Memory(shows("1"), "Done.")
    await memory.say()
    await memory.runtime.call(memory.recall, superuser(), [])
    assert memory.found == [{}]


async def test_a_part_includes_what_is_below_it_and_the_whole_includes_every_part() -> None:
    memory = Memory(
        shows("1"),
        shows("2", "text/en"),
        shows("3", "text/en/s1"),
        recalls("text/en/s1", "text/en/s2", "text/en-AU", ""),
        ".",
    )
    await memory.say()
    assert memory.found == [{"text/en/s1": "3", "text/en/s2": "2", "text/en-AU": "1", "": "1"}]


async def test_the_newest_run_counts_also_where_an_older_one_saw_more() -> None:
    memory = Memory(shows("1"), "Done.", shows("2", "title"), "Done.", recalls("title", "text"), "Done.")
    for _ in range(3):
        await memory.say()
    assert memory.found == [{"title": "2", "text": "1"}]


async def test_a_preview_knows_what_the_conversation_saw() -> None:
    found: list[dict[str, str]] = []

    @tool(effect=Effect.PURE)
    async def show(ctx: LeafContext) -> str:
        """Show the page."""
        ctx.emit(Seen("page", "about", "3"))
        return "shown"

    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def change(ctx: LeafContext) -> str:
        """Change the page."""
        return ctx.key

    async def preview(ctx: LeafContext, _payload: Any) -> Preview:
        assert isinstance(ctx, ObservingContext)
        ctx.emit(Seen("page", "about", "4"))
        found.append(await ctx.last_seen("page", "about"))
        return Preview("the page")

    model = Scripted([calls(("show", {})), calls(("change", {})), "Done."])
    runtime = runtime_of(model, show, change.with_preview(preview), store=InMemoryStore())
    assert (await runtime.run("Go on.", by=superuser(), conversation="monday")).status == "waiting"
    assert found == [{"": "3"}]


async def test_the_journal_has_what_was_shown_under_its_call() -> None:
    memory = Memory(shows("2", "title"), "Done.")
    result = await memory.runtime.run("Go on.", by=superuser())
    items = [position.item for position in await memory.runtime.store.read(result.run)]
    (note,) = [item for item in items if isinstance(item, Note)]
    data = {"kind": "page", "id": "about", "state": "2", "parts": ["title"]}
    assert (note.name, json.loads(note.data)) == ("seen", data)
    assert Seen.from_item(note) == Seen("page", "about", "2", ("title",))
    assert (await memory.runtime.replay(result.run)).is_identical


@pytest.mark.parametrize(
    "item",
    [
        Note(call="c", name="log", data='{"kind":"page","id":"about","state":"1"}'),
        Note(call="c", name=Seen.note_name, data='{"kind":"page"}'),
        Note(call="c", name=Seen.note_name, data='{"kind":"","id":"a","state":"1"}'),
        Note(call="c", name=Seen.note_name, data='{"truncated":true}'),
        Message(call="c", agent="c", text="{}"),
    ],
)
def test_any_other_item_tells_of_nothing_seen(item: Item) -> None:
    assert Seen.from_item(item) is None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kind": ""}, "Seen: kind is empty; give a name"),
        ({"id": 7}, "Seen: id is 7; give a string"),
        ({"state": 3}, "Seen: state is 3; give a string"),
        ({"parts": 3}, "Seen: parts is 3; give a list"),
    ],
)
def test_a_wrong_value_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(SetupError, match=message):
        Seen(**cast("dict[str, Any]", {"kind": "page", "id": "about", "state": "1", **wrong}))


async def test_what_to_find_is_checked() -> None:
    @tool(effect=Effect.PURE)
    async def recall(ctx: LeafContext) -> dict[str, str]:
        """Find out what was seen."""
        wrong: Any = 7
        return await ctx.last_seen("page", wrong)

    result = await Runtime(App(name="test", tools=(recall,))).call(recall, superuser())
    assert "last_seen: id is 7; give a string" in result.text
