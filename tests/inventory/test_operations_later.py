"""Operations whose code is bound when that of one is first needed, in an application that was checked as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from figures.notebook import Notebook, Weather
from remit import App, Effect, Retry, Runtime, tool
from remit.call.deferred_tool import DeferredTool
from remit.call.typed_schema import EARLIER_CHECK, EarlierCheck
from remit.core import Stack
from remit.errors import SetupError
from remit.inventory.document import Inventory
from remit.inventory.lock import build_lock, digest_governance
from remit.inventory.operations import Operations
from remit.inventory.running import check_application, compare_application
from remit.schemas.finding import InventoryError
from remit.testing import superuser


@pytest.fixture
def checked() -> Iterator[None]:
    token = EARLIER_CHECK.set(EarlierCheck(governance=""))
    yield
    EARLIER_CHECK.reset(token)


class Made:
    """Binds the operations of the notebook slice by slice, and keeps which were bound."""

    def __init__(self, notebook: Notebook) -> None:
        self.inventory = notebook.operations().inventory
        self.bound: list[str] = []
        objects = {"notes": notebook.notes, "weather": Weather()}
        parts = [self._later(name, each) for name, each in objects.items()]
        self.operations = Operations(self.inventory, (), parts=parts)

    def _later(self, name: str, domain: object) -> Operations:
        part = self.inventory.slice("office", name)

        def make() -> Operations:
            self.bound.append(name)
            return Operations(part, (domain,))

        return Operations.later(part, make)

    def app(self, notebook: Notebook) -> App:
        return App(name="notebook", tools=self.operations.callees, env=notebook.env, operations=self.operations)


def test_the_code_of_an_application_that_was_not_checked_is_bound_at_once(notebook: Notebook) -> None:
    made = Made(notebook)
    assert made.bound == ["notes", "weather"]
    assert not any(isinstance(each, DeferredTool) for each in made.operations.callees)


@pytest.mark.usefixtures("checked")
def test_what_governs_operations_is_known_before_their_code_is_bound(notebook: Notebook) -> None:
    once, made = notebook.operations(), Made(notebook)
    assert digest_governance(made.operations, ()) == digest_governance(once, ())
    for name, definition in once.tools.items():
        later = made.operations.tools[name]
        assert later.tool.facts == definition.tool.facts
        assert [type(each) for each in later.tool.layers] == [type(each) for each in definition.tool.layers]
        assert (later.location, later.policies) == (definition.location, definition.policies)
        assert (later.fixed_values, later.hidden_parameters) == (definition.fixed_values, definition.hidden_parameters)
    assert list(made.operations.methods) == list(once.methods)
    assert list(made.operations.method_callees) == list(once.method_callees)
    assert [each.name for each in made.operations.find_tools_of("office.notes.create_note")] == [
        "create_note",
        "quick_note",
    ]
    assert made.operations.find_tools_of("office.notes.lost") == ()
    assert made.bound == []


@pytest.mark.usefixtures("checked")
def test_the_code_of_one_slice_is_bound_once_when_that_of_a_tool_or_method_is_needed(notebook: Notebook) -> None:
    made = Made(notebook)
    assert made.operations.find_tool("weather").schema_in.json_schema["properties"].keys() == {"place"}
    assert made.bound == ["weather"]
    method = made.operations.methods["office.notes.create_note"]
    assert (method.name, method.metadata.key) == ("create_note", "office.notes.create_note")
    assert method.owner is notebook.notes
    assert method.envelope_names == ("CreateNoteRequest", "CreateNoteResponse")
    assert [each.name for each in method.parameters]
    with pytest.raises(AttributeError, match="'DeferredMethod' object has no attribute 'colour'"):
        getattr(method, "colour")  # noqa: B009
    assert made.bound == ["weather", "notes"]


@pytest.mark.usefixtures("checked")
def test_what_is_bound_later_is_what_is_bound_at_once(notebook: Notebook) -> None:
    assert build_lock(Made(notebook).operations).to_text() == build_lock(notebook.operations()).to_text()


@pytest.mark.usefixtures("checked")
async def test_a_call_binds_the_code_of_its_tool_alone(notebook: Notebook) -> None:
    made = Made(notebook)
    app = made.app(notebook)
    token = EARLIER_CHECK.set(EarlierCheck(digest_governance(made.operations, app.tools)))
    try:
        runtime = Runtime(app)
    finally:
        EARLIER_CHECK.reset(token)
    assert made.bound == []
    result = await runtime.call_by_name("count_notes", {}, by=superuser())
    assert result.value() == 0
    assert made.bound == ["notes"]


@pytest.mark.usefixtures("checked")
def test_an_application_that_is_governed_otherwise_than_it_was_is_compared_in_full(notebook: Notebook) -> None:
    made = Made(notebook)
    app = made.app(notebook)
    check_application(made.operations, app.tools, app.build_layers())
    assert made.bound == ["notes", "weather"]


@pytest.mark.usefixtures("checked")
def test_a_tool_that_is_offered_without_layers_of_its_entry_is_found_before_its_code_is_bound(
    notebook: Notebook,
) -> None:
    made = Made(notebook)
    bare = [each.with_layers(Stack()) for each in made.operations.callees]
    layers = made.app(notebook).build_layers()
    found = {each.code for each in compare_application(made.operations, bare, layers, is_code_known=True)}
    assert found == {"stripped"}


def tool_without_entry(part: Inventory, notebook: Notebook) -> Operations:
    @tool(effect=Effect.PURE)
    async def shout() -> str:
        """Shout."""
        return "HELLO"

    return Operations(part, (notebook.notes, shout))


def tools_with_layers(part: Inventory, notebook: Notebook) -> Operations:
    return Operations(part, (notebook.notes,)).with_tools(lambda each: each.layer(Retry()))


def another_slice(part: Inventory, notebook: Notebook) -> Operations:
    del part
    return Operations(notebook.operations().inventory.slice("office", "weather"), (Weather(),))


def nothing(part: Inventory, notebook: Notebook) -> Any:
    del part, notebook


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (tool_without_entry, "shout has no entry in the slice; return only the operations of that slice"),
        (tools_with_layers, "create_note has layers that its entry does not declare; attach them to what is returned"),
        (another_slice, "count_notes is not among what make returns; return only the operations of that slice"),
        (nothing, r"the result of make is None; return Operations\(…\)"),
    ],
)
def test_operations_of_which_entries_do_not_say_everything_cannot_be_bound_later(
    notebook: Notebook, make: Callable[[Inventory, Notebook], Operations], said: str
) -> None:
    part = notebook.operations().inventory.slice("office", "notes")
    with pytest.raises(SetupError, match=f"Operations.later: {said}"):
        Operations.later(part, lambda: make(part, notebook))


@pytest.mark.usefixtures("checked")
def test_they_are_refused_when_they_are_needed_too(notebook: Notebook) -> None:
    part = notebook.operations().inventory.slice("office", "notes")
    later = Operations.later(part, lambda: tools_with_layers(part, notebook))
    with pytest.raises(SetupError, match="create_note has layers that its entry does not declare"):
        _ = later.find_tool("create_note").schema_in


@pytest.mark.usefixtures("checked")
def test_code_that_does_not_fit_is_told_when_it_is_needed(notebook: Notebook) -> None:
    part = notebook.operations().inventory.slice("office", "notes")
    later = Operations.later(part, lambda: Operations(part, (Weather(),)))
    with pytest.raises(InventoryError):
        _ = later.find_tool("create_note").schema_in


@pytest.mark.usefixtures("checked")
def test_a_tool_with_more_layers_than_those_of_its_entry_may_be_offered(notebook: Notebook) -> None:
    made = Made(notebook)
    more = [each.layer(Retry()) for each in made.operations.callees]
    layers = made.app(notebook).build_layers()
    assert not [*compare_application(made.operations, more, layers, is_code_known=True)]
