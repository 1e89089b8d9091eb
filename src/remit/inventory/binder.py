"""Finds the code of each entry of an inventory, makes methods and tools of both, and keeps what does not fit."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import FunctionType, MethodType
from typing import Any, NamedTuple, cast

from remit.contracts.callee import Callee, LeafContext
from remit.contracts.classification import Deprecation
from remit.contracts.facts import Effect, Facts
from remit.contracts.naming import canonical_name
from remit.contracts.tool import Tool, tool_of
from remit.errors import ContractError, SetupError
from remit.inventory.definition import AnyCallee, AnyTool, Composing, MethodDefinition, MethodMetadata, ToolDefinition
from remit.inventory.document import Inventory
from remit.inventory.governance import BUSINESS, BusinessRules, Policies
from remit.inventory.methods import (
    Mark,
    description_of,
    enveloped,
    methods_of,
    read_models,
)
from remit.inventory.narrowing import narrowed
from remit.inventory.schema import MethodEntry, Narrowed, OfFunction, ToolEntry, facts_said
from remit.schemas.finding import Finding, place_of, shown

Composed = Callable[[Callable[[str], AnyTool]], Iterable[object]]


class Made(NamedTuple):
    """Methods and tools of a slice that were made before."""

    methods: Mapping[str, MethodDefinition]
    tools: Mapping[str, ToolDefinition]


def named(tools: Mapping[str, ToolDefinition], name: str) -> AnyTool:
    """The tool of that name.

    Raises:
        ContractError: there is none.
    """
    if name not in tools:
        raise ContractError(f"the inventory has no tool {name!r}")
    return tools[name].tool


class _Found(NamedTuple):
    owner: str
    function: MethodType
    mark: Mark


class Binder:
    """Finds the code of each entry, and keeps what does not fit.

    Args:
        made: what need not be made again.
    """

    def __init__(
        self, inventory: Inventory, domains: list[object], composed: Composed | None, made: Sequence[Made] = ()
    ) -> None:
        self.findings: list[Finding] = []
        self._inventory = inventory
        self._domains = domains
        self._composed = composed
        self._made = made
        self._marked: dict[str, list[_Found]] = {}
        for domain in domains:
            for name, (function, mark) in methods_of(domain).items():
                self._marked.setdefault(name, []).append(_Found(type(domain).__name__, function, mark))

    def methods(self) -> dict[str, MethodDefinition]:
        """The methods, those of the inventory first."""
        known = [method for part in self._made for method in part.methods.values()]
        found = {method.metadata.key: method for method in known if self._is_listed(method)}
        used: set[tuple[str, str]] = set()
        for key, entry in self._inventory.methods.items():
            code = None if key in found else self._code(entry)
            if code is not None:
                used.add((code.owner, entry.name))
                definition = self._try(entry.where, lambda entry=entry, code=code: self._define(entry, code))
                if definition is not None:
                    found[key] = definition
        found = {key: found[key] for key in self._inventory.methods if key in found}
        codes = (each for several in self._marked.values() for each in several)
        left = (each for each in codes if (each.owner, each.function.__name__) not in used)
        unlisted = (self._unlisted(each) for each in left if not self._is_bound(each))
        for method in (*(each for each in known if not self._is_listed(each)), *unlisted):
            if method is not None:
                self._enter(found, method)
        return found

    def tools(self, methods: Mapping[str, MethodDefinition]) -> dict[str, ToolDefinition]:
        """The tools of the inventory, in its order; those that call others are made when the others are."""
        made = [tool for part in self._made for tool in part.tools.values()]
        alone = {tool.method.metadata.key: tool for tool in made if tool.method and not self._is_listed(tool.method)}
        before = {tool.name: tool for tool in made if tool.method is None or self._is_listed(tool.method)}
        found, later = dict(before), list[ToolEntry]()
        for entry in (each for name, each in self._inventory.tools.items() if name not in before):
            if self._composed is not None and isinstance(entry.part, OfFunction) and not self._owners(entry.part):
                later.append(entry)
            else:
                self._tool(found, entry, methods)
        for entry in later if self._compose(found, later) else ():
            self._tool(found, entry, methods)
        found = {name: found[name] for name in self._inventory.tools if name in found}
        for key, method in methods.items():
            if key not in self._inventory.methods:
                self._self_made(found, method, alone.get(key))
        return found

    def _is_bound(self, code: _Found) -> bool:
        """Whether a part has the method of an object that was given again. That is said, of the object."""
        for part in self._made:
            for method in part.methods.values():
                if method.implementation.__func__ is code.function.__func__:
                    what = f"the method {code.owner}.{code.function.__name__} is bound by a part already"
                    self._say("bound-twice", place_of(code.function), what, f"leave the object of {code.owner} out")
                    return True
        return False

    def _enter(self, found: dict[str, MethodDefinition], method: MethodDefinition) -> None:
        """Take up a method without an entry, unless there is one of its key."""
        key, where = method.metadata.key, method.metadata.inventory
        if key in found:
            what = f"the method {key} is at {found[key].metadata.inventory} already"
            self._say("duplicate-name", where, what, "rename one")
        elif key not in self._inventory.methods:  # of whose entry something is said already
            found[key] = method

    def _is_listed(self, method: MethodDefinition) -> bool:
        """Whether it is of an entry. What has none may have the key of one."""
        entry = self._inventory.methods.get(method.metadata.key)
        return entry is not None and entry.where == method.metadata.inventory

    def _compose(self, found: Mapping[str, ToolDefinition], later: Sequence[ToolEntry]) -> bool:
        """Make the objects whose functions call others; not while something is wrong with those others."""
        if self._composed is None or self.findings:
            return False
        try:
            made = _objects(self._composed(partial(named, found)))
            silent = [type(each).__name__ for each in made if not isinstance(each, Composing)]
            if silent:
                raise ContractError(f"{silent[0]} has no `calls`, which say what its functions call")
            self._domains += made
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

    def _self_made(
        self, found: dict[str, ToolDefinition], method: MethodDefinition, known: ToolDefinition | None
    ) -> None:
        """The tool of a method without an entry, which says all of itself."""
        name, where = canonical_name(method.implementation), method.metadata.code
        if name in found:
            self._say("duplicate-name", where, f"the tool {name} is at {found[name].where} already", "rename one")
            return
        if known is not None:
            found[name] = known
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
        return self._definition(entry, None, made, part, _calls(domains[0], function, part))

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
        self,
        entry: ToolEntry,
        method: MethodDefinition | None,
        made: AnyTool,
        part: Narrowed | OfFunction,
        calls: tuple[AnyCallee, ...] = (),
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
            calls=calls,
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


def _calls(owner: object, function: MethodType, part: OfFunction) -> tuple[AnyCallee, ...]:
    """What a function calls, if its object says it of any."""
    if not isinstance(owner, Composing):
        return ()
    calls = _by_function(type(owner).__name__, owner.calls).get(function)
    if calls is None and part.effect is Effect.COMPOSED:
        raise ContractError(f"{part.function} calls others; name them in the `calls` of its object")
    return _callees(part.function, calls)


def _by_function(owner: str, calls: object) -> Mapping[object, object]:
    """What an object says that its functions call, if it says it by function."""
    if not isinstance(calls, Mapping):
        raise ContractError(f"the `calls` of {owner} are no mapping; name for each function the callees it calls")
    return cast("Mapping[object, object]", calls)


def _callees(function: str, calls: object) -> tuple[AnyCallee, ...]:
    """What a function says it calls, if those are callees."""
    if calls is None:
        return ()
    if not isinstance(calls, Iterable):
        raise ContractError(f"the `calls` of {function} are {calls!r}; give a list of the callees it calls")
    several = tuple(cast("Iterable[object]", calls))
    for each in several:
        if not isinstance(each, Callee):
            raise ContractError(f"the `calls` of {function} name {each!r}, which is no callee; name tools or agents")
    return cast("tuple[AnyCallee, ...]", several)


def _objects(given: object) -> list[object]:
    """The objects that `composed` gave."""
    if not isinstance(given, Iterable):
        raise ContractError(f"`composed` gave {given!r}; give a list of the objects whose functions call tools")
    return list(cast("Iterable[object]", given))


def _said(description: str, function: MethodType, facts: Facts) -> str:
    """What a model is told: the docstring, unless the entry says something else; that it goes, where it does."""
    said = description or description_of(function)
    return f"{_going(facts.deprecation)}{said}" if facts.deprecation else said


def _going(deprecation: Deprecation) -> str:
    instead = f" Use {deprecation.replacement}." if deprecation.replacement else ""
    return f"Deprecated since {deprecation.since}.{instead} "
