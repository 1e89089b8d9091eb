"""Code and inventory put together: what is derived, and what is found where they do not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from figures.notebook import (
    NOTES,
    WEATHER,
    CreateNoteRequest,
    CreateNoteResponse,
    Notebook,
    Notes,
    Weather,
)
from remit import Context, Effect, Tool, tool
from remit.call.classification import Capability, Classification
from remit.errors import ContractError
from remit.inventory.definition import type_label
from remit.inventory.operations import Operations
from remit.schemas.finding import InventoryError

KIND = Classification(domain="office", subdomain="notes", capability=Capability.CREATE)


@pytest.fixture
def notebook(tmp_path: Path) -> Notebook:
    return Notebook(tmp_path / "inventory").write()


def found(notebook: Notebook, *domains: object) -> list[tuple[str, str]]:
    with pytest.raises(InventoryError) as raised:
        notebook.operations(*domains)
    return [(each.code, each.what) for each in raised.value.findings]


def test_a_method_has_what_types_docstring_and_inventory_say(notebook: Notebook) -> None:
    definition = notebook.operations().methods["office.notes.create_note"]
    assert definition.metadata.description == "Write a note. Call it when somebody wants to remember something."
    assert [(each.name, each.type, each.required) for each in definition.parameters] == [
        ("title", "string", True),
        ("text", "string", False),
        ("tags", "array of string", False),
        ("secret", "string", False),
    ]
    assert definition.request is CreateNoteRequest
    assert (definition.facts.effect, definition.facts.permissions) == (Effect.KEYED, {"notes:write"})
    assert definition.business_rules.timeout_seconds == 30
    assert definition.implementation.__self__ is notebook.notes
    assert definition.metadata.code_location.startswith("figures/notebook.py:")
    assert definition.metadata.inventory_location.endswith("notes.yaml:4")


def test_a_tool_inherits_parameters_classification_and_description(notebook: Notebook) -> None:
    operations = notebook.operations()
    derived, of = operations.tools["create_note"], operations.methods["office.notes.create_note"]
    assert derived.parameters == of.parameters
    assert derived.tool.facts.classification == of.facts.classification
    assert derived.tool.description == of.metadata.description
    assert derived.tool.facts.tags == {"note", "create"}
    assert operations.find_tool("create_note") is derived.tool


def test_a_tool_may_fix_and_hide_parameters_and_say_something_else(notebook: Notebook) -> None:
    quick = notebook.operations().tools["quick_note"]
    assert [each.name for each in quick.parameters] == ["title"]
    assert (dict(quick.fixed_values), quick.hidden_parameters) == ({"tags": ["quick"]}, ("text", "secret"))
    assert quick.tool.description == "Write down a title and nothing else."


def test_tools_stand_in_the_order_of_the_inventory_and_an_unknown_one_is_refused(notebook: Notebook) -> None:
    operations = notebook.operations()
    assert [each.name for each in operations.callees] == list(operations.tools)
    with pytest.raises(ContractError, match="has no tool 'lost'"):
        operations.find_tool("lost")


def test_what_goes_says_so_to_models(notebook: Notebook) -> None:
    gone = '{deprecated_since: "0.9", replacement_method: office.notes.create_note}'
    notebook.write(NOTES.replace("{required_permissions: [notes:read]}", gone, 1))
    assert (
        notebook.operations().find_tool("read_note").description
        == "Deprecated since 0.9. Use office.notes.create_note. Read a note."
    )
    notebook.write(NOTES.replace("{required_permissions: [notes:read]}", '{removal_version: "2.0"}', 1))
    assert notebook.operations().find_tool("read_note").description == "Deprecated since 0. Read a note."


def test_a_module_that_nobody_imported_is_an_error_and_not_no_tools(notebook: Notebook) -> None:
    assert found(notebook, notebook.notes) == [("not-in-code", "no function forecast among Notes")]


def test_without_any_object_every_entry_is_named(tmp_path: Path) -> None:
    notebook = Notebook(tmp_path).write()
    with pytest.raises(InventoryError) as raised:
        Operations(notebook.operations().inventory, [])
    assert "no function create_note among no objects" in [each.what for each in raised.value.findings]
    assert "no function count_notes among no objects" in [each.what for each in raised.value.findings]


class Drafts:
    """Has a method of a name that is taken."""

    async def create_note(self, request: CreateNoteRequest) -> CreateNoteResponse:
        """Draft a note."""
        raise NotImplementedError


def test_a_method_of_two_classes_must_say_which(notebook: Notebook) -> None:
    codes = found(notebook, notebook.notes, Weather(), Drafts())
    assert ("ambiguous", "office.notes.create_note may be Notes.create_note, Drafts.create_note") in codes
    notebook.write(NOTES.replace("    effect: keyed", "    implementation: Notes.create_note\n    effect: keyed"))
    assert found(notebook, notebook.notes, Weather(), Drafts()) == [
        ("not-in-inventory", "no entry needs an object of Drafts")
    ]


@tool
async def count() -> int:
    """Count."""
    return 0


class ToolInside(Notes):
    """Has a tool where the inventory wants a function."""

    count_notes = count  # pyright: ignore[reportAssignmentType]


ToolInside.__name__ = "Notes"


def test_a_tool_where_a_function_should_be_is_an_error(notebook: Notebook) -> None:
    assert isinstance(count, Tool)
    assert found(notebook, ToolInside(), Weather()) == [
        ("contract", "the facts of office.notes.count_notes are also in a decorator; remove them there")
    ]


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ("request: CreateNoteRequest", "request: Other", "missing-model", "has no model Other, but CreateNoteRequest"),
        ("fix: {tags: [quick]}", "fix: {colour: red}", "contract", "there is no parameter 'colour' to narrow"),
        (
            "hide: [text, secret]",
            "hide: [title]",
            "contract",
            "'title' is required and has no default; give it a fixed value",
        ),
        ("  count_notes:", "  count:", "not-in-code", "no function count among Notes, Weather"),
        (
            "  count_notes:",
            "  count_notes:\n    implementation: Other.count",
            "not-in-code",
            "no function Other.count among Notes, Weather",
        ),
        ("tags: [note, create]", "confirm: title", "contract", "must name a boolean parameter"),
    ],
)
def test_an_entry_that_does_not_fit_its_code_is_found(
    notebook: Notebook, old: str, new: str, code: str, said: str
) -> None:
    notebook.write(NOTES.replace(old, new))
    assert [each for each in found(notebook) if each[0] == code and said in each[1]]


def test_a_derived_model_may_be_named_in_the_inventory_and_is_compared(notebook: Notebook) -> None:
    named = "    models: {request: ForecastRequest, response: %s}\n    effect: pure"
    notebook.write(NOTES, WEATHER.replace("    effect: pure", named % "ForecastResponse"))
    assert "weather" in notebook.operations().tools
    notebook.write(NOTES, WEATHER.replace("    effect: pure", named % "Answer"))
    assert found(notebook) == [("missing-model", "office.weather.forecast has no model Answer, but ForecastResponse")]


class Asking(Notes):
    """Asks for the context with which others are called."""

    async def count_notes(self, ctx: Context) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Count the notes."""
        return 0


Asking.__name__ = "Notes"


def test_the_promise_of_an_effect_is_checked_against_the_code(notebook: Notebook) -> None:
    ((code, what),) = found(notebook, Asking(), Weather())
    assert code == "contract"
    assert "so its effect is COMPOSED" in what


def test_a_function_is_found_in_a_class_of_the_class_that_is_named(notebook: Notebook) -> None:
    class Better(Notes):
        """The same, better."""

    assert "count_notes" in notebook.operations(Better(), Weather()).tools


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "string"}, "string"),
        ({"$ref": "#/$defs/Note"}, "Note"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "string | null"),
        ({"enum": ["a", "b"]}, "'a' | 'b'"),
        ({"const": 1}, "1"),
        ({"type": "array", "items": {"type": "integer"}}, "array of integer"),
        ({}, "any"),
    ],
)
def test_a_type_is_said_in_a_word_or_two(schema: dict[str, object], said: str) -> None:
    assert type_label(schema) == said
