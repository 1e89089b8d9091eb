"""Definitions of methods and tools, combined from types, docstrings and the inventory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

from pydantic import BaseModel, JsonValue

from remit.call.callee import Callee
from remit.call.facts import Facts
from remit.call.tool import Tool
from remit.inventory.envelope import Request, Response, derive_request, derive_response, envelope_names
from remit.inventory.governance import BusinessRules, PolicyModel
from remit.inventory.methods import Envelopes, OperationFunction

AnyTool = Tool[..., Any]
AnyCallee = Callee[..., Any]


@runtime_checkable
class DeclaresCalls(Protocol):
    """An object that declares the tools called by its functions, like a pipeline.

    A caller needs the permissions of all calls, or the function would fail midway; `run_checklist` compares them.
    """

    @property
    def calls(self) -> Mapping[Any, Iterable[AnyCallee]]:
        """The callees of each function."""
        ...


class Parameter(NamedTuple):
    """A parameter of an operation."""

    name: str
    type: str
    required: bool
    schema: dict[str, Any]


class MethodMetadata(NamedTuple):
    """Key, description and location of a method."""

    key: str
    description: str
    code_location: str
    inventory_location: str


@dataclass(frozen=True, kw_only=True)
class MethodDefinition:
    """An operation as defined by its types, its docstring and the inventory.

    ``envelopes``: the envelopes that its signature names; without them, `request` and `response` are derived.
    ``owner``: the object or module that has the function, or the function itself. ``calls``: the callees that its
    owner declares.
    """

    metadata: MethodMetadata
    facts: Facts
    business_rules: BusinessRules
    policies: Mapping[str, PolicyModel]
    envelopes: Envelopes | None
    owner: object
    implementation: OperationFunction
    contract: AnyTool
    calls: tuple[AnyCallee, ...]

    @property
    def name(self) -> str:
        """The name of the operation, the last part of its key."""
        return self.metadata.key.rpartition(".")[2]

    @property
    def payload(self) -> type[BaseModel]:
        """The model of its parameters."""
        return cast("type[BaseModel]", self.contract.schema_in.model)

    @property
    def envelope_names(self) -> tuple[str, str]:
        """The names of its request and response."""
        if self.envelopes is None:
            return envelope_names(self.name)
        return self.envelopes.request.__name__, self.envelopes.response.__name__

    @cached_property
    def request(self) -> type[Request[Any]]:
        """Its request envelope."""
        return self.envelopes.request if self.envelopes else derive_request(self.name, self.payload)

    @cached_property
    def response(self) -> type[Response[Any]]:
        """Its response envelope."""
        result_type = self.contract.schema_out.result_type
        return self.envelopes.response if self.envelopes else derive_response(self.name, result_type)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of its payload."""
        return parameters_of(self.contract)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """A tool and its method; None if its facts are in code."""

    name: str
    method: MethodDefinition | None
    policies: Mapping[str, PolicyModel]
    fixed_values: Mapping[str, JsonValue]
    hidden_parameters: tuple[str, ...]
    location: str
    tool: AnyTool

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters that a caller may set: the method's parameters except fixed and hidden ones."""
        return parameters_of(self.tool)


def parameters_of(tool: AnyTool) -> tuple[Parameter, ...]:
    """The parameters in a tool's JSON schema."""
    schema = tool.schema_in.json_schema
    required = schema.get("required", ())
    return tuple(
        Parameter(name, type_label(each), name in required, each) for name, each in schema.get("properties", {}).items()
    )


def type_label(schema: Mapping[str, Any]) -> str:
    """A short label for the type of a parameter."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(type_label(each) for each in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        return " | ".join(repr(each) for each in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"array of {type_label(schema.get('items', {}))}"
    return str(schema.get("type", "any"))
