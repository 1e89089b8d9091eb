"""What is said of a method and of a tool: by types, by the docstring, by the inventory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MethodType
from typing import Any, NamedTuple, Protocol, runtime_checkable

from pydantic import JsonValue

from remit.contracts.callee import Callee
from remit.contracts.facts import Facts
from remit.contracts.tool import Tool
from remit.inventory.governance import BusinessRules, PolicyModel
from remit.inventory.methods import MethodModels, Parameter

AnyTool = Tool[..., Any]
AnyCallee = Callee[..., Any]


@runtime_checkable
class DeclaresCalls(Protocol):
    """An object whose functions call others, as a pipeline does, and which says so.

    Whoever may call such a function should be allowed each of its calls, or is refused midway: `check` looks at that.
    """

    @property
    def calls(self) -> Mapping[Any, Iterable[AnyCallee]]:
        """By each of its functions, the callees that this one calls."""
        ...


class MethodMetadata(NamedTuple):
    """What a method is called, what it is for, and where it is written."""

    key: str
    name: str
    description: str
    code_location: str
    inventory_location: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodDefinition:
    """An operation, with everything that is said of it: by types, by the docstring, by the inventory."""

    metadata: MethodMetadata
    facts: Facts
    business_rules: BusinessRules
    policies: Mapping[str, PolicyModel]
    models: MethodModels
    implementation: MethodType
    external: bool
    contract: AnyTool

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its parameters, as its payload says them."""
        return parameters_of(self.contract)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """A tool, and what it was derived from: a method, or a function with an entry of its own.

    ``calls``: the callees of a function that says which it calls.
    """

    name: str
    method: MethodDefinition | None
    policies: Mapping[str, PolicyModel]
    fixed_values: Mapping[str, JsonValue]
    hidden_parameters: tuple[str, ...]
    location: str
    tool: AnyTool
    calls: tuple[AnyCallee, ...] = ()

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What a caller may say: the parameters of its method, less what is fixed and hidden."""
        return parameters_of(self.tool)


def parameters_of(tool: AnyTool) -> tuple[Parameter, ...]:
    """The parameters that a tool's JSON schema names."""
    schema = tool.schema_in.json_schema
    required = schema.get("required", ())
    return tuple(
        Parameter(name, type_label(each), name in required, each) for name, each in schema.get("properties", {}).items()
    )


def type_label(schema: Mapping[str, Any]) -> str:
    """The type of a parameter in a word or two."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(type_label(each) for each in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        return " | ".join(repr(each) for each in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"array of {type_label(schema.get('items', {}))}"
    return str(schema.get("type", "any"))
