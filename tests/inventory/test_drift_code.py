"""Drift in the code: what nobody gave, what is named or typed otherwise than its kind asks."""

from __future__ import annotations

from dataclasses import replace

from figures.notebook import NOTES, CreateNotePayload, Notebook, Weather
from remit.call.classification import Capability, Classification
from remit.inventory.envelope import Request, Response
from tests.inventory.drifting import OtherWeather, agree, look


class NotePayload(CreateNotePayload):
    """A payload that is not named after the action."""


class WriteRequest(Request[NotePayload], operation="write"):
    """A request that is not named after the action, of another operation."""


class Answer(Response[NotePayload]):
    """A response that is not named after the action."""


def test_envelopes_are_named_after_the_action(notebook: Notebook) -> None:
    class Notes:
        """Other notes."""

        async def create_note(self, request: WriteRequest) -> Answer:
            """Write."""
            raise NotImplementedError

        async def read_note(self, request: WriteRequest) -> Answer:
            """Read."""
            raise NotImplementedError

        async def count_notes(self) -> int:
            """Count."""
            return 0

    Notes.create_note.__annotations__.update({"request": WriteRequest, "return": Answer})
    notebook.write(NOTES.replace("    models: {request: CreateNoteRequest, response: CreateNoteResponse}\n", ""))
    text = (notebook.folder / "notes.yaml").read_text().replace("fix: {tags: [quick]}", "fix: {title: x}")
    notebook.write(text)
    found = look(notebook, notebook.operations(Notes(), Weather()))
    named = {"envelope", "operation"}
    assert [each.code for each in found if each.where.startswith("tests/") and each.code in named] == [
        *(["envelope"] * 2 + ["operation"]),
        *(["envelope"] * 2 + ["operation"]),
    ]


def test_a_tool_that_is_not_as_its_method_is_found(notebook: Notebook) -> None:
    operations = agree(notebook)
    tools = dict(operations.tools)
    kind = Classification(domain="office", subdomain="notes", capability=Capability.DELETE)
    other = operations.find_tool("read_note")
    facts = replace(other.facts, classification=kind)
    wrong = other.with_facts(facts, name="create_note", description="Read.", where="here:1")
    tools["create_note"] = replace(tools["create_note"], tool=wrong)
    quick = operations.tools["quick_note"]
    tools["quick_note"] = replace(quick, tool=wrong.with_name("quick_note"), fixed_values={}, hidden_parameters=())
    operations.tools = tools
    codes = [each.code for each in look(notebook, operations)]
    assert codes.count("mapping") > 4
    assert codes.count("classification") == 2


def test_a_shown_parameter_of_another_type_is_found(notebook: Notebook) -> None:
    operations = agree(notebook)
    weather = operations.tools["weather"]
    other = notebook.operations(notebook.notes, OtherWeather()).tools["weather"]
    operations.tools = {**operations.tools, "weather": replace(weather, tool=other.tool)}
    assert "mapping" in [each.code for each in look(notebook, operations)]
