"""An OpenAPI document: its parts by their pointers, the file and the line of each, and its local references."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast

from msgspec import Struct

from remit.errors import ContractError
from remit.schemas.finding import InventoryError
from remit.schemas.jsontext import StrictError, read_strictly
from remit.schemas.schema_document import escape_pointer, resolve_pointer
from remit.schemas.yaml_lines import KeyPath, YamlDocument, read_yaml

MOST_BYTES: Final = 64 << 20
"""The largest document: the descriptions of large services have 15 MB."""

_MOST_STEPS: Final = 20
"""How many references may lead to one another."""

_READ_AS_TEXT: Final = frozenset({"scalar", "comment"})
"""Findings of the YAML reader about values that stay text, such as the dates in examples."""


class Part(Struct, frozen=True):
    """A part of a document, and its path."""

    value: dict[str, Any]
    path: KeyPath

    def child(self, *names: str | int) -> Part:
        """A part of the part, empty if there is none."""
        value: object = self.value
        for name in names:
            value = _take(value, name)
        found = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        return Part(found, (*self.path, *names))

    def children(self, name: str) -> list[Part]:
        """The parts in a list or a mapping of the part."""
        value: object = self.value.get(name)
        if isinstance(value, list):
            return [self.child(name, index) for index in range(len(cast("list[object]", value)))]
        return [self.child(name, key) for key in cast("dict[str, Any]", value)] if isinstance(value, dict) else []

    @property
    def pointer(self) -> str:
        """The JSON pointer of the part."""
        return "#" + "".join(f"/{escape_pointer(str(name))}" for name in self.path)


class Document:
    """An OpenAPI document of version 3.0 or 3.1.

    Args:
        content: the document, as JSON or YAML, or as read from JSON.
        file: the name by which errors call it.

    Raises:
        ContractError: it is no such document.
    """

    def __init__(self, content: str | Mapping[str, Any], file: str) -> None:
        self.file = file
        self._lines: YamlDocument | None = None
        self.root = Part(self._read(content), ())
        version = self.root.value.get("openapi")
        if not isinstance(version, str) or version.split(".")[:2] not in (["3", "0"], ["3", "1"]):
            raise ContractError(f"{file}: this is no OpenAPI document of version 3.0 or 3.1 (openapi: {version!r:.40})")
        self.is_3_0 = version.startswith("3.0")

    def locate(self, part: Part) -> str:
        """Where a part is, as a file with a line if the document is YAML, and with a pointer otherwise."""
        return f"{self.file}{part.pointer}" if self._lines is None else self._lines.locate(part.path)

    def follow(self, part: Part) -> Part:
        """The part itself, or the one to which it refers.

        Raises:
            ContractError: the reference leads out of the document, to nothing, or in a circle.
        """
        for _ in range(_MOST_STEPS):
            reference: object = part.value.get("$ref")
            if reference is None:
                return part
            part = self.find(reference, part)
        raise ContractError(f"{self.locate(part)}: more than {_MOST_STEPS} references lead to one another")

    def find(self, reference: object, part: Part) -> Part:
        """The part with the pointer of a reference that a part has.

        Raises:
            ContractError: the reference leads out of the document, or to nothing.
        """
        if not isinstance(reference, str) or not reference.startswith("#/"):
            told = "only references within the document, like '#/components/schemas/Page', are read"
            raise ContractError(f"{self.locate(part)}: it refers to {reference!r:.200}; {told}")
        try:
            value = resolve_pointer(self.root.value, reference)
        except (KeyError, IndexError, ValueError, TypeError) as error:
            where = self.locate(part)
            raise ContractError(f"{where}: it refers to {reference!r:.200}, which does not exist") from error
        path = tuple(name.replace("~1", "/").replace("~0", "~") for name in reference.split("/")[1:])
        return Part(cast("dict[str, Any]", value) if isinstance(value, dict) else {}, path)

    def _read(self, content: str | Mapping[str, Any]) -> dict[str, Any]:
        if not isinstance(content, str):
            return cast("dict[str, Any]", json.loads(json.dumps(content)))
        if len(content) > MOST_BYTES:
            raise ContractError(f"{self.file}: it has {len(content):,} characters; at most {MOST_BYTES:,} are read")
        if content.lstrip("\ufeff \r\n\t").startswith("{"):
            return self._read_json(content)
        try:
            self._lines = read_yaml(content, self.file)
        except InventoryError as error:
            raise ContractError(f"{error.findings[0].where}: {error.findings[0].what}") from error
        wrong = next((each for each in self._lines.findings if each.code not in _READ_AS_TEXT), None)
        if wrong is not None:
            raise ContractError(f"{wrong.where}: {wrong.what}; {wrong.fix}")
        return self._lines.value

    def _read_json(self, content: str) -> dict[str, Any]:
        try:
            return cast("dict[str, Any]", read_strictly(content.lstrip("\ufeff")))
        except (StrictError, ValueError, RecursionError) as error:
            raise ContractError(f"{self.file}: it is not JSON: {error}") from error


def _take(value: object, name: str | int) -> object:
    """What a mapping or a list has under a name; an empty mapping if it has nothing."""
    if isinstance(value, list) and isinstance(name, int):
        listed = cast("list[object]", value)
        return listed[name] if name < len(listed) else {}
    return cast("dict[str | int, object]", value).get(name, {}) if isinstance(value, dict) else {}
