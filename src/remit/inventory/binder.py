"""Binds the entries of an inventory to code: finds each entry's function and builds methods and tools."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import FunctionType, MethodType
from typing import Any, NamedTuple, cast

from remit.contracts.classification import Deprecation
from remit.contracts.facts import Facts
from remit.contracts.naming import canonical_name
from remit.contracts.tool import Tool, build_tool
from remit.errors import ContractError, SetupError
from remit.inventory.declared_calls import check_composed_objects, declared_calls
from remit.inventory.definition import (
    AnyCallee,
    AnyTool,
    DeclaresCalls,
    MethodDefinition,
    MethodMetadata,
    ToolDefinition,
)
from remit.inventory.document import Inventory
from remit.inventory.governance import BUSINESS_RULES, BusinessRules
from remit.inventory.methods import description_of, read_envelopes, wrap_in_envelope
from remit.inventory.narrowing import narrow_tool_body
from remit.inventory.schema import FunctionToolSpec, MethodEntry, ToolEntry, ToolSpec, build_entry_facts
from remit.schemas.finding import Finding, display_path, locate_field, locate_function

ComposeFunction = Callable[[Callable[[str], AnyTool]], Iterable[object]]


class BoundSlice(NamedTuple):
    """Methods and tools of a slice that are bound already."""

    methods: Mapping[str, MethodDefinition]
    tools: Mapping[str, ToolDefinition]


def find_tool(tools: Mapping[str, ToolDefinition], name: str) -> AnyTool:
    """The tool of that name.

    Raises:
        ContractError: there is none.
    """
    if name not in tools:
        raise ContractError(f"the inventory has no tool {name!r}")
    return tools[name].tool


class Binder:
    """Finds the code of each entry and collects findings for entries that do not fit.

    Args:
        bound_slices: slices that are bound already and are reused.
    """

    def __init__(
        self,
        inventory: Inventory,
        domain_objects: list[object],
        compose: ComposeFunction | None,
        bound_slices: Sequence[BoundSlice] = (),
    ) -> None:
        self.findings: list[Finding] = []
        self._inventory = inventory
        self._compose_function = compose
        self._bound_slices = bound_slices
        self._code_tools = [cast("AnyTool", each) for each in domain_objects if isinstance(each, Tool)]
        self._domain_objects = [each for each in domain_objects if not isinstance(each, Tool)]
        self._unused = list(self._domain_objects)

    def bind_methods(self) -> dict[str, MethodDefinition]:
        """The methods by key, in the inventory's order."""
        bound = {key: each for part in self._bound_slices for key, each in part.methods.items()}
        found: dict[str, MethodDefinition] = {}
        for key, entry in self._inventory.methods.items():
            definition = bound.get(key) or self._try_or_report(
                entry.location, lambda entry=entry: self._define_method(entry)
            )
            if definition is not None:
                found[key] = definition
        return found

    def bind_tools(self, methods: Mapping[str, MethodDefinition]) -> dict[str, ToolDefinition]:
        """The tools by name, in the inventory's order. Composed tools are built after those they call."""
        bound = [tool for part in self._bound_slices for tool in part.tools.values()]
        found, composed_entries = {tool.name: tool for tool in bound if tool.policies}, list[ToolEntry]()
        for entry in [each for name, each in self._inventory.tools.items() if name not in found]:
            if (
                self._compose_function is not None
                and isinstance(entry.spec, FunctionToolSpec)
                and not self._instances_of(entry.spec.function)
            ):
                composed_entries.append(entry)
            else:
                self._bind_tool(found, entry, methods)
        for entry in composed_entries if self._compose_objects(found, composed_entries) else ():
            self._bind_tool(found, entry, methods)
        found = {name: found[name] for name in self._inventory.tools if name in found}
        own = (_define_code_tool(tool) for tool in self._code_tools)
        for definition in (*(each for each in bound if not each.policies), *own):
            if definition.name in found:
                what = f"the tool {definition.name} is already defined at {found[definition.name].location}"
                self._report("duplicate-name", definition.location, what, "rename one")
            found[definition.name] = definition
        self._report_unused_objects()
        return found

    def _report_unused_objects(self) -> None:
        """Report objects of which no entry names a function, unless another finding may be the reason."""
        for each in () if self.findings else self._unused:
            where = locate_field(type(each), "")
            what = f"no entry needs an object of {type(each).__name__}"
            self._report("not-in-inventory", where, what, "write entries for its operations, or do not pass it")

    def _compose_objects(self, found: Mapping[str, ToolDefinition], composed_entries: Sequence[ToolEntry]) -> bool:
        """Create the objects whose functions call tools. Skipped while the called tools have findings."""
        if self._compose_function is None or self.findings:
            return False
        try:
            new_objects = check_composed_objects(self._compose_function(partial(find_tool, found)))
            without_calls = [type(each).__name__ for each in new_objects if not isinstance(each, DeclaresCalls)]
            if without_calls:
                raise ContractError(f"{without_calls[0]} has no `calls`; declare there what its functions call")
            self._domain_objects += new_objects
        except SetupError as error:
            where = composed_entries[0].location if composed_entries else f"{display_path(self._inventory.folder)}:1"
            self._report("contract", where, error.message, "correct the code or the entry")
        return not self.findings

    def _bind_tool(
        self, found: dict[str, ToolDefinition], entry: ToolEntry, methods: Mapping[str, MethodDefinition]
    ) -> None:
        spec = entry.spec
        if isinstance(spec, FunctionToolSpec):
            definition = self._try_or_report(entry.location, lambda: self._define_function_tool(entry, spec))
        else:
            method = methods.get(entry.method)
            definition = method and self._try_or_report(
                entry.location, lambda: self._define_method_tool(entry, method, spec)
            )
        if definition:
            found[entry.name] = definition

    def _instances_of(self, function: str) -> list[object]:
        """The objects of the class that a function ``Class.name`` belongs to."""
        owner = function.rpartition(".")[0]
        return [each for each in self._domain_objects if owner in {kind.__name__ for kind in type(each).__mro__}]

    def _bind_function(self, instance: object, name: str, entry_name: str) -> MethodType | None:
        """The function of that name of an object; None if it has none.

        Raises:
            ContractError: it is a tool, whose facts are in code.
        """
        attribute: object = inspect.getattr_static(type(instance), name, None)
        if isinstance(attribute, Tool):
            raise ContractError(f"the facts of {entry_name} are also in a decorator; remove them there")
        if not isinstance(attribute, FunctionType):
            return None
        self._unused = [each for each in self._unused if each is not instance]
        return MethodType(attribute, instance)

    def _find_implementation(self, entry: MethodEntry) -> MethodType | None:
        given = entry.spec.implementation
        name = given.rpartition(".")[2] or entry.name
        instances = self._instances_of(given) if given else self._domain_objects
        candidates = [(type(each).__name__, self._bind_function(each, name, entry.key)) for each in instances]
        found = [(owner, function) for owner, function in candidates if function is not None]
        if len(found) == 1:
            return found[0][1]
        if not found:
            what = f"no function {given or name} among {self._list_classes()}"
            self._report("not-in-code", entry.location, what, "write it and pass its object, or remove the entry")
        else:
            owners = ", ".join(f"{owner}.{name}" for owner, _ in found)
            self._report("ambiguous", entry.location, f"{entry.key} may be {owners}", "name one as `implementation`")
        return None

    def _list_classes(self) -> str:
        return ", ".join(type(domain).__name__ for domain in self._domain_objects) or "no class"

    def _define_method(self, entry: MethodEntry) -> MethodDefinition | None:
        function = self._find_implementation(entry)
        if function is None:
            return None
        rules = cast("BusinessRules", entry.policies[BUSINESS_RULES])
        facts, envelopes = build_entry_facts(entry, entry.spec, rules), read_envelopes(function)
        body = function if envelopes is None else wrap_in_envelope(function, envelopes)
        description, name = description_of(function), canonical_name(function)
        definition = MethodDefinition(
            metadata=MethodMetadata(entry.key, description, locate_function(function), entry.location),
            facts=facts,
            business_rules=rules,
            policies=entry.policies,
            envelopes=envelopes,
            implementation=function,
            contract=build_tool(body, facts, name=name, description=description),
        )
        for declared in ("request", "response"):
            declared_name, actual = getattr(entry.spec.models, declared), getattr(definition, declared).__name__
            if declared_name not in {"", actual}:
                what = f"{entry.key} has no model {declared_name}, but {actual}"
                mend = "correct the name, or remove it: the signature defines it"
                self._report("missing-model", entry.location, what, mend)
        return definition

    def _define_function_tool(self, entry: ToolEntry, spec: FunctionToolSpec) -> ToolDefinition:
        instances = self._instances_of(spec.function)
        name = spec.function.rpartition(".")[2]
        function = self._bind_function(instances[0], name, entry.name) if instances else None
        if function is None:
            raise ContractError(
                f"no function {spec.function!r} among {self._list_classes()}; write it and pass its object"
            )
        rules = cast("BusinessRules", entry.policies[BUSINESS_RULES])
        facts = build_entry_facts(entry, spec, rules, spec)
        description = _describe_for_model(spec.description, function, facts)
        made = build_tool(function, facts, name=entry.name, description=description, where=entry.location)
        return self._build_tool_definition(entry, None, made, spec, declared_calls(instances[0], function, spec))

    def _define_method_tool(self, entry: ToolEntry, method: MethodDefinition, spec: ToolSpec) -> ToolDefinition:
        rules = cast("BusinessRules", entry.policies[BUSINESS_RULES])
        method_entry = self._inventory.methods[method.metadata.key]
        facts = build_entry_facts(entry, method_entry.spec, rules, spec)
        description = _describe_for_model(spec.description, method.implementation, facts)
        name = canonical_name(method.implementation, entry.name)
        if not spec.fix and not spec.hide:
            made = method.contract.with_facts(facts, name=name, description=description, where=entry.location)
        else:
            body = narrow_tool_body(method.contract, spec.fix, spec.hide)
            made = build_tool(body, facts, name=name, description=description, where=entry.location)
        return self._build_tool_definition(entry, method, made, spec)

    def _build_tool_definition(
        self,
        entry: ToolEntry,
        method: MethodDefinition | None,
        bare_tool: AnyTool,
        spec: ToolSpec | FunctionToolSpec,
        calls: tuple[AnyCallee, ...] = (),
    ) -> ToolDefinition:
        narrowing = spec if isinstance(spec, ToolSpec) else ToolSpec()
        return ToolDefinition(
            name=entry.name,
            method=method,
            policies=entry.policies,
            fixed_values=narrowing.fix,
            hidden_parameters=narrowing.hide,
            location=entry.location,
            tool=bare_tool.layer(
                self._inventory.policy_table.build_stack(entry.policies, bare_tool.facts, narrowing.fix)
            ),
            calls=calls,
        )

    def _try_or_report(self, where: str, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except ContractError as error:
            self._report("contract", where, error.message, "correct the code or the entry")
            return None

    def _report(self, code: str, where: str, what: str, fix: str) -> None:
        self.findings.append(Finding(code=code, where=where, what=what, fix=fix))


def _define_code_tool(tool: AnyTool) -> ToolDefinition:
    """A tool whose facts are declared in code: locked and checked like others, without policy of an entry."""
    return ToolDefinition(
        name=tool.name, method=None, policies={}, fixed_values={}, hidden_parameters=(), location=tool.where, tool=tool
    )


def _describe_for_model(description: str, function: MethodType, facts: Facts) -> str:
    """The description for a model: the entry's, else the docstring, after a deprecation notice if any."""
    text = description or description_of(function)
    return f"{_deprecation_notice(facts.deprecation)}{text}" if facts.deprecation else text


def _deprecation_notice(deprecation: Deprecation) -> str:
    instead = f" Use {deprecation.replacement}." if deprecation.replacement else ""
    return f"Deprecated since {deprecation.since}.{instead} "
