"""Code and inventory put together: the methods of an application, and the tools derived from them.

Whatever does not fit is found when they are put together, all of it at once, each with its file and line.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import FunctionType, MethodType
from typing import Any, NamedTuple, cast

from pydantic import JsonValue

from remit.contracts.callee import LeafContext
from remit.contracts.classification import Deprecation
from remit.contracts.entries import MethodEntry, Narrowed, OfFunction, ToolEntry, facts_said
from remit.contracts.facts import Facts
from remit.contracts.finding import Finding, InventoryError, place_of, shown
from remit.contracts.governance import BUSINESS, BusinessRules, Policies
from remit.contracts.inventory import Inventory
from remit.contracts.method import (
    Mark,
    MethodModels,
    Parameter,
    description_of,
    enveloped,
    methods_of,
    read_models,
)
from remit.contracts.naming import canonical_name
from remit.contracts.narrowing import narrowed
from remit.contracts.tool import Tool, tool_of
from remit.errors import ContractError, SetupError

AnyTool = Tool[..., Any]
Composed = Callable[[Callable[[str], AnyTool]], Iterable[object]]


class MethodMetadata(NamedTuple):
    """What a method is called, what it is for, and where it is written."""

    key: str
    name: str
    description: str
    code: str
    inventory: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodDefinition:
    """An operation, with everything that is said of it: by types, by the docstring, by the inventory."""

    metadata: MethodMetadata
    facts: Facts
    business_rules: BusinessRules
    policies: Mapping[str, Policies]
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
    """A tool, and what it was derived from: a method, or a function with an entry of its own."""

    name: str
    method: MethodDefinition | None
    policies: Mapping[str, Policies]
    fixed: Mapping[str, JsonValue]
    hidden: tuple[str, ...]
    where: str
    tool: AnyTool

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What a caller may say: the parameters of its method, less what is fixed and hidden."""
        return parameters_of(self.tool)


def parameters_of(tool: AnyTool) -> tuple[Parameter, ...]:
    """The parameters that a tool's JSON schema names."""
    schema = tool.schema_in.json_schema
    required = schema.get("required", ())
    return tuple(
        Parameter(name, kind_of(each), name in required, each) for name, each in schema.get("properties", {}).items()
    )


