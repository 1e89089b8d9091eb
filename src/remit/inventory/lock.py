"""The lock: what code and inventory said when somebody last agreed to it, as digests and what they are digests of.

It is committed beside the inventory. What has changed since is named, with the step of the version that it needs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from remit.contracts.facts import Facts
from remit.contracts.question import digest
from remit.contracts.schema import Input, Output
from remit.inventory.definition import AnyTool
from remit.inventory.governance import Policies
from remit.inventory.operations import Operations
from remit.schemas.compat import inlined
from remit.schemas.finding import Finding, InventoryError, shown
from remit.schemas.jsontext import canonical_text

FILE: Final = "inventory.lock"


class Agreed(BaseModel):
    """One operation as it was agreed to: digests, and the parameters, result and governance they are digests of."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    contract: str
    governance: str
    text: str
    parameters: dict[str, dict[str, Any]]
    required: list[str]
    defaults: dict[str, Any]
    result: dict[str, Any]
    governed: dict[str, Any]

    def true(self) -> bool:
        """Whether the digests are those of what stands beside them."""
        said = self.digests(self.parameters, self.required, self.defaults, self.result, self.governed)
        return said == (self.contract, self.governance)

    @staticmethod
    def digests(
        parameters: dict[str, Any],
        required: list[str],
        defaults: dict[str, Any],
        result: dict[str, Any],
        governed: dict[str, Any],
    ) -> tuple[str, str]:
        """The digests of a contract and of what governs it."""
        return _contract_digest(parameters, required, defaults, result), digest(canonical_text(governed))


class Lock(BaseModel):
    """All methods by key, all tools by name."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    format: Literal[1] = 1
    methods: dict[str, Agreed]
    tools: dict[str, Agreed]

    def text(self) -> str:
        """The lock as a file: sorted, one line for each thing that changes alone."""
        kinds = ",\n".join(
            f' "{kind}": {_block("  ", {name: _entry(each) for name, each in entries.items()})}'
            for kind, entries in (("methods", self.methods), ("tools", self.tools))
        )
        return f'{{\n "format": {self.format},\n{kinds}\n}}\n'


def _line(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _block(indent: str, parts: Mapping[str, str]) -> str:
    """A JSON object of parts that are JSON, each on a line of its own."""
    lines = [f"{indent}{_line(name)}: {part}" for name, part in sorted(parts.items())]
    return "{\n" + ",\n".join(lines) + f"\n{indent[:-1]}}}" if lines else "{}"


def _entry(agreed: Agreed) -> str:
    """One operation: a line for each parameter, for each section of policy and for each other thing."""
    parts: dict[str, str] = {}
    for name, value in agreed.model_dump(mode="json").items():
        split = name in {"parameters", "governed"}
        parts[name] = _block("    ", {each: _line(part) for each, part in value.items()}) if split else _line(value)
    return _block("   ", parts)


def lock_of(operations: Operations) -> Lock:
    """What code and inventory say today."""
    said = _Saying()
    methods = {key: said.agreed(each.contract, each.facts, each.policies) for key, each in operations.methods.items()}
    tools = {
        name: said.agreed(each.tool, each.tool.facts, each.policies, dict(each.fixed))
        for name, each in operations.tools.items()
    }
    return Lock.model_construct(methods=methods, tools=tools)


def lock_file(operations: Operations) -> Path:
    """Where the lock of an application is."""
    return operations.inventory.folder / FILE


def read_lock(path: Path) -> Lock | None:
    """The lock, or None where there is none yet.

    Raises:
        InventoryError: the file is no lock.
    """
    if not path.exists():
        return None
    try:
        return Lock.model_validate_json(path.read_bytes())
    except ValidationError as error:
        line, why = _conflict(path.read_bytes()) or (1, _first(error))
        what = f"the lock cannot be read: {why}"
        found = Finding(code="lock", where=f"{shown(path)}:{line}", what=what, mend="write it again: remit lock APP")
        raise InventoryError([found]) from error


def _conflict(text: bytes) -> tuple[int, str] | None:
    """The line of a merge that was left half done."""
    lines = enumerate(text.splitlines(), start=1)
    return next(
        ((number, "a merge left a conflict in it") for number, line in lines if line.startswith(b"<<<<<<<")), None
    )


def _first(error: ValidationError) -> str:
    detail = error.errors(include_url=False)[0]
    return ": ".join([*(str(part) for part in detail["loc"]), detail["msg"]])


class _Said(NamedTuple):
    """What the two sides of a contract say, and its digest."""

    contract: str
    parameters: dict[str, dict[str, Any]]
    required: list[str]
    defaults: dict[str, Any]
    result: dict[str, Any]


class _Saying:
    """Says what operations agree to. A tool that takes what its method takes shares its two sides."""

    def __init__(self) -> None:
        self._known: dict[tuple[Input[Any], Output[Any]], _Said] = {}

    def agreed(
        self,
        tool: AnyTool,
        facts: Facts,
        policies: Mapping[str, Policies],
        fixed: dict[str, JsonValue] | None = None,
    ) -> Agreed:
        """What is agreed to of one operation."""
        sides = (tool.schema_in, tool.schema_out)
        said = self._known.get(sides) or self._known.setdefault(sides, _said(*sides))
        governed = _governed(facts, policies) | {"fixed": fixed or {}}
        fields: Mapping[str, Any] = tool.schema_in.json_schema.get("properties", {})
        return Agreed.model_construct(
            **said._asdict(),
            governance=digest(canonical_text(governed)),
            text=digest(tool.description, *(each.get("description", "") for each in fields.values())),
            governed=governed,
        )


def _said(schema_in: Input[Any], schema_out: Output[Any]) -> _Said:
    schema, result = schema_in.json_schema, schema_out.json_schema
    definitions: Mapping[str, Any] = schema.get("$defs", {})
    fields: Mapping[str, Any] = schema.get("properties", {})
    parameters = {name: inlined(each, definitions) for name, each in fields.items()}
    required = sorted(schema.get("required", ()))
    defaults = {name: each["default"] for name, each in fields.items() if "default" in each}
    plain = inlined(result, result.get("$defs", {}))
    return _Said(_contract_digest(parameters, required, defaults, plain), parameters, required, defaults, plain)


def _contract_digest(*said: object) -> str:
    """The digest of parameters, required ones, defaults and result."""
    return digest(canonical_text(list(said)))


def _governed(facts: Facts, policies: Mapping[str, Policies]) -> dict[str, Any]:
    """The facts and policies as plain values."""
    said: dict[str, Any] = {
        "effect": facts.effect.value,
        "risk": facts.risk.value,
        "permissions": sorted(facts.permissions),
        "visibility": facts.visibility.value,
        "classification": list(facts.classification.words()) if facts.classification else [],
        "egress": facts.egress,
        "trusted": facts.trusted,
        "confirm": facts.confirm,
        "tags": sorted(facts.tags),
        "entities": sorted(facts.entities),
    }
    return said | {name: each.model_dump(mode="json") for name, each in sorted(policies.items())}
