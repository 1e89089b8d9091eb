"""Drifts planted in a copy of the casefile application's inventory, or in its lock: each is found by its code."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from remit.inventory import Finding, InventoryError, run_checklist
from remit.inventory.drift import report_load_errors
from remit.inventory.lock import LOCK_FILE_NAME, Lock, LockedOperation
from remit_casefile.app import INVENTORY_FOLDER, build

Plant = Callable[[Path], None]
"""Changes what is in a folder: the slices of the inventory, and the lock."""

_CREATED: Final = "workspace.casefile.create_casefile"


@dataclass(frozen=True, slots=True)
class Text:
    """Another text in one slice of the inventory."""

    slice: str
    old: str
    new: str

    def __call__(self, folder: Path) -> None:
        """Write it."""
        file = folder / f"{self.slice}.yaml"
        content = file.read_text(encoding="utf-8")
        if self.old not in content:
            raise ValueError(
                f"{self.slice}.yaml does not say {self.old!r}: a plant that changes nothing proves nothing"
            )
        file.write_text(content.replace(self.old, self.new, 1), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Then:
    """That something else was agreed to of create_casefile, in a lock that is true to itself."""

    changes: Callable[[LockedOperation], Mapping[str, Any]]

    def __call__(self, folder: Path) -> None:
        """Write it."""
        file = folder / LOCK_FILE_NAME
        lock = Lock.model_validate_json(file.read_text(encoding="utf-8"))
        now = lock.methods[_CREATED]
        then = now.model_copy(update=dict(self.changes(now)))
        contract, governance = then.compute_digests()
        then = then.model_copy(update={"contract": contract, "governance": governance})
        methods = {**lock.methods, _CREATED: then}
        file.write_text(lock.model_copy(update={"methods": methods}).to_text(), encoding="utf-8")


def _title_was_heading(now: LockedOperation) -> dict[str, Any]:
    """Its title was called a heading."""
    parameters = {"heading" if name == "title" else name: each for name, each in now.parameters.items()}
    return {"parameters": parameters, "required": ["heading"]}


def _default_was_different(now: LockedOperation) -> dict[str, Any]:
    """Its description was another where none was given."""
    return {"defaults": {**now.defaults, "description": "none"}}


def _title_was_longer(now: LockedOperation) -> dict[str, Any]:
    """Its title could be longer."""
    return {"parameters": {**now.parameters, "title": {**now.parameters["title"], "maxLength": 2000}}}


def _change_lock_by_hand(folder: Path) -> None:
    """The lock, changed by hand."""
    file = folder / LOCK_FILE_NAME
    file.write_text(file.read_text(encoding="utf-8").replace('"risk": "safe"', '"risk": "high"', 1), encoding="utf-8")


_READ: Final = """\
    says:
      asked: Read the casefile {casefile_id}
      done: Read the casefile {casefile.title}
    tags: [casefile, read]
"""
_LISTED: Final = "    says: List who may use the casefile {casefile_id}\n    tags: [casefile, access, list]\n"

PLANTS: Final[dict[str, tuple[Plant, str]]] = {
    "renamed field": (Then(_title_was_heading), "removed-parameter"),
    "missing model": (Text("workspace", "request: SyncGmailRequest", "request: MakeRequest"), "missing-model"),
    "wrong classification": (Text("casefiles", "{capability: read}", "{capability: create}"), "classification"),
    "parameter repeated in YAML": (
        Text("casefiles", _READ, "    tools: {get_casefile: {parameters: [casefile_id]}}\n"),
        "repeated",
    ),
    "permission typo": (Text("casefiles", "[casefiles:write]", "[casefiles:wirte]"), "unknown-permission"),
    "method without tool": (Text("access", _LISTED, "    tools: {}\n"), "no-tool"),
    "tool without method": (Text("access", "methods:", "tools:\n  lost: {method: a.b.c}\nmethods:"), "unknown-method"),
    "changed default": (Then(_default_was_different), "changed-default"),
    "changed type": (Then(_title_was_longer), "changed-type"),
    "method that is not in the code": (Text("access", "  list_permissions:\n", "  peek:\n"), "not-in-code"),
    "tool of a pipeline lost": (
        Text("casefiles", _READ, "    tools: {look: {}}\n"),
        "contract",
    ),
    "permission of a step forgotten": (
        Text("pipelines", "[casefiles:read, casefiles:write, ", "[casefiles:write, "),
        "too-few-permissions",
    ),
    "duplicate name": (Text("sessions", "create_tool_session:", "create_casefile:"), "duplicate-name"),
    "stale lock": (_change_lock_by_hand, "stale-lock"),
    "raised risk": (Text("access", "risk: moderate", "risk: high"), "raised-risk"),
    "access list forgotten": (
        Text("workspace", "      casefile_permission_level: viewer\n", ""),
        "open-casefile",
    ),
}
"""What is planted, and the code of the finding that names it."""


def findings_after(plant: Plant) -> list[Finding]:
    """What is found in the application, of which the inventory was agreed to and then changed by ``plant``."""
    with TemporaryDirectory() as home:
        folder = Path(home) / "inventory"
        shutil.copytree(INVENTORY_FOLDER, folder)
        plant(folder)
        try:
            app = build(Path(home), inventory_folder=folder).app
        except InventoryError as error:
            return [finding for point in report_load_errors(error) for finding in point.findings]
        if app.operations is None:
            raise RuntimeError("the application has no inventory")
        points = run_checklist(app.operations, (*app.agents, *app.tools), app.build_layers())
        return [finding for point in points for finding in point.findings]
