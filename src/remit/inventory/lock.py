"""The lock file: digests of the accepted contracts and governance, and what they were computed from.

It is committed beside the inventory. Later changes are reported with the version bump that they need.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from remit.contracts.contract import InputSchema, OutputSchema
from remit.contracts.facts import Facts
from remit.contracts.question import content_digest
from remit.core.checks import check_instances
from remit.inventory.definition import AnyTool
from remit.inventory.governance import PolicyModel
from remit.inventory.operations import Operations
from remit.schemas.compat import inline_references
from remit.schemas.finding import Finding, InventoryError, display_path
from remit.schemas.jsontext import canonical_text

LOCK_FILE_NAME: Final = "inventory.lock"


class LockedOperation(BaseModel):
    """One accepted operation: its digests, and the parameters, result and governance behind them."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    contract: str
    governance: str
    text: str
    parameters: dict[str, dict[str, Any]]
    required: list[str]
    defaults: dict[str, Any]
    result: dict[str, Any]
    governed: dict[str, Any]

    def has_valid_digests(self) -> bool:
        """Whether the digests match the values beside them."""
        computed = self.compute_digests(self.parameters, self.required, self.defaults, self.result, self.governed)
        return computed == (self.contract, self.governance)

    @staticmethod
    def compute_digests(
        parameters: dict[str, Any],
        required: list[str],
        defaults: dict[str, Any],
        result: dict[str, Any],
        governed: dict[str, Any],
    ) -> tuple[str, str]:
        """The digests of a contract and of its governance."""
        return _contract_digest(parameters, required, defaults, result), content_digest(canonical_text(governed))


class Loosening(BaseModel):
    """Changes that loosened governance and were accepted by name, with the reason."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    reason: str
    changes: list[str]


class Lock(BaseModel):
    """All methods by key and all tools by name, and every loosening that was accepted, oldest first."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    format: Literal[1] = 1
    methods: dict[str, LockedOperation]
    tools: dict[str, LockedOperation]
    loosened: list[Loosening] = []

    def to_text(self) -> str:
        """The lock as file text: sorted, with a line for each part that can change on its own."""
        kinds = ",\n".join(
            f' "{kind}": {_format_object("  ", {name: _format_operation(each) for name, each in entries.items()})}'
            for kind, entries in (("methods", self.methods), ("tools", self.tools))
        )
        loosened = ",\n  ".join(_dump_json(each.model_dump(mode="json")) for each in self.loosened)
        last = f',\n "loosened": [\n  {loosened}\n ]' if loosened else ""
        return f'{{\n "format": {self.format},\n{kinds}{last}\n}}\n'


