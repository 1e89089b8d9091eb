"""Drift is found by a machine: twelve drifts planted between code, inventory and lock, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from pydantic import BaseModel, Field

from figures import drift_casefile
from figures.figure import Figure, no_violations
from figures.notebook import (
    NOTES,
    WEATHER,
    CreateNoteResponse,
    Notebook,
    NotePayload,
    Notes,
    ReadNoteRequest,
    ReadNoteResponse,
    Weather,
)
from remit.inventory import Finding, InventoryError, Request, build_lock, lock_path, run_checklist
from remit.inventory.drift import report_load_errors

Plant = Callable[[Notebook], Sequence[object]]
"""Changes the inventory, or gives other domain objects than those that were agreed to."""


class Renamed(BaseModel):
    """The payload with a field renamed."""

    heading: str = Field(min_length=1, max_length=80, description="What it is called.")
    text: str = ""
    tags: list[str] = Field(default_factory=list[str])
    secret: str = ""


class OtherDefault(BaseModel):
    """The payload with another default."""

    title: str = Field(min_length=1, max_length=80, description="What it is called.")
    text: str = "empty"
    tags: list[str] = Field(default_factory=list[str])
    secret: str = ""


class OtherType(BaseModel):
    """The payload with a narrower type."""

    title: str = Field(min_length=1, max_length=40, description="What it is called.")
    text: str = ""
    tags: list[str] = Field(default_factory=list[str])
    secret: str = ""


def _notes_with_payload(payload: type[BaseModel]) -> type[Notes]:
    """The notes, whose create_note takes another payload."""

    class CreateNoteRequest(Request[payload], operation="create_note"):
        """Asks to write a note."""

    class Other(Notes):
        """The notes of another day."""

        async def create_note(self, request: Any) -> CreateNoteResponse:
            """Write a note. Call it when somebody wants to remember something."""
            return CreateNoteResponse.completed(request, NotePayload(number=1, title="", tags=[]))

    Other.create_note.__annotations__["request"] = CreateNoteRequest
    Other.__name__ = "Notes"
    return Other


class _More(Notes):
    """The notes, with a method that the inventory does not know."""

    async def reread_note(self, request: ReadNoteRequest) -> ReadNoteResponse:
        """Read a note again."""
        return await self.read_note(request)


def _replace_payload(payload: type[BaseModel]) -> Plant:
    return lambda _notebook: (_notes_with_payload(payload)(), Weather())


def _replace_text(old: str, new: str) -> Plant:
    """Another text in the inventory of notes."""

    def plant(notebook: Notebook) -> Sequence[object]:
        assert old in NOTES  # noqa: S101 - a plant that changes nothing proves nothing
        notebook.write(NOTES.replace(old, new, 1))
        return ()

    return plant


def _change_lock_by_hand(notebook: Notebook) -> Sequence[object]:
    """The lock, changed by hand."""
    file = lock_path(notebook.operations())
    file.write_text(file.read_text().replace('"risk": "safe"', '"risk": "high"', 1))
    return ()


PLANTS: Final[dict[str, tuple[Plant, str]]] = {
    "renamed field": (_replace_payload(Renamed), "removed-parameter"),
    "missing model": (_replace_text("request: CreateNoteRequest", "request: MakeNoteRequest"), "missing-model"),
    "wrong classification": (_replace_text("{capability: read}", "{capability: create}"), "classification"),
    "parameter repeated in YAML": (_replace_text("read_note: {}", "read_note: {parameters: [number]}"), "repeated"),
    "permission typo": (_replace_text("[notes:write]", "[notes:wirte]"), "unknown-permission"),
    "method without tool": (_replace_text("    tools:\n      read_note: {}\n", "    tools: {}\n"), "no-tool"),
    "tool without method": (
        _replace_text("methods:\n", "tools:\n  lost: {method: a.b.c}\nmethods:\n"),
        "unknown-method",
    ),
    "changed default": (_replace_payload(OtherDefault), "changed-default"),
    "changed type": (_replace_payload(OtherType), "changed-type"),
    "unimported module": (lambda notebook: (notebook.notes,), "not-in-code"),
    "duplicate name": (
        _replace_text("  count_notes:\n", "  count_notes:\n    tools: {read_note: {}}\n"),
        "duplicate-name",
    ),
    "stale lock": (_change_lock_by_hand, "stale-lock"),
    "method that no entry knows": (lambda _notebook: (_More(), Weather()), "not-in-inventory"),
    "raised risk": (_replace_text("effect: keyed", "effect: keyed\n    risk: high"), "raised-risk"),
    "unknown policy": (_replace_text("session_policies:", "session_polices:"), "unknown-key"),
    "policy that nothing enforces": (_replace_text("template: standard", "template: standard, keep: 7"), "unknown-key"),
}
"""What is planted, and the code of the finding that names it. The first twelve are those that were promised."""


def figures(*, short: bool) -> Iterator[Figure]:
    """Drifts that were planted and not found, and findings where nothing was planted."""
    every = 5 if short else 1
    yield _measure(list(PLANTS.values())[::every], list(drift_casefile.PLANTS.values())[::every])


def measure_small_application() -> Iterator[Figure]:
    """The figure of all drifts in the small application."""
    yield _measure(list(PLANTS.values()), [])


def _measure(small: Sequence[tuple[Plant, str]], real: Sequence[tuple[drift_casefile.Plant, str]]) -> Figure:
    missed = sum(code not in {each.code for each in findings_after(plant)} for plant, code in small)
    missed += sum(code not in {each.code for each in drift_casefile.findings_after(plant)} for plant, code in real)
    missed += len(findings_after(lambda _notebook: ()))
    missed += len(drift_casefile.findings_after(lambda _folder: None))
    how = f"{len(small)} drifts planted one at a time in a small application that was agreed to, {len(real)} in a copy "
    how += "of the casefile application, and one look at each where none is"
    return no_violations("drift.planted_missed", missed, len(small) + len(real) + 2, how)


def findings_after(plant: Plant) -> list[Finding]:
    """What is found in an application that was agreed to, after ``plant``."""
    with TemporaryDirectory() as folder:
        notebook = Notebook(Path(folder) / "inventory").write(NOTES, WEATHER)
        operations = notebook.operations()
        lock_path(operations).write_text(build_lock(operations).to_text())
        domains = plant(notebook)
        try:
            app = notebook.app(*domains)
        except InventoryError as error:
            return [finding for point in report_load_errors(error) for finding in point.findings]
        assert app.operations is not None  # noqa: S101 - made just above
        points = run_checklist(app.operations, app.tools, app.build_layers())
        return [finding for point in points for finding in point.findings]
