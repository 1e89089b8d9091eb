"""Binds the entries of an inventory to code: finds each entry's function and builds methods and tools."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple, cast

from remit.call.call import CallLayer, to_call_layers
from remit.call.classification import Deprecation
from remit.call.facts import Facts
from remit.call.naming import canonical_name
from remit.call.tool import Tool, build_tool
from remit.core import Stack
from remit.errors import ContractError, SetupError
from remit.inventory.declared_calls import check_composed_objects, declared_calls
from remit.inventory.definition import (
    AnyTool,
    DeclaresCalls,
    MethodDefinition,
    MethodMetadata,
    ToolDefinition,
)
from remit.inventory.document import Inventory
from remit.inventory.governance import BUSINESS_RULES, BusinessRules
from remit.inventory.methods import OperationFunction, description_of, read_envelopes, wrap_in_envelope
from remit.inventory.narrowing import narrow_tool_body
from remit.inventory.schema import MethodEntry, ToolEntry, build_entry_facts
from remit.schemas.finding import Finding, display_path, locate_field, locate_function

ComposeFunction = Callable[[Callable[[str], AnyTool]], Iterable[object]]


class Implementation(NamedTuple):
    """The function of an entry, and the domain object that has the function or is the function."""

    owner: object
    function: object


class BoundSlice(NamedTuple):
    """The bound methods and tools of a slice."""

    methods: Mapping[str, MethodDefinition]
    tools: Mapping[str, ToolDefinition]


def facts_of_tool(inventory: Inventory, entry: ToolEntry) -> Facts:
    """The facts that an entry declares for its tool, including its method's facts.

    Raises:
        ContractError: a value does not fit the facts.
    """
    rules = cast("BusinessRules", entry.policies[BUSINESS_RULES])
    return build_entry_facts(entry, inventory.methods[entry.method].spec, rules, entry.spec)


def layers_of_tool(inventory: Inventory, entry: ToolEntry, facts: Facts) -> Stack[CallLayer]:
    """The layers that an entry declares for its tool, outermost first."""
    return to_call_layers(inventory.policy_table.build_stack(entry.policies, facts, entry.spec.fix))


def find_tool(tools: Mapping[str, ToolDefinition], name: str) -> AnyTool:
    """The tool of that name.

    Raises:
        ContractError: it does not exist.
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
        self._domain_objects = domain_objects
        self._unused = list(domain_objects)

    def bind(self) -> BoundSlice:
        """The methods and tools, in the inventory's order. Composed methods come after the tools that they call."""
        methods = {key: each for part in self._bound_slices for key, each in part.methods.items()}
        bound = [tool for part in self._bound_slices for tool in part.tools.values()]
        tools = {tool.name: tool for tool in bound if tool.policies}
        entries = [each for key, each in self._inventory.methods.items() if key not in methods]
        composed = [each for each in entries if self._compose_function is not None and not self._candidates(each)]
        self._bind_entries([each for each in entries if each not in composed], methods, tools)
        if self._compose_objects(tools, composed):
            self._bind_entries(composed, methods, tools)
        tools = {name: tools[name] for name in self._inventory.tools if name in tools}
        own = (_define_code_tool(cast("AnyTool", each)) for each in self._unused if isinstance(each, Tool))
        for definition in (*(each for each in bound if not each.policies), *own):
            if definition.name in tools:
                what = f"the tool {definition.name} is already defined at {tools[definition.name].location}"
                self._report("duplicate-name", definition.location, what, "rename one")
            tools[definition.name] = definition
        self._report_unused_objects()
        return BoundSlice({key: methods[key] for key in self._inventory.methods if key in methods}, tools)

    def _bind_entries(
        self, entries: Sequence[MethodEntry], methods: dict[str, MethodDefinition], tools: dict[str, ToolDefinition]
    ) -> None:
        """Bind methods, then the tools of all bound methods."""
        for entry in entries:
            definition = self._try_or_report(entry.location, lambda entry=entry: self._define_method(entry))
            if definition is not None:
                methods[entry.key] = definition
        for entry in self._inventory.tools.values():
            method = methods.get(entry.method)
            if method is not None and entry.name not in tools:
                made = self._try_or_report(
                    entry.location, lambda entry=entry, method=method: self._define_tool(entry, method)
                )
                if made is not None:
                    tools[entry.name] = made

    def _report_unused_objects(self) -> None:
        """Report objects without a function that an entry names, unless another finding may be the reason."""
        for each in () if self.findings else self._unused:
            if not isinstance(each, Tool):
                what = f"no entry needs {' '.join(_describe_owner(each))}"
                fix = "write entries for its operations, or do not pass it"
                self._report("not-in-inventory", _locate_owner(each), what, fix)

    def _compose_objects(self, found: Mapping[str, ToolDefinition], composed_entries: Sequence[MethodEntry]) -> bool:
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

    def _candidates(self, entry: MethodEntry) -> list[Implementation]:
        """The candidates for the function of an entry."""
        prefix, _, name = entry.spec.implementation.rpartition(".")
        owners = [each for each in self._domain_objects if not prefix or prefix in _owner_names(each)]
        found = [Implementation(each, _find_function(each, name or entry.name)) for each in owners]
        return [each for each in found if isinstance(each.function, FunctionType | Tool)]

    def _find_implementation(self, entry: MethodEntry) -> Implementation | None:
        found = self._candidates(entry)
        name = entry.spec.implementation or entry.name
        if not found:
            owners = ", ".join(_describe_owner(each)[1] for each in self._domain_objects) or "no objects"
            what = f"no function {name} among {owners}"
            self._report(
                "not-in-code", entry.location, what, "write it and pass its object or module, or remove the entry"
            )
            return None
        if len(found) > 1 and not _is_one_function(found):
            owners = ", ".join(_qualified_name(*each) for each in found)
            self._report("ambiguous", entry.location, f"{entry.key} may be {owners}", "name one as `implementation`")
            return None
        owner, function = found[0]
        self._unused = [each for each in self._unused if all(each is not other.owner for other in found)]
        if isinstance(function, Tool):
            function = _unwrap_bare_tool(entry.key, owner, cast("AnyTool", function))
            return Implementation(owner if isinstance(owner, ModuleType) else function, function)
        is_method = not isinstance(owner, ModuleType | FunctionType)
        return Implementation(owner, MethodType(cast("FunctionType", function), owner) if is_method else function)

    def _define_method(self, entry: MethodEntry) -> MethodDefinition | None:
        found = self._find_implementation(entry)
        if found is None:
            return None
        owner, function = found.owner, cast("OperationFunction", found.function)
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
            owner=owner,
            implementation=function,
            contract=build_tool(body, facts, name=name, description=description),
            calls=declared_calls(owner, function, facts.effect),
        )
        for declared, actual in zip(("request", "response"), definition.envelope_names, strict=True):
            declared_name = getattr(entry.spec.models, declared)
            if declared_name not in {"", actual}:
                what = f"{entry.key} has no model {declared_name}, but {actual}"
                mend = "correct the name, or remove it: the signature defines it"
                self._report("missing-model", entry.location, what, mend)
        return definition

    def _define_tool(self, entry: ToolEntry, method: MethodDefinition) -> ToolDefinition:
        spec, facts = entry.spec, facts_of_tool(self._inventory, entry)
        description = _describe_for_model(spec.description, method.implementation, facts)
        name = canonical_name(method.implementation, entry.name)
        if not spec.fix and not spec.hide:
            made = method.contract.with_facts(facts, name=name, description=description, where=entry.location)
        else:
            body = narrow_tool_body(method.contract, spec.fix, spec.hide)
            made = build_tool(body, facts, name=name, description=description, where=entry.location)
        return ToolDefinition(
            name=entry.name,
            method=method,
            policies=entry.policies,
            fixed_values=spec.fix,
            hidden_parameters=spec.hide,
            location=entry.location,
            tool=made.layer(layers_of_tool(self._inventory, entry, facts)),
        )

    def _try_or_report(self, where: str, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except ContractError as error:
            self._report("contract", where, error.message, "correct the code or the entry")
            return None

    def _report(self, code: str, where: str, what: str, fix: str) -> None:
        self.findings.append(Finding(code=code, where=where, what=what, fix=fix))


def _is_one_function(found: Sequence[Implementation]) -> bool:
    """Whether modules that import the same function from each other were found, not several objects of a class."""
    owners = (_unwrap_tool(each.owner) for each in found)
    is_without_object = all(isinstance(each, ModuleType | FunctionType | MethodType) for each in owners)
    return is_without_object and all(each.function is found[0].function for each in found)


def _unwrap_tool(owner: object) -> object:
    return cast("AnyTool", owner).function if isinstance(owner, Tool) else owner


def _owner_names(owner: object) -> set[str]:
    """The names before the dot of `implementation`: a class, or the module of a function, with or without packages."""
    owner = _unwrap_tool(owner)
    if isinstance(owner, ModuleType | FunctionType | MethodType):
        module = owner.__name__ if isinstance(owner, ModuleType) else owner.__module__
        return {module, module.rpartition(".")[2]}
    return {kind.__name__ for kind in type(owner).__mro__}


def _find_function(owner: object, name: str) -> object:
    """The function of that name: the object itself, or one that its module or class has."""
    function = _unwrap_tool(owner)
    if isinstance(function, FunctionType | MethodType):
        return owner if function.__name__ == name else None
    return inspect.getattr_static(owner if isinstance(owner, ModuleType) else type(owner), name, None)


def _unwrap_bare_tool(key: str, owner: object, tool: AnyTool) -> OperationFunction:
    """The function of a tool from a bare ``@tool``: everything else about the tool is declared by the entry."""
    if tool.facts != Facts(declared=False) or not isinstance(owner, ModuleType | Tool):
        raise ContractError(f"the facts of {key} are also in a decorator; remove them there")
    function = cast("OperationFunction", tool.function)
    is_bare = (tool.name, tool.description) == (canonical_name(function), description_of(function))
    if not is_bare or len(tool.layers) or len(tool.functions) > 1:
        what = "a name, description, preview or layers of its own"
        raise ContractError(f"the tool of {key} has {what}; write a bare @tool, and add a preview with `with_tools`")
    return function


def _describe_owner(owner: object) -> tuple[str, str]:
    """The kind of a domain object, and its name."""
    owner = _unwrap_tool(owner)
    if isinstance(owner, ModuleType):
        return "the module", owner.__name__
    if isinstance(owner, FunctionType | MethodType):
        return "the function", owner.__name__
    return "an object of", type(owner).__name__


def _qualified_name(owner: object, function: object) -> str:
    """The name of a candidate in the form of `implementation`."""
    name = cast("OperationFunction", _unwrap_tool(function)).__name__
    names = _owner_names(owner)
    return f"{type(owner).__name__ if type(owner).__name__ in names else max(names, key=len)}.{name}"


def _locate_owner(owner: object) -> str:
    if isinstance(owner, ModuleType):
        file = vars(owner).get("__file__")
        return f"{display_path(file)}:1" if file else owner.__name__
    return locate_function(owner) if isinstance(owner, FunctionType) else locate_field(type(owner), "")


def _define_code_tool(tool: AnyTool) -> ToolDefinition:
    """A tool whose facts are declared in code: locked and checked like others, but without the policy of an entry."""
    return ToolDefinition(
        name=tool.name, method=None, policies={}, fixed_values={}, hidden_parameters=(), location=tool.where, tool=tool
    )


def _describe_for_model(description: str, function: OperationFunction, facts: Facts) -> str:
    """The description for a model: the entry's, or else the docstring, after a deprecation notice if any."""
    text = description or description_of(function)
    return f"{_deprecation_notice(facts.deprecation)}{text}" if facts.deprecation else text


def _deprecation_notice(deprecation: Deprecation) -> str:
    instead = f" Use {deprecation.replacement}." if deprecation.replacement else ""
    return f"Deprecated since {deprecation.since}.{instead} "
