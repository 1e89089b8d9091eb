"""Drift in the code: what nobody gave, what is named or typed otherwise than its kind asks."""

from __future__ import annotations

import sys
from dataclasses import replace
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest

from figures.notebook import NOTES, CreateNotePayload, Notebook, Weather
from remit.contracts.classification import Capability, Classification
from remit.inventory.envelope import Request, Response
from remit.inventory.methods import method, methods_of
from tests.inventory.drifting import OtherWeather, agree, look


def module_of(name: str, source: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module of an application in a package of its own."""
    module = ModuleType(name)
    monkeypatch.setitem(sys.modules, name, module)
    exec(compile(dedent(source), f"{name}.py", "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - a package apart
    return module


FORGOTTEN = """
    import abc
    from remit.inventory import method


    class Given:
        @method
        async def one(self):
            raise NotImplementedError

        @method(external=True)
        async def two(self):
            raise NotImplementedError


    class Inherits(Given):
        @method
        async def one(self):
            raise NotImplementedError


    class Lost:
        @method
        async def three(self):
            raise NotImplementedError


    class _Inside(Lost):
        @method
        async def four(self):
            raise NotImplementedError


    class Abstract(abc.ABC):
        @method
        @abc.abstractmethod
        async def five(self):
            raise NotImplementedError


    def made():
        class Local:
            @method
            async def six(self):
                raise NotImplementedError

        return Local


    local = made()


    class Rewritten:
        @method
        async def seven(self):
            raise NotImplementedError


    kept = Rewritten.seven
    Rewritten.seven = None
"""


def test_a_method_whose_object_nobody_gave_is_found_where_it_is_written(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = module_of("shop_of_drift.desk", FORGOTTEN, monkeypatch)
    other = module_of("garden_of_drift", FORGOTTEN, monkeypatch)
    operations = agree(notebook)
    assert other.Lost is not shop.Lost
    assert [each for each in look(notebook, operations) if "_of_drift" in each.where] == [], "another package"
    methods_of(shop.Inherits())
    operations.packages = frozenset({"shop_of_drift"})
    (found,) = look(notebook, operations)
    assert (found.code, found.where) == ("not-given", "shop_of_drift.desk.py:23")
    assert found.what == "the method Lost.three is marked, but Operations has no object of Lost"
    methods_of(shop.Lost())
    assert look(notebook, operations) == [], "given to another application of the package"


class NotePayload(CreateNotePayload):
    """A payload that is not named after the action."""


class WriteRequest(Request[NotePayload], operation="write"):
    """A request that is not named after the action, of another operation."""


class Answer(Response[NotePayload]):
    """A response that is not named after the action."""


def test_envelopes_are_named_after_the_action(notebook: Notebook) -> None:
    class Notes:
        """Other notes."""

        @method
        async def create_note(self, request: WriteRequest) -> Answer:
            """Write."""
            raise NotImplementedError

        @method
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
        *(["envelope"] * 3 + ["operation"]),
        *(["envelope"] * 3 + ["operation"]),
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
