"""Binds the entries of an inventory to code: finds each entry's function and builds methods and tools."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import FunctionType, MethodType
from typing import Any, NamedTuple, cast

from remit.contracts.callee import LeafContext
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
from remit.inventory.governance import BUSINESS_RULES, BusinessRules, PolicyModel
from remit.inventory.methods import (
    MethodMark,
    description_of,
    methods_of,
    read_models,
    wrap_in_envelope,
)
from remit.inventory.narrowing import narrow_tool_body
from remit.inventory.schema import FunctionToolSpec, MethodEntry, ToolEntry, ToolSpec, build_entry_facts
from remit.schemas.finding import Finding, display_path, locate_function

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


class _MarkedMethod(NamedTuple):
    class_name: str
    function: MethodType
    mark: MethodMark


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
        self._marked_methods: dict[str, list[_MarkedMethod]] = {}
        self._code_tools = [cast("AnyTool", each) for each in domain_objects if isinstance(each, Tool)]
        self._domain_objects = [each for each in domain_objects if not isinstance(each, Tool)]
        for domain in self._domain_objects:
            for name, (function, mark) in methods_of(domain).items():
                self._marked_methods.setdefault(name, []).append(_MarkedMethod(type(domain).__name__, function, mark))

    def bind_methods(self) -> dict[str, MethodDefinition]:
        """The methods by key, those of the inventory first."""
        already_bound = [method for part in self._bound_slices for method in part.methods.values()]
        found = {method.metadata.key: method for method in already_bound if self._is_listed(method)}
        matched: set[tuple[str, str]] = set()
        for key, entry in self._inventory.methods.items():
            code = None if key in found else self._find_implementation(entry)
            if code is not None:
                matched.add((code.class_name, entry.name))
                definition = self._try_or_report(
                    entry.location, lambda entry=entry, code=code: self._define_method(entry, code)
                )
                if definition is not None:
                    found[key] = definition
        found = {key: found[key] for key in self._inventory.methods if key in found}
        candidates = (each for several in self._marked_methods.values() for each in several)
        unmatched = (each for each in candidates if (each.class_name, each.function.__name__) not in matched)
        unlisted = (self._define_unlisted_method(each) for each in unmatched if not self._is_already_bound(each))
        for method in (*(each for each in already_bound if not self._is_listed(each)), *unlisted):
            if method is not None:
                self._add_unlisted_method(found, method)
        return found

    def bind_tools(self, methods: Mapping[str, MethodDefinition]) -> dict[str, ToolDefinition]:
        """The tools by name, in the inventory's order. Composed tools are built after those they call."""
        already_bound = [tool for part in self._bound_slices for tool in part.tools.values()]
        unlisted_tools = {
            tool.method.metadata.key: tool for tool in already_bound if tool.method and not self._is_listed(tool.method)
        }
        listed_tools = {
            tool.name: tool for tool in already_bound if tool.method is None or self._is_listed(tool.method)
        }
        found, composed_entries = dict(listed_tools), list[ToolEntry]()
        for entry in (each for name, each in self._inventory.tools.items() if name not in listed_tools):
            if (
                self._compose_function is not None
                and isinstance(entry.spec, FunctionToolSpec)
                and not self._instances_for(entry.spec)
            ):
                composed_entries.append(entry)
            else:
                self._bind_tool(found, entry, methods)
        for entry in composed_entries if self._compose_objects(found, composed_entries) else ():
            self._bind_tool(found, entry, methods)
        found = {name: found[name] for name in self._inventory.tools if name in found}
        for key, method in methods.items():
            if key not in self._inventory.methods:
                self._add_unlisted_tool(found, method, unlisted_tools.get(key))
        own = (_define_code_tool(tool) for tool in self._code_tools)
        for definition in (*(each for each in listed_tools.values() if not each.policies), *own):
            if definition.name in found:
                self._report_duplicate(definition.location, found[definition.name])
            found[definition.name] = definition
        return found

    def _is_already_bound(self, candidate: _MarkedMethod) -> bool:
        """Whether a bound slice already has this method of an object that was passed twice, which is reported."""
        for part in self._bound_slices:
            for method in part.methods.values():
                if method.implementation.__func__ is candidate.function.__func__:
                    what = f"the method {candidate.class_name}.{candidate.function.__name__} is already bound by a part"
                    self._report(
                        "bound-twice",
                        locate_function(candidate.function),
                        what,
                        f"do not pass the object of {candidate.class_name} again",
                    )
                    return True
        return False

    def _add_unlisted_method(self, found: dict[str, MethodDefinition], method: MethodDefinition) -> None:
        """Add a method without an entry, unless its key is taken."""
        key, where = method.metadata.key, method.metadata.inventory_location
        if key in found:
            what = f"the method {key} is already defined at {found[key].metadata.inventory_location}"
            self._report("duplicate-name", where, what, "rename one")
        elif key not in self._inventory.methods:  # of whose entry something is said already
            found[key] = method

    def _is_listed(self, method: MethodDefinition) -> bool:
        """Whether the inventory has an entry for this very method. An unlisted method may share a key."""
        entry = self._inventory.methods.get(method.metadata.key)
        return entry is not None and entry.location == method.metadata.inventory_location

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

    def _instances_for(self, spec: FunctionToolSpec) -> list[object]:
        """The objects of the class that a function belongs to."""
        owner = spec.function.rpartition(".")[0]
        return [each for each in self._domain_objects if owner in {kind.__name__ for kind in type(each).__mro__}]

    def _add_unlisted_tool(
        self, found: dict[str, ToolDefinition], method: MethodDefinition, existing: ToolDefinition | None
    ) -> None:
        """Add the tool of a method without an entry; the method's decorator declares everything."""
        name, where = canonical_name(method.implementation), method.metadata.code_location
        if name in found:
            self._report_duplicate(where, found[name])
            return
        if existing is not None:
            found[name] = existing
            return
        rules: dict[str, PolicyModel] = {BUSINESS_RULES: method.business_rules}
        description = _describe_for_model("", method.implementation, method.facts)
        made = self._try_or_report(
            where, lambda: method.contract.with_facts(method.facts, name=name, description=description, where=where)
        )
        if made is not None:
            stack = self._inventory.policy_table.build_stack(rules, method.facts)
            found[name] = ToolDefinition(
                name=name,
                method=method,
                policies=rules,
                fixed_values={},
                hidden_parameters=(),
                location=where,
                tool=made.layer(stack),
            )

    def _find_implementation(self, entry: MethodEntry) -> _MarkedMethod | None:
        implementation = entry.spec.implementation
        owner, _, name = implementation.rpartition(".") if implementation else ("", "", entry.name)
        candidates = [each for each in self._marked_methods.get(name, ()) if owner in {"", each.class_name}]
        if len(candidates) == 1 and candidates[0].mark.facts is None:
            return candidates[0]
        if not candidates:
            listed = ", ".join(type(domain).__name__ for domain in self._domain_objects) or "no class"
            what = f"no @method {implementation or name} among {listed}"
            self._report("not-in-code", entry.location, what, "write it and pass its object, or remove the entry")
        elif len(candidates) > 1:
            owners = ", ".join(f"{each.class_name}.{name}" for each in candidates)
            self._report("ambiguous", entry.location, f"{entry.key} may be {owners}", "name one as `implementation`")
        else:
            what = f"the facts of {entry.key} are also in its decorator ({locate_function(candidates[0].function)})"
            self._report("said-twice", entry.location, what, "remove them there")
        return None

    def _define_method(self, entry: MethodEntry, marked: _MarkedMethod) -> MethodDefinition:
        rules = cast("BusinessRules", entry.policies[BUSINESS_RULES])
        facts = build_entry_facts(entry, entry.spec, rules)
        definition = _build_method_definition(entry.key, entry.location, marked, facts, rules, entry.policies)
        for declared_name, kind in (
            (entry.spec.models.request, definition.models.request),
            (entry.spec.models.response, definition.models.response),
        ):
            actual_name = kind.__name__ if kind is not None else "none"
            if declared_name and declared_name != actual_name:
                mend = "correct the name, or remove it: the signature defines it"
                self._report(
                    "missing-model",
                    entry.location,
                    f"{entry.key} has no model {declared_name}, but {actual_name}",
                    mend,
                )
        return definition

    def _define_unlisted_method(self, marked: _MarkedMethod) -> MethodDefinition | None:
        """Define a method without an entry, from the facts of its decorator."""
        facts, where = marked.mark.facts, locate_function(marked.function)
        if facts is None or facts.classification is None:
            what = f"the method {marked.class_name}.{marked.function.__name__} is not in the inventory"
            self._report("not-in-inventory", where, what, "write an entry for it")
            return None
        classification = facts.classification
        key = f"{classification.domain}.{classification.subdomain}.{marked.function.__name__}"
        rules = cast("BusinessRules", self._inventory.policy_table.sections[BUSINESS_RULES].parse({}))
        return self._try_or_report(where, lambda: _build_method_definition(key, where, marked, facts, rules, {}))

    def _define_function_tool(self, entry: ToolEntry, spec: FunctionToolSpec) -> ToolDefinition:
        name, instances = spec.function.rpartition(".")[2], self._instances_for(spec)
        attribute: object = dict(inspect.getmembers(type(instances[0]))).get(name) if instances else None
        if isinstance(attribute, Tool):
            raise ContractError(f"the facts of {entry.name} are also in a decorator; remove them there")
        if not isinstance(attribute, FunctionType):
            listed = ", ".join(type(domain).__name__ for domain in self._domain_objects) or "no class"
            raise ContractError(f"no function {spec.function!r} among {listed}; write it and pass its object")
        function = MethodType(attribute, instances[0])
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
            context = method.models.context_type or LeafContext
            body = narrow_tool_body(method.contract, method.models.result_type, context, spec.fix, spec.hide)
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

    def _report_duplicate(self, where: str, existing: ToolDefinition) -> None:
        what = f"the tool {existing.name} is already defined at {existing.location}"
        self._report("duplicate-name", where, what, "rename one")

    def _report(self, code: str, where: str, what: str, fix: str) -> None:
        self.findings.append(Finding(code=code, where=where, what=what, fix=fix))


def _build_method_definition(
    key: str, where: str, marked: _MarkedMethod, facts: Facts, rules: BusinessRules, policies: Mapping[str, PolicyModel]
) -> MethodDefinition:
    function, external = marked.function, marked.mark.external
    models = read_models(function, external=external)
    body = function if models.request is None else wrap_in_envelope(function, models)
    description = description_of(function)
    return MethodDefinition(
        metadata=MethodMetadata(key, function.__name__, description, locate_function(function), where),
        facts=facts,
        business_rules=rules,
        policies=policies,
        models=models,
        implementation=function,
        external=external,
        contract=build_tool(body, replace(facts, confirm=None), name=canonical_name(function), description=description),
    )


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