def _dump_json(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _format_object(indent: str, parts: Mapping[str, str]) -> str:
    """A JSON object of JSON parts, one per line."""
    lines = [f"{indent}{_dump_json(name)}: {part}" for name, part in sorted(parts.items())]
    return "{\n" + ",\n".join(lines) + f"\n{indent[:-1]}}}" if lines else "{}"


def _format_operation(operation: LockedOperation) -> str:
    """One operation: a line for each parameter, policy section and other part."""
    parts: dict[str, str] = {}
    for name, value in operation.model_dump(mode="json").items():
        split = name in {"parameters", "governed"}
        parts[name] = (
            _format_object("    ", {each: _dump_json(part) for each, part in value.items()})
            if split
            else _dump_json(value)
        )
    return _format_object("   ", parts)


def build_lock(operations: Operations) -> Lock:
    """The lock of today's code and inventory."""
    check_instances("build_lock", operations=(operations, Operations))
    builder = _LockBuilder()
    methods = {
        key: builder.lock_operation(each.contract, each.facts, each.policies)
        for key, each in operations.methods.items()
    }
    tools = {
        name: builder.lock_operation(each.tool, each.tool.facts, each.policies, dict(each.fixed_values))
        for name, each in operations.tools.items()
    }
    return Lock.model_construct(methods=methods, tools=tools)


def lock_path(operations: Operations) -> Path:
    """The path of an application's lock file."""
    check_instances("lock_path", operations=(operations, Operations))
    return operations.inventory.folder / LOCK_FILE_NAME


def read_lock(path: Path) -> Lock | None:
    """Read a lock file; None if there is none.

    Raises:
        InventoryError: the file is not a valid lock.
    """
    if not path.exists():
        return None
    try:
        return Lock.model_validate_json(path.read_bytes())
    except ValidationError as error:
        line, why = _find_merge_conflict(path.read_bytes()) or (1, _first_error(error))
        what = f"the lock cannot be read: {why}"
        found = Finding(
            code="lock", where=f"{display_path(path)}:{line}", what=what, fix="write it again: remit lock APP"
        )
        raise InventoryError([found]) from error


def _find_merge_conflict(text: bytes) -> tuple[int, str] | None:
    """The line and text of an unresolved merge conflict, if there is one."""
    lines = enumerate(text.splitlines(), start=1)
    return next(
        ((number, "it contains an unresolved merge conflict") for number, line in lines if line.startswith(b"<<<<<<<")),
        None,
    )


def _first_error(error: ValidationError) -> str:
    detail = error.errors(include_url=False)[0]
    return ": ".join([*(str(part) for part in detail["loc"]), detail["msg"]])


class _ContractSnapshot(NamedTuple):
    """Parameters and result of a contract, and their digest."""

    contract: str
    parameters: dict[str, dict[str, Any]]
    required: list[str]
    defaults: dict[str, Any]
    result: dict[str, Any]


class _LockBuilder:
    """Builds locked operations. A tool with the contract of its method shares the method's snapshot."""

    def __init__(self) -> None:
        self._snapshots: dict[tuple[InputSchema[Any], OutputSchema[Any]], _ContractSnapshot] = {}

    def lock_operation(
        self,
        tool: AnyTool,
        facts: Facts,
        policies: Mapping[str, PolicyModel],
        fixed_values: dict[str, JsonValue] | None = None,
    ) -> LockedOperation:
        """The locked form of one operation."""
        sides = (tool.schema_in, tool.schema_out)
        snapshot = self._snapshots.get(sides) or self._snapshots.setdefault(sides, _snapshot_contract(*sides))
        governed = _governance_values(facts, policies) | {"fixed": fixed_values or {}}
        fields: Mapping[str, Any] = tool.schema_in.json_schema.get("properties", {})
        return LockedOperation.model_construct(
            **snapshot._asdict(),
            governance=content_digest(canonical_text(governed)),
            text=content_digest(tool.description, *(each.get("description", "") for each in fields.values())),
            governed=governed,
        )


def _snapshot_contract(schema_in: InputSchema[Any], schema_out: OutputSchema[Any]) -> _ContractSnapshot:
    schema, result = schema_in.json_schema, schema_out.json_schema
    definitions: Mapping[str, Any] = schema.get("$defs", {})
    fields: Mapping[str, Any] = schema.get("properties", {})
    parameters = {name: inline_references(each, definitions) for name, each in fields.items()}
    required = sorted(schema.get("required", ()))
    defaults = {name: each["default"] for name, each in fields.items() if "default" in each}
    plain = inline_references(result, result.get("$defs", {}))
    return _ContractSnapshot(
        _contract_digest(parameters, required, defaults, plain), parameters, required, defaults, plain
    )


def _contract_digest(*parts: object) -> str:
    """The digest of parameters, required names, defaults and result."""
    return content_digest(canonical_text(list(parts)))


def _governance_values(facts: Facts, policies: Mapping[str, PolicyModel]) -> dict[str, Any]:
    """Facts and policies as plain values."""
    values: dict[str, Any] = {
        "effect": facts.effect.value,
        "risk": facts.risk.value,
        "permissions": sorted(facts.permissions),
        "visibility": facts.visibility.value,
        "classification": list(facts.classification.axis_values()) if facts.classification else [],
        "egress": facts.egress,
        "trusted": facts.trusted,
        "confirm": facts.confirm,
        "tags": sorted(facts.tags),
        "entities": sorted(facts.entities),
    }
    return values | {name: each.model_dump(mode="json") for name, each in sorted(policies.items())}
