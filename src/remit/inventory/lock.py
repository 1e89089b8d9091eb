"""The lock file: digests of the accepted contracts and governance, and the values behind the digests.

It is committed beside the inventory. Later changes are reported with the version bump that they need.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple
from weakref import WeakKeyDictionary

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from remit.agent.agent import Agent
from remit.call.callee import check_callees
from remit.call.contract import InputSchema, OutputSchema
from remit.call.entity import entity_kinds
from remit.call.facts import Facts
from remit.call.schema import Input
from remit.core.checks import check_instances
from remit.inventory.definition import AnyCallee, AnyTool, ToolDefinition
from remit.inventory.governance import PolicyModel
from remit.inventory.locked_agents import agent_text, agent_values, agents_of
from remit.inventory.operations import Operations
from remit.record.arguments import content_digest
from remit.schemas.compat import inline_references
from remit.schemas.finding import Finding, InventoryError, display_path
from remit.schemas.jsontext import canonical_text
from remit.schemas.mistakes import describe_mistake

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
    functions: list[str] = []
    governed: dict[str, Any]

    def has_valid_digests(self) -> bool:
        """Whether the digests match the values next to them."""
        return self.compute_digests() == (self.contract, self.governance)

    def compute_digests(self) -> tuple[str, str]:
        """The digests of the contract and of its governance."""
        contract = (self.parameters, self.required, self.defaults, self.result, *filter(None, [self.functions]))
        return content_digest(canonical_text(list(contract))), content_digest(canonical_text(self.governed))


class Loosening(BaseModel):
    """Accepted changes that loosened governance, by name and with the reason."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    reason: str
    changes: list[str]


class Lock(BaseModel):
    """All methods by key, all tools and agents by name, and every loosening that was accepted, oldest first."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    format: Literal[1] = 1
    methods: dict[str, LockedOperation]
    tools: dict[str, LockedOperation]
    agents: dict[str, LockedOperation] = {}
    loosened: list[Loosening] = []

    def to_text(self) -> str:
        """The lock as file text: sorted, with a line for each part that can change on its own."""
        kinds = ",\n".join(
            f' "{kind}": {_format_object("  ", {name: _format_operation(each) for name, each in entries.items()})}'
            for kind, entries in (("methods", self.methods), ("tools", self.tools), ("agents", self.agents))
            if entries or kind != "agents"
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


def build_lock(operations: Operations, callees: Iterable[AnyCallee] = ()) -> Lock:
    """The lock of today's code and inventory. ``callees``: the application's callees, whose agents are locked."""
    check_instances("build_lock", operations=(operations, Operations))
    offered = agents_of(check_callees("build_lock: callees", callees))
    locked = _LOCKED.get(operations)
    if locked is None or locked.of is not operations.tools:
        locked = _LOCKED[operations] = _lock_operations(operations)
    builder = _LockBuilder()
    agents = {name: builder.lock_agent(each) for name, each in offered.items()}
    return Lock.model_construct(methods={**locked.methods}, tools={**locked.tools}, agents=agents)


class _LockedOperations(NamedTuple):
    """The locked methods and tools of an application, and the tools that are locked."""

    of: Mapping[str, ToolDefinition]
    methods: Mapping[str, LockedOperation]
    tools: Mapping[str, LockedOperation]


_LOCKED: Final = WeakKeyDictionary[Operations, _LockedOperations]()
"""Cached, because each runtime of an application compares them."""


def _lock_operations(operations: Operations) -> _LockedOperations:
    builder = _LockBuilder()
    methods = {
        key: builder.lock_operation(each.contract, each.facts, each.policies)
        for key, each in operations.methods.items()
    }
    tools = {
        name: builder.lock_operation(each.tool, each.tool.facts, each.policies, dict(each.fixed_values))
        for name, each in operations.tools.items()
    }
    return _LockedOperations(operations.tools, methods, tools)


def digest_governance(operations: Operations, callees: Iterable[AnyCallee]) -> str:
    """The digest of an application's governance, without properties from its code alone, such as contracts."""
    methods = {key: _governance_values(each.facts, each.policies) for key, each in operations.methods.items()}
    tools = {
        name: _governance_values(each.tool.facts, each.policies) | {"fixed": dict(each.fixed_values)}
        for name, each in operations.tools.items()
    }
    agents = {
        name: _governance_values(each.facts, {}) | agent_values(each) for name, each in agents_of(callees).items()
    }
    return content_digest(canonical_text([methods, tools, agents]))


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
        return _parse_lock(path.read_bytes())
    except ValidationError as error:
        line, why = _find_merge_conflict(path.read_bytes()) or (1, _first_error(error))
        what = f"the lock cannot be read: {why}"
        fix = 'take it from version control, or write it again: remit lock APP --loosen "the reason"'
        found = Finding(code="lock", where=f"{display_path(path)}:{line}", what=what, fix=fix)
        raise InventoryError([found]) from error


