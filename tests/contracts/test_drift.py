"""Drift between code, inventory and lock, by the points of the checklist; each change with the step it needs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from figures.drift import PLANTS, found_after
from figures.notebook import NOTES, WEATHER, CreateNotePayload, Notebook, Weather
from remit import Validate, preset
from remit.contracts.changes import changes
from remit.contracts.classification import Capability, Classification
from remit.contracts.drift import CHECKLIST, check, refused
from remit.contracts.envelope import Request, Response
from remit.contracts.finding import Finding, InventoryError, Step
from remit.contracts.lock import Lock, lock_file, lock_of, read_lock
from remit.contracts.method import method
from remit.contracts.operations import Operations
from remit.core import Stack


@pytest.fixture
def notebook(tmp_path: Path) -> Notebook:
    return Notebook(tmp_path / "inventory").write()


def agree(notebook: Notebook) -> Operations:
    operations = notebook.operations()
    lock_file(operations).write_text(lock_of(operations).text(), encoding="utf-8")
    return operations


def look(notebook: Notebook, operations: Operations) -> list[Finding]:
    points = check(operations, set(operations.tools), preset(notebook.env))
    return [each for point in points for each in point.findings]


@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_drift_is_found(name: str) -> None:
    plant, code = PLANTS[name]
    assert code in [finding.code for finding in found_after(plant)]


def test_where_nothing_was_planted_nothing_is_found() -> None:
    assert found_after(lambda _notebook: ()) == []


def test_every_point_looks_at_something(notebook: Notebook) -> None:
    operations = agree(notebook)
    layers = notebook.app().layers
    assert layers is not None
    points = check(operations, set(operations.tools), layers())
    assert [point.name for point in points] == list(CHECKLIST)
    assert all(point.looked_at > 0 for point in points)


def test_what_was_refused_stands_under_its_point() -> None:
    kinds = ("missing-model", "repeated", "unknown-key", "said-twice")
    error = InventoryError([Finding(code=code, where="f:1", what="", mend="") for code in kinds])
    found = {point.name: [each.code for each in point.findings] for point in refused(error) if point.findings}
    assert found == {
        "references": ["missing-model"],
        "inheritance": ["repeated"],
        "schema": ["unknown-key"],
        "drift": ["said-twice"],
    }


@pytest.mark.parametrize(
    ("old", "new", "code", "step"),
    [
        ("effect: keyed", "effect: keyed\n    risk: moderate", "raised-risk", Step.MAJOR),
        ("effect: keyed", "effect: unsafe", "changed-effect", Step.MAJOR),
        ("[notes:write]", "[notes:write, notes:read]", "changed-permissions", Step.MAJOR),
        ("[notes:write]", "[]", "changed-permissions", Step.MINOR),
        ("template: authenticated_access,", "visibility: internal,", "changed-visibility", Step.MAJOR),
        ("template: authenticated_access,", "timeout_seconds: 5,", "changed-business_rules", Step.MINOR),
        (
            "audit_events: {template: standard, log_response_fields: [number, secret]}\n",
            "\n",
            "changed-audit_events",
            Step.MINOR,
        ),
        ("{capability: create}", "{capability: create, maturity: beta}", "changed-classification", Step.MINOR),
        ("tags: [note, create]", "tags: [note]", "changed-tags", Step.MINOR),
        ("fix: {tags: [quick]}", "fix: {tags: [slow]}", "changed-fixed", Step.MINOR),
        ("Write down a title and nothing else.", "Jot a title down.", "text", Step.PATCH),
        ("      create_note: {tags: [note, create]}\n", "", "removed", Step.MAJOR),
        ("      create_note: {tags", "      more: {}\n      create_note: {tags", "added", Step.MINOR),
        ("hide: [text, secret]", "hide: [text]", "added-parameter", Step.MINOR),
        ("hide: [text, secret]", "hide: []", "added-parameter", Step.MINOR),
    ],
)
def test_a_change_since_the_lock_is_named_with_its_step(
    notebook: Notebook, old: str, new: str, code: str, step: Step
) -> None:
    agree(notebook)
    assert old in NOTES
    notebook.write(NOTES.replace(old, new, 1))
    found = look(notebook, notebook.operations())
    assert (code, step) in [(each.code, each.step) for each in found]


def test_a_risk_that_was_lowered_breaks_nobody(notebook: Notebook) -> None:
    notebook.write(NOTES.replace("effect: keyed", "effect: keyed\n    risk: high"))
    agree(notebook)
    notebook.write()
    assert {(each.code, each.step) for each in look(notebook, notebook.operations())} == {("lowered-risk", Step.MINOR)}


def altered(notebook: Notebook, **changed: Any) -> list[tuple[str, Step, str]]:
    """What is found after the lock of the method create_note, its digests true, said ``changed``."""
    operations = agree(notebook)
    lock = lock_of(operations)
    key = "office.notes.create_note"
    said = lock.methods[key].model_copy(update=changed)
    fields = (said.parameters, said.required, said.defaults, said.result, said.governed)
    contract, governance = type(said).digests(*fields)
    methods = {**lock.methods, key: said.model_copy(update={"contract": contract, "governance": governance})}
    before = Lock(methods=methods, tools=lock.tools)
    return [(each.code, each.step, each.what) for each in changes(before, operations)]


TEXT = {"type": "string"}
NOW = {
    "title": {"type": "string", "minLength": 1, "maxLength": 80},
    "text": TEXT,
    "tags": {"type": "array", "items": TEXT},
    "secret": TEXT,
}
OPTIONAL = {"text": "", "secret": ""}


@pytest.mark.parametrize(
    ("changed", "code", "step"),
    [
        ({"parameters": {**NOW, "old": TEXT}}, "removed-parameter", Step.MAJOR),
        ({"parameters": {key: NOW[key] for key in ("title", "tags", "secret")}}, "added-parameter", Step.MINOR),
        ({"parameters": {key: NOW[key] for key in ("text", "tags", "secret")}}, "added-parameter", Step.MAJOR),
        ({"parameters": {**NOW, "title": {**NOW["title"], "maxLength": 20}}}, "changed-type", Step.MINOR),
        ({"parameters": {**NOW, "title": TEXT}}, "changed-type", Step.MAJOR),
        ({"required": []}, "changed-required", Step.MAJOR),
        ({"required": ["tags", "title"]}, "changed-required", Step.MINOR),
        ({"defaults": {"text": "x", "secret": ""}}, "changed-default", Step.MAJOR),
        ({"result": {"type": "object"}}, "changed-result", Step.MINOR),
        ({"result": {"type": "string"}}, "changed-result", Step.MAJOR),
        ({"text": "other"}, "text", Step.PATCH),
    ],
)
def test_a_change_of_the_contract_is_named_with_its_step(
    notebook: Notebook, changed: dict[str, Any], code: str, step: Step
) -> None:
    assert (code, step) in [each[:2] for each in altered(notebook, **changed)]


def test_a_lock_that_says_what_is_said_today_has_no_change(notebook: Notebook) -> None:
    assert altered(notebook) == []


def test_what_has_changed_in_a_method_is_not_said_again_of_its_tools(notebook: Notebook) -> None:
    agree(notebook)
    notebook.write(NOTES.replace("effect: keyed", "effect: keyed\n    risk: high"))
    assert [each.what.split(":")[0] for each in look(notebook, notebook.operations())] == [
        "method office.notes.create_note"
    ]


def test_a_method_that_is_gone_is_found_at_the_lock(notebook: Notebook) -> None:
    agree(notebook)
    notebook.write(NOTES, "domain: office\nsubdomain: weather\n")
    (notebook.folder / "weather.yaml").write_text("domain: office\nsubdomain: weather\n", encoding="utf-8")
    found = look(notebook, notebook.operations(notebook.notes))
    assert {(each.code, each.where.rpartition("/")[2]) for each in found} == {("removed", "inventory.lock:1")}


def test_without_a_lock_that_is_what_is_found(notebook: Notebook) -> None:
    assert [each.code for each in look(notebook, notebook.operations())] == ["no-lock"]


@pytest.mark.parametrize("text", ["{", '{"format": 2, "methods": {}, "tools": {}}', "[]"])
def test_a_file_that_is_no_lock_is_found(notebook: Notebook, text: str) -> None:
    operations = agree(notebook)
    lock_file(operations).write_text(text, encoding="utf-8")
    assert [each.code for each in look(notebook, operations)] == ["lock"]


def test_the_lock_reads_back_as_it_was_written(notebook: Notebook) -> None:
    operations = agree(notebook)
    assert read_lock(lock_file(operations)) == lock_of(operations)
    assert json.loads(lock_file(operations).read_text())["format"] == 1


def test_a_tool_that_the_application_does_not_offer_is_an_orphan(notebook: Notebook) -> None:
    operations = agree(notebook)
    layers = notebook.app().layers
    assert layers is not None
    (point,) = [each for each in check(operations, {"create_note"}, layers()) if each.findings]
    assert (point.name, {each.code for each in point.findings}, len(point.findings)) == ("drift", {"orphan"}, 4)


def test_permissions_that_no_layer_asks_for_are_found(notebook: Notebook) -> None:
    operations = agree(notebook)
    (point,) = [each for each in check(operations, set(operations.tools), Stack(Validate())) if each.findings]
    assert {each.code for each in point.findings} == {"unenforced"}
    assert "create_note declares business_rules.required_permissions" in point.findings[1].what


def test_a_method_may_say_why_it_has_no_tool_but_not_beside_one(notebook: Notebook) -> None:
    said = NOTES.replace("    tools:\n      read_note: {}\n", "    without_tool: for other methods only\n")
    agree(notebook.write(said))
    assert look(notebook, notebook.operations()) == []
    agree(notebook.write(NOTES.replace("    effect: keyed", "    without_tool: none\n    effect: keyed")))
    assert [each.code for each in look(notebook, notebook.operations())] == ["no-tool"]


@pytest.mark.parametrize(
    ("notes", "weather", "said"),
    [
        (NOTES, WEATHER.replace("integration_tier: external, ", ""), "its integration_tier is internal"),
        (
            NOTES.replace("{capability: create}", "{capability: create, integration_tier: external}"),
            WEATHER,
            "is not marked so",
        ),
    ],
)
def test_what_speaks_to_a_foreign_api_is_marked_and_classified_so(
    notebook: Notebook, notes: str, weather: str, said: str
) -> None:
    agree(notebook.write(notes, weather))
    (found,) = look(notebook, notebook.operations())
    assert (found.code, said in found.what) == ("tier", True)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "{capability: read}\n    effect: pure",
            "{capability: update}\n    effect: pure",
            "update and the effect pure",
        ),
        (
            "{capability: read}\n    effect: pure",
            "{capability: search}\n    effect: keyed",
            "search and the effect keyed",
        ),
        ("effect: keyed", "effect: composed", "is atomic, and its effect is composed"),
    ],
)
def test_a_classification_that_contradicts_the_effect_is_found(
    notebook: Notebook, old: str, new: str, said: str
) -> None:
    agree(notebook.write(NOTES.replace(old, new, 1)))
    (found,) = look(notebook, notebook.operations())
    assert (found.code, said in found.what) == ("classification", True)


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
    assert [each.code for each in found if each.where.startswith("tests/")] == [
        *(["envelope"] * 3 + ["operation"]),
        *(["envelope"] * 3 + ["operation"]),
    ]


def test_a_tool_that_is_not_as_its_method_is_found(notebook: Notebook) -> None:
    operations = agree(notebook)
    tools = dict(operations.tools)
    kind = Classification(domain="office", subdomain="notes", capability=Capability.DELETE)
    other = operations.tool("read_note")
    facts = replace(other.facts, classification=kind)
    wrong = other.governed(facts, name="create_note", description="Read.", where="here:1")
    tools["create_note"] = replace(tools["create_note"], tool=wrong)
    quick = operations.tools["quick_note"]
    tools["quick_note"] = replace(quick, tool=wrong.with_name("quick_note"), fixed={}, hidden=())
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


class OtherWeather:
    """Wants the number of a place."""

    @method(external=True)
    async def forecast(self, place: int, unit: str = "celsius") -> int:
        """Say tomorrow's weather.

        Args:
            place: Where.
            unit: In which degrees.
        """
        return place
