"""Every place where YAML of people is read: what it reads of a value, and of a whole file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

from remit.chat.settings import ModelSettings
from remit.errors import SetupError
from remit.evals.task import load_tasks
from remit.inventory import PolicyTable, Vocabulary, business_rules_section, read_inventory
from remit.schemas.finding import Finding, InventoryError
from remit.schemas.yaml_lines import read_text, read_yaml
from remit.workers import WorkerFileError, read_worker

Read = Callable[[Path, bytes], object]
"""Reads the bytes of a file in a folder; a list of findings if it has some."""

VOCABULARY: Final = Vocabulary(domains={"office": {"desk"}}, permissions={"mail:read"})
_ENTRY: Final = "domain: office\nsubdomain: desk\nmethods:\n  find:\n    classification: {capability: read}\n"


def write_value(written: str, indent: int) -> str:
    """A line with the key ``value``, below others."""
    lines = written.replace("\n", "\n" + " " * indent)
    return f"{' ' * indent}value: {lines}\n"


def read_document(folder: Path, content: bytes) -> Any:
    """The value of a document, or its findings."""
    file = folder / "f.yaml"
    file.write_bytes(content)
    try:
        document = read_yaml(read_text(file), file.name)
    except InventoryError as error:
        return [*error.findings]
    return document.findings or document.value


def read_slice(folder: Path, content: bytes) -> Any:
    """What an inventory fixes for its tool, or its findings."""
    (folder / "f.yaml").write_bytes(content)
    table = PolicyTable(business_rules_section(version="1.0"))
    try:
        inventory = read_inventory(folder, table, VOCABULARY)
    except InventoryError as error:
        return [*error.findings]
    return {name: tool.spec.fix for name, tool in inventory.tools.items()}


def read_whole_worker(folder: Path, content: bytes) -> Any:
    """The description and the prompt of a worker file, or its findings."""
    file = folder / "f.worker"
    file.write_bytes(content)
    try:
        worker = read_worker(file)
    except WorkerFileError as error:
        return [*error.findings]
    return [worker.description, worker.prompt]


def read_front_matter(folder: Path, content: bytes) -> Any:
    """The settings of a worker file, or its findings."""
    file = folder / "f.worker"
    file.write_bytes(content)
    try:
        settings: ModelSettings = read_worker(file).settings
    except WorkerFileError as error:
        return [*error.findings]
    return settings.extra_body


def read_task(folder: Path, content: bytes) -> Any:
    """The tasks of a file of evals, or the error about it."""
    file = folder / "f.yaml"
    file.write_bytes(content)
    try:
        return {task.name: task for task in load_tasks([file])}
    except SetupError as error:
        return [error]


def _as_document(written: str) -> str:
    return "a:\n" + write_value(written, 2)


def _as_slice(written: str) -> str:
    return f"{_ENTRY}    tools:\n      find:\n        fix:\n{write_value(written, 10)}"


def _as_front_matter(written: str) -> str:
    return f"---\nsettings:\n  extra_body:\n{write_value(written, 4)}---\nWork.\n"


def _value_in(found: Any, *keys: str) -> Any:
    value: Any = found
    for key in keys:
        value = cast("Any", value) if isinstance(value, list) else value[key]
    return value


PLACES: Final[dict[str, Callable[[Path, str], object]]] = {
    "documents": lambda folder, text: _value_in(read_document(folder, _as_document(text).encode()), "a", "value"),
    "inventories": lambda folder, text: _value_in(read_slice(folder, _as_slice(text).encode()), "find", "value"),
    "worker files": lambda folder, text: _value_in(read_front_matter(folder, _as_front_matter(text).encode()), "value"),
}
"""Where a value is written, and what is read of it: the value in a tuple of one, or the findings."""


def is_read(found: object, expected: object) -> bool:
    """Whether a value is what is expected, to its type."""
    return not _findings_of(found) and json.dumps(found) == json.dumps(expected)


def is_refused(found: object, said: str) -> bool:
    """Whether each finding is one line, and one says this."""
    lines = [str(each) for each in _findings_of(found)]
    return any(said in line for line in lines) and all(line.isprintable() and len(line) < 700 for line in lines)


def is_told(found: object) -> bool:
    """Whether a file is read, or refused by findings of one line each."""
    return not isinstance(found, list) or is_refused(cast("object", found), "")


def _findings_of(found: object) -> list[Finding | SetupError]:
    items = cast("list[Any]", found) if isinstance(found, list) else list[Any]()
    return [each for each in items if isinstance(each, (Finding, SetupError))]