def kind_of(schema: Mapping[str, Any]) -> str:
    """The type of a parameter in a word or two."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(kind_of(each) for each in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        return " | ".join(repr(each) for each in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"array of {kind_of(schema.get('items', {}))}"
    return str(schema.get("type", "any"))


class Operations:
    """The methods and tools of an application.

    Args:
        inventory: what governs them.
        domains: objects of the application's domain classes, whose methods they are.
        composed: from a way to look up the tools made of ``domains``, the objects whose functions call them, as
            pipelines do.

    Raises:
        InventoryError: code and inventory do not fit, with everything that was found.
    """

    def __init__(self, inventory: Inventory, domains: Iterable[object], *, composed: Composed | None = None) -> None:
        self.inventory = inventory
        given = list(domains)
        self.packages = frozenset(type(each).__module__.partition(".")[0] for each in given)
        binder = _Binder(inventory, given, composed)
        self.methods: Mapping[str, MethodDefinition] = binder.methods()
        self.tools: Mapping[str, ToolDefinition] = binder.tools(self.methods)
        if binder.findings:
            raise InventoryError(binder.findings)

    @property
    def callees(self) -> tuple[AnyTool, ...]:
        """All tools, for agents and applications, in the order of the inventory."""
        return tuple(definition.tool for definition in self.tools.values())

    def tool(self, name: str) -> AnyTool:
        """The tool of that name.

        Raises:
            ContractError: there is none.
        """
        return _tool(self.tools, name)


def _tool(tools: Mapping[str, ToolDefinition], name: str) -> AnyTool:
    if name not in tools:
        raise ContractError(f"the inventory has no tool {name!r}")
    return tools[name].tool


class _Found(NamedTuple):
    owner: str
    function: MethodType
    mark: Mark


class _Binder:
    """Finds the code of each entry, and keeps what does not fit."""

    def __init__(self, inventory: Inventory, domains: list[object], composed: Composed | None) -> None:
        self.findings: list[Finding] = []
        self._inventory = inventory
        self._domains = domains
        self._composed = composed
        self._marked: dict[str, list[_Found]] = {}
        for domain in domains:
            for name, (function, mark) in methods_of(domain).items():
                self._marked.setdefault(name, []).append(_Found(type(domain).__name__, function, mark))

    def methods(self) -> dict[str, MethodDefinition]:
        """The methods, those of the inventory first."""
        found: dict[str, MethodDefinition] = {}
        used: set[tuple[str, str]] = set()
        for key, entry in self._inventory.methods.items():
            code = self._code(entry)
            if code is not None:
                used.add((code.owner, entry.name))
                definition = self._try(entry.where, lambda entry=entry, code=code: self._define(entry, code))
                if definition is not None:
                    found[key] = definition
        for code in (each for several in self._marked.values() for each in several):
            if (code.owner, code.function.__name__) not in used:
                definition = self._unlisted(code)
                if definition is not None:
                    found[definition.metadata.key] = definition
        return found

    def tools(self, methods: Mapping[str, MethodDefinition]) -> dict[str, ToolDefinition]:
        """The tools of the inventory, in its order; those that call others are made when the others are."""
        found: dict[str, ToolDefinition] = {}
        later: list[ToolEntry] = []
        for entry in self._inventory.tools.values():
            if self._composed is not None and isinstance(entry.part, OfFunction) and not self._owners(entry.part):
                later.append(entry)
            else:
                self._tool(found, entry, methods)
        for entry in later if self._compose(found, later) else ():
            self._tool(found, entry, methods)
        found = {name: found[name] for name in self._inventory.tools if name in found}
        for key, method in methods.items():
            if key not in self._inventory.methods:
                self._self_made(found, method)
        return found

    def _compose(self, found: Mapping[str, ToolDefinition], later: Sequence[ToolEntry]) -> bool:
        """Make the objects whose functions call others; not while something is wrong with those others."""
        if self._composed is None or self.findings:
            return False
        try:
            self._domains += self._composed(partial(_tool, found))
        except SetupError as error:
            where = later[0].where if later else f"{shown(self._inventory.folder)}:1"
            self._say("contract", where, error.message, "mend the code or the entry")
        return not self.findings

    def _tool(
        self, found: dict[str, ToolDefinition], entry: ToolEntry, methods: Mapping[str, MethodDefinition]
    ) -> None:
        part = entry.part
        if isinstance(part, OfFunction):
            made = self._try(entry.where, lambda: self._of_function(entry, part))
        else:
            method = methods.get(entry.method)
            made = method and self._try(entry.where, lambda: self._of_method(entry, method, part))
        if made:
            found[entry.name] = made

    def _owners(self, part: OfFunction) -> list[object]:
        """The objects of the class that a function is of."""
        owner = part.function.rpartition(".")[0]
        return [each for each in self._domains if owner in {kind.__name__ for kind in type(each).__mro__}]

    def _self_made(self, found: dict[str, ToolDefinition], method: MethodDefinition) -> None:
        """The tool of a method without an entry, which says all of itself."""
        name, where = canonical_name(method.implementation), method.metadata.code
        if name in found:
            self._say("duplicate-name", where, f"the tool {name} is at {found[name].where} already", "rename one")
            return
        rules: dict[str, Policies] = {BUSINESS: method.business_rules}
        said = _said("", method.implementation, method.facts)
        made = self._try(
            where, lambda: method.contract.governed(method.facts, name=name, description=said, where=where)
        )
        if made is not None:
            stack = self._inventory.table.stack(rules, method.facts)
            found[name] = ToolDefinition(
                name=name, method=method, policies=rules, fixed={}, hidden=(), where=where, tool=made.layer(stack)
            )

    def _code(self, entry: MethodEntry) -> _Found | None:
        said = entry.part.implementation
        owner, _, name = said.rpartition(".") if said else ("", "", entry.name)
        several = [each for each in self._marked.get(name, ()) if owner in {"", each.owner}]
        if len(several) == 1 and several[0].mark.facts is None:
            return several[0]
        if not several:
            there = ", ".join(type(domain).__name__ for domain in self._domains) or "no class"
            what = f"no @method {said or name} among {there}"
            self._say("not-in-code", entry.where, what, "write it and give its object, or remove the entry")
        elif len(several) > 1:
            owners = ", ".join(f"{each.owner}.{name}" for each in several)
            self._say("ambiguous", entry.where, f"{entry.key} may be {owners}", "say which as `implementation`")
        else:
            what = f"the facts of {entry.key} stand in its decorator too ({place_of(several[0].function)})"
            self._say("said-twice", entry.where, what, "remove them there")
        return None

    def _define(self, entry: MethodEntry, code: _Found) -> MethodDefinition:
        rules = cast("BusinessRules", entry.policies[BUSINESS])
        facts = facts_said(entry, entry.part, rules)
        definition = _definition(entry.key, entry.where, code, facts, rules, entry.policies)
        for said, kind in (
            (entry.part.models.request, definition.models.request),
            (entry.part.models.response, definition.models.response),
        ):
            there = kind.__name__ if kind is not None else "none"
            if said and said != there:
                mend = "correct the name, or leave it out: the signature says it"
                self._say("missing-model", entry.where, f"{entry.key} has no model {said}, but {there}", mend)
        return definition

    def _unlisted(self, code: _Found) -> MethodDefinition | None:
        """A method without an entry: its decorator has its facts."""
        facts, where = code.mark.facts, place_of(code.function)
        if facts is None or facts.classification is None:
            what = f"the method {code.owner}.{code.function.__name__} is not in the inventory"
            self._say("not-in-inventory", where, what, "write an entry for it")
            return None
        kind = facts.classification
        key = f"{kind.domain}.{kind.subdomain}.{code.function.__name__}"
        rules = cast("BusinessRules", self._inventory.table.sections[BUSINESS].read({}))
        return self._try(where, lambda: _definition(key, where, code, facts, rules, {}))

    def _of_function(self, entry: ToolEntry, part: OfFunction) -> ToolDefinition:
        name, domains = part.function.rpartition(".")[2], self._owners(part)
        written: object = dict(inspect.getmembers(type(domains[0]))).get(name) if domains else None
        if isinstance(written, Tool):
            raise ContractError(f"the facts of {entry.name} stand in a decorator too; remove them there")
        if not isinstance(written, FunctionType):
            there = ", ".join(type(domain).__name__ for domain in self._domains) or "no class"
            raise ContractError(f"no function {part.function!r} among {there}; write it and give its object")
        function = MethodType(written, domains[0])
        rules = cast("BusinessRules", entry.policies[BUSINESS])
        facts = facts_said(entry, part, rules, part)
        said = _said(part.description, function, facts)
        made = tool_of(function, facts, name=entry.name, description=said, where=entry.where)
        return self._definition(entry, None, made, part)

    def _of_method(self, entry: ToolEntry, method: MethodDefinition, part: Narrowed) -> ToolDefinition:
        rules = cast("BusinessRules", entry.policies[BUSINESS])
        listed = self._inventory.methods[method.metadata.key]
        facts = facts_said(entry, listed.part, rules, part)
        said = _said(part.description, method.implementation, facts)
        name = canonical_name(method.implementation, entry.name)
        if not part.fix and not part.hide:
            made = method.contract.governed(facts, name=name, description=said, where=entry.where)
        else:
            context = method.models.context or LeafContext
            body = narrowed(method.contract, method.models.result, context, part.fix, part.hide)
            made = tool_of(body, facts, name=name, description=said, where=entry.where)
        return self._definition(entry, method, made, part)

    def _definition(
        self, entry: ToolEntry, method: MethodDefinition | None, made: AnyTool, part: Narrowed | OfFunction
    ) -> ToolDefinition:
        narrow = part if isinstance(part, Narrowed) else Narrowed()
        return ToolDefinition(
            name=entry.name,
            method=method,
            policies=entry.policies,
            fixed=narrow.fix,
            hidden=narrow.hide,
            where=entry.where,
            tool=made.layer(self._inventory.table.stack(entry.policies, made.facts, narrow.fix)),
        )

    def _try(self, where: str, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except ContractError as error:
            self._say("contract", where, error.message, "mend the code or the entry")
            return None

    def _say(self, code: str, where: str, what: str, mend: str) -> None:
        self.findings.append(Finding(code=code, where=where, what=what, mend=mend))


def _definition(
    key: str, where: str, code: _Found, facts: Facts, rules: BusinessRules, policies: Mapping[str, Policies]
) -> MethodDefinition:
    function, external = code.function, code.mark.external
    models = read_models(function, external=external)
    body = function if models.request is None else enveloped(function, models)
    description = description_of(function)
    return MethodDefinition(
        metadata=MethodMetadata(key, function.__name__, description, place_of(function), where),
        facts=facts,
        business_rules=rules,
        policies=policies,
        models=models,
        implementation=function,
        external=external,
        contract=tool_of(body, replace(facts, confirm=None), name=canonical_name(function), description=description),
    )


def _said(description: str, function: MethodType, facts: Facts) -> str:
    """What a model is told: the docstring, unless the entry says something else; that it goes, where it does."""
    said = description or description_of(function)
    return f"{_going(facts.deprecation)}{said}" if facts.deprecation else said


def _going(deprecation: Deprecation) -> str:
    instead = f" Use {deprecation.replacement}." if deprecation.replacement else ""
    return f"Deprecated since {deprecation.since}.{instead} "