@lru_cache(maxsize=8)
def _parse_lock(content: bytes) -> Lock:
    """Parse a lock; cached, because each runtime of an application reads the same one."""
    return Lock.model_validate_json(content)


def _find_merge_conflict(text: bytes) -> tuple[int, str] | None:
    """The line and text of an unresolved merge conflict, if there is one."""
    lines = enumerate(text.splitlines(), start=1)
    return next(
        ((number, "it contains an unresolved merge conflict") for number, line in lines if line.startswith(b"<<<<<<<")),
        None,
    )


def _first_error(error: ValidationError) -> str:
    detail = error.errors(include_url=False)[0]
    return describe_mistake(detail)


class _ContractSnapshot(NamedTuple):
    """Parameters and result of a contract, and the properties that their schemas do not show."""

    parameters: dict[str, dict[str, Any]]
    required: list[str]
    defaults: dict[str, Any]
    result: dict[str, Any]
    functions: list[str]


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
        return self._lock(tool, _locked_values(tool, facts, policies) | {"fixed": fixed_values or {}})

    def lock_agent(self, agent: Agent) -> LockedOperation:
        """The locked form of one agent."""
        return self._lock(agent, _locked_values(agent, agent.facts, {}) | agent_values(agent), agent_text(agent))

    def _lock(self, callee: AnyCallee, governed: dict[str, Any], *texts: str) -> LockedOperation:
        sides = (callee.schema_in, callee.schema_out)
        snapshot = self._snapshots.get(sides) or self._snapshots.setdefault(sides, _snapshot_contract(*sides))
        fields: Mapping[str, Any] = callee.schema_in.json_schema.get("properties", {})
        descriptions = (each.get("description", "") for each in fields.values())
        text = content_digest(callee.description, *descriptions, *texts)
        made = LockedOperation.model_construct(
            contract="", governance="", text=text, **snapshot._asdict(), governed=governed
        )
        contract, governance = made.compute_digests()
        return made.model_copy(update={"contract": contract, "governance": governance})


def _snapshot_contract(schema_in: InputSchema[Any], schema_out: OutputSchema[Any]) -> _ContractSnapshot:
    schema, result = schema_in.json_schema, schema_out.json_schema
    definitions: Mapping[str, Any] = schema.get("$defs", {})
    fields: Mapping[str, Any] = schema.get("properties", {})
    return _ContractSnapshot(
        parameters={name: inline_references(each, definitions) for name, each in fields.items()},
        required=sorted(schema.get("required", ())),
        defaults=_defaults_of(schema)
        | {f"{kind}.{name}": value for kind, each in definitions.items() for name, value in _defaults_of(each).items()},
        result=inline_references(result, result.get("$defs", {})),
        functions=schema_in.functions if isinstance(schema_in, Input) else [],
    )


def _defaults_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {name: each["default"] for name, each in schema.get("properties", {}).items() if "default" in each}


def _locked_values(callee: AnyCallee, facts: Facts, policies: Mapping[str, PolicyModel]) -> dict[str, Any]:
    """The governance of a callee, with the entities of its result, as plain values."""
    return {"entities": list(entity_kinds(callee.schema_out.result_type))} | _governance_values(facts, policies)


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
    }
    return values | {name: each.model_dump(mode="json") for name, each in sorted(policies.items())}
