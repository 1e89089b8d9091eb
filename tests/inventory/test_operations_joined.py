"""Operations joined out of those of slices: the same as made at once, and nothing is bound twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from figures.notebook import Notebook, Weather
from remit import LeafContext
from remit.call.classification import Capability, Classification
from remit.errors import ContractError, SetupError
from remit.inventory.definition import AnyTool
from remit.inventory.document import Inventory
from remit.inventory.lock import build_lock
from remit.inventory.operations import Operations
from remit.schemas.finding import InventoryError

KIND = Classification(domain="office", subdomain="notes", capability=Capability.CREATE)


@pytest.fixture
def notebook(tmp_path: Path) -> Notebook:
    return Notebook(tmp_path / "inventory").write()


def of_notes(notebook: Notebook, whole: Inventory, *more: object) -> Operations:
    return Operations(whole.slice("office", "notes"), (notebook.notes, *more))


def of_weather(whole: Inventory, *more: object) -> Operations:
    return Operations(whole.slice("office", "weather"), (Weather(), *more))


def test_operations_joined_out_of_slices_are_those_made_at_once(notebook: Notebook) -> None:
    once = notebook.operations()
    whole = once.inventory
    joined = Operations(whole, (), parts=(of_weather(whole), of_notes(notebook, whole)))
    assert list(joined.methods) == list(once.methods)
    assert list(joined.tools) == list(once.tools)
    assert build_lock(joined).to_text() == build_lock(once).to_text()
    assert joined.inventory is whole


def test_what_a_part_has_is_not_bound_again_and_the_rest_is(notebook: Notebook) -> None:
    whole = notebook.operations().inventory
    notes = of_notes(notebook, whole)
    joined = Operations(whole, (Weather(),), parts=(notes,))
    for name, definition in notes.tools.items():
        assert joined.tools[name] is definition
    for key, definition in notes.methods.items():
        assert joined.methods[key] is definition
    assert joined.find_tool("weather").name == "weather"


def test_what_is_in_no_part_and_of_no_object_is_named(notebook: Notebook) -> None:
    whole = notebook.operations().inventory
    with pytest.raises(InventoryError) as raised:
        Operations(whole, (), parts=(of_notes(notebook, whole),))
    assert [each.what for each in raised.value.findings] == ["no function forecast among no objects"]


def test_a_part_of_another_inventory_or_two_of_one_slice_are_refused(notebook: Notebook) -> None:
    whole, other = notebook.operations().inventory, notebook.operations().inventory
    for parts in ((of_weather(whole), of_weather(whole)), (of_weather(other),)):
        with pytest.raises(SetupError, match=r"forecast \(.*weather\.yaml:\d+\) belongs to two parts or to another"):
            Operations(whole, (notebook.notes,), parts=parts)


def test_tools_may_get_what_no_inventory_says_and_stay_what_they_are(notebook: Notebook) -> None:
    async def show(_ctx: LeafContext, _payload: object) -> str:
        return "a note"

    def shown(tool: AnyTool) -> AnyTool:
        return tool.with_preview(show) if tool.name == "create_note" else tool

    plain = notebook.operations()
    more = plain.with_tools(shown)
    assert more.find_tool("create_note") is not plain.find_tool("create_note")
    assert more.find_tool("read_note") is plain.find_tool("read_note")
    assert build_lock(more) == build_lock(plain)
    assert list(more.tools) == list(plain.tools)


def test_an_object_that_a_part_has_already_is_to_be_left_out(notebook: Notebook) -> None:
    whole = notebook.operations().inventory
    parts = (of_notes(notebook, whole), of_weather(whole))
    with pytest.raises(InventoryError) as raised:
        Operations(whole, (Weather(),), parts=parts)
    assert [(each.code, f"{each.what}; {each.fix}") for each in raised.value.findings] == [
        (
            "not-in-inventory",
            "no entry needs an object of Weather; write entries for its operations, or do not pass it",
        )
    ]


def none(_tool: AnyTool) -> None:
    """Give nothing."""


def renamed(tool: AnyTool) -> AnyTool:
    """Give it another name."""
    return tool.with_name("other")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (none, r"with_tools got None for the tool create_note; return each tool"),
        (renamed, r"with_tools got the tool other for create_note; a replacement keeps the tool's name"),
    ],
    ids=["none", "another name"],
)
def test_a_change_that_gives_no_tool_or_another_is_refused(
    notebook: Notebook, given: Callable[[AnyTool], Any], said: str
) -> None:
    with pytest.raises(ContractError, match=said):
        notebook.operations().with_tools(given)
