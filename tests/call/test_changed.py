"""A tool tells those who watch what it has changed, and the journal has it with the call."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit import App, Effect, LeafContext, Runtime, tool
from remit.errors import SetupError
from remit.record.items import Item, Message, Note
from remit.stores import InMemoryStore
from remit.testing import superuser
from remit.tools import Changed


@tool(effect=Effect.KEYED)
async def rename(ctx: LeafContext, page: str) -> str:
    """Rename a page."""
    ctx.emit(Changed("page", page, revision="7", fields=("title",)))
    return page


async def test_a_watcher_sees_the_change_and_the_journal_has_it_under_the_call() -> None:
    seen: list[Item] = []
    runtime = Runtime(
        App(name="test", tools=(rename,)), store=InMemoryStore(), on_item=lambda each: seen.append(each.item)
    )
    result = await runtime.call(rename, superuser(), "about")
    changes = [change for item in seen if (change := Changed.from_item(item))]
    assert changes == [Changed("page", "about", "7", ("title",))]
    (note,) = [position.item for position in await runtime.store.read(result.run) if isinstance(position.item, Note)]
    data = {"kind": "page", "id": "about", "revision": "7", "fields": ["title"]}
    assert (note.name, json.loads(note.data)) == ("changed", data)


@pytest.mark.parametrize(
    "item",
    [
        Note(call="c", name="log", data='{"kind":"page","id":"about"}'),
        Note(call="c", name=Changed.note_name, data='{"kind":"page"}'),
        Note(call="c", name=Changed.note_name, data='{"kind":"","id":"a"}'),
        Note(call="c", name=Changed.note_name, data='{"kind":1,"id":"a"}'),
        Note(call="c", name=Changed.note_name, data='{"truncated":true}'),
        Message(call="c", agent="c", text="{}"),
    ],
)
def test_any_other_item_tells_of_no_change(item: Item) -> None:
    assert Changed.from_item(item) is None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kind": ""}, "Changed: kind is empty; give a name"),
        ({"id": 7}, "Changed: id is 7; give a string"),
        ({"revision": 3}, "Changed: revision is 3; give a string"),
        ({"fields": 3}, "Changed: fields is 3; give a list"),
        ({"name": 3}, "Changed: name is 3; give a string"),
    ],
)
def test_a_change_names_its_kind_and_id(wrong: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"kind": "page", "id": "about", **wrong}
    with pytest.raises(SetupError, match=message):
        Changed(**given)


def test_a_name_is_kept_and_one_that_is_missing_is_not_written() -> None:
    named = Changed("page", "about", name="About us")
    note = Note(call="c", name=Changed.note_name, data=json.dumps(named.to_fields()))
    assert Changed.from_item(note) == named
    assert "name" not in Changed("page", "about").to_fields()


def test_one_field_may_be_given_as_text() -> None:
    fields: Any = "title"
    assert Changed("page", "about", fields=fields).fields == ("title",)
