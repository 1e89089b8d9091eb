"""Drift: where code, inventory and lock do not say the same. One report, by the eight points of a checklist."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final, TypeVar

from remit.contracts.call import CallLayer
from remit.contracts.classification import Capability, Complexity, Tier
from remit.contracts.facts import Effect, Facts
from remit.core import Stack
from remit.core.frozen import frozen
from remit.inventory.changes import changes
from remit.inventory.definition import MethodDefinition, ToolDefinition
from remit.inventory.governance import Table
from remit.inventory.lock import lock_file, read_lock
from remit.inventory.methods import forgotten
from remit.inventory.names import unknown_names
from remit.inventory.operations import Operations
from remit.inventory.schema import MethodEntry
from remit.schemas.finding import Finding, InventoryError, place_of, shown
from remit.schemas.garbage import gc_paused

Thing = TypeVar("Thing")

CHECKLIST: Final[dict[str, str]] = {
    "references": "every method of the inventory is in the code, and the models it names are its own",
    "envelopes": "every method takes a {Action}Request of its payload and gives a {Action}Response",
    "inheritance": "every tool names its method, and repeats nothing of it",
    "foreign": "what speaks to a foreign API is marked and classified so, and only that",
    "schema": "every entry is what the schema of the inventory allows",
    "mapping": "the parameters of every tool are those of its method's payload, or fewer",
    "classification": "every tool is classified as its method, and as what it does",
    "drift": "code, inventory and lock say the same, and every method has its tool",
}
_POINTS: Final[dict[str, str]] = {
    "ambiguous": "references",
    "missing-model": "references",
    "not-in-code": "references",
    "contract": "references",
    "repeated": "inheritance",
    "unknown-method": "inheritance",
    "not-in-inventory": "drift",
    "said-twice": "drift",
    "bound-twice": "drift",
}
"""The points of what is found when an inventory is read and put together with the code; of all else: the schema."""


@frozen
class Point:
    """One point of the checklist: how many things were looked at for it, and what was found."""

    name: str
    looked_at: int
    findings: tuple[Finding, ...]


@gc_paused()
def check(operations: Operations, offered: Collection[str], layers: Stack[CallLayer]) -> tuple[Point, ...]:
    """The whole checklist.

    Args:
        operations: code and inventory, which fit.
        offered: the names of the tools that the application's agents and callers have.
        layers: those around every call of the application.
    """
    methods, tools = list(operations.methods.values()), list(operations.tools.values())
    listed = [each for each in methods if each.metadata.key in operations.inventory.methods]
    found: dict[str, tuple[int, Iterable[Finding]]] = {
        "references": (len(listed), ()),
        "envelopes": (len(methods), _each(methods, _envelopes)),
        "inheritance": (len(tools), ()),
        "foreign": (len(methods), _each(methods, _foreign)),
        "schema": (len(listed) + len(tools), unknown_names(operations)),
        "mapping": (len(tools), _each(tools, _mapping)),
        "classification": (len(methods) + len(tools), _classified(methods, tools)),
        "drift": (len(methods) + len(tools), _drift(operations, offered, layers)),
    }
    return tuple(Point(name=name, looked_at=n, findings=tuple(each)) for name, (n, each) in found.items())


def refused(error: InventoryError) -> tuple[Point, ...]:
    """The report on an inventory that cannot be read or put together: what that found, under its points."""
    by_point: dict[str, list[Finding]] = {name: [] for name in CHECKLIST}
    for finding in error.findings:
        by_point[_POINTS.get(finding.code, "schema")].append(finding)
    return tuple(Point(name=name, looked_at=0, findings=tuple(found)) for name, found in by_point.items())


def _each(things: Iterable[Thing], look: Callable[[Thing], Iterator[Finding]]) -> Iterator[Finding]:
    for thing in things:
        yield from look(thing)


def _envelopes(method: MethodDefinition) -> Iterator[Finding]:
    """R-A-R: the request is named after the action, holds its payload, and names the operation."""
    request, response, name = method.models.request, method.models.response, method.metadata.name
    if request is None or response is None or method.models.payload is None:
        return
    action = "".join(part.capitalize() for part in name.split("_"))
    said = (
        (request.__name__, {f"{action}Request"}),
        (response.__name__, {f"{action}Response"}),
        (method.models.payload.__name__, {f"{action}Payload", f"{action}RequestPayload"}),
    )
    for found, wanted in said:
        if found not in wanted:
            what = f"{method.metadata.key} has {found}, which is not named after the action"
            yield _found("envelope", method.metadata.code, what, f"name it {' or '.join(sorted(wanted))}")
    operation = request.model_fields["operation"].default
    if operation != name:
        what = f"{request.__name__} is of the operation {operation!r}, and {method.metadata.key} takes it"
        yield _found("operation", method.metadata.code, what, f'declare it with operation="{name}"')


def _foreign(method: MethodDefinition) -> Iterator[Finding]:
    tier = method.facts.classification.tier if method.facts.classification else Tier.INTERNAL
    key, where = method.metadata.key, method.metadata.inventory
    if method.external and tier is Tier.INTERNAL:
        mend = "set integration_tier to external or hybrid, or remove external=True"
        yield _found("tier", where, f"{key} speaks to a foreign API, and its integration_tier is internal", mend)
    if not method.external and tier is Tier.EXTERNAL:
        mend = "mark it @method(external=True), or set integration_tier to hybrid or internal"
        yield _found("tier", where, f"{key} has the integration_tier external, and is not marked so", mend)


def _mapping(tool: ToolDefinition) -> Iterator[Finding]:
    """What a tool shows, fixes and hides is what its method takes: nothing more, and nothing left over."""
    if tool.method is None:
        return
    taken = {parameter.name: parameter for parameter in tool.method.parameters}
    shown_here = {parameter.name: parameter for parameter in tool.parameters}
    for name in sorted(taken.keys() ^ {*shown_here, *tool.fixed, *tool.hidden}):
        what = f"the tool {tool.name} and {tool.method.metadata.key} do not agree on the parameter {name!r}"
        yield _found("mapping", tool.where, what, "derive the tool from its method")
    for name in sorted(taken.keys() & shown_here.keys()):
        if taken[name] != shown_here[name]:
            what = f"the parameter {name!r} of {tool.name} is not that of {tool.method.metadata.key}"
            yield _found("mapping", tool.where, what, "derive the tool from its method")


def _classified(methods: list[MethodDefinition], tools: list[ToolDefinition]) -> Iterator[Finding]:
    for method in methods:
        yield from _fits(method.metadata.key, method.facts, method.metadata.inventory)
    for tool in tools:
        if tool.method is None:
            yield from _fits(tool.name, tool.tool.facts, tool.where)
        elif tool.tool.facts.classification != tool.method.facts.classification:
            what = f"{tool.name} is classified otherwise than {tool.method.metadata.key}"
            yield _found("classification", tool.where, what, "derive the tool from its method")


def _fits(name: str, facts: Facts, where: str) -> Iterator[Finding]:
    """What an operation is said to be, against what it is said to do."""
    kind, effect = facts.classification, facts.effect
    capability = kind.capability if kind is not None else None
    reads = capability in {Capability.READ, Capability.SEARCH} and effect not in {Effect.PURE, Effect.COMPOSED}
    writes = capability in {Capability.CREATE, Capability.UPDATE, Capability.DELETE} and effect is Effect.PURE
    if capability is not None and (reads or writes):
        what = f"{name} has the capability {capability.value} and the effect {effect.value}"
        yield _found("classification", where, what, "correct the one or the other")
    if kind is not None and kind.complexity is Complexity.ATOMIC and effect is Effect.COMPOSED:
        what = f"{name} is atomic, and its effect is composed"
        yield _found("classification", where, what, "set complexity to composite or pipeline")


def _drift(operations: Operations, offered: Collection[str], layers: Stack[CallLayer]) -> Iterator[Finding]:
    yield from _coverage(operations, offered)
    for function in forgotten(operations.packages):
        owner = function.__qualname__.rpartition(".")[0]
        what = f"the method {function.__qualname__} is marked, and Operations was given no object of {owner}"
        yield _found("not-given", place_of(function), what, "give one, or remove @method")
    for tool in operations.tools.values():
        yield from _refused_midway(tool)
        yield from _unenforced(tool, operations.inventory.table, layers)
    file = lock_file(operations)
    try:
        lock = read_lock(file)
    except InventoryError as error:
        yield from error.findings
        return
    if lock is None:
        yield _found("no-lock", f"{shown(file)}:1", "there is no lock", "write it and commit it: remit lock APP")
        return
    yield from changes(lock, operations)


def _unenforced(tool: ToolDefinition, table: Table, layers: Stack[CallLayer]) -> Iterator[Finding]:
    """What a tool declares, a layer around every call enforces, and the application does not have."""
    for name, policies in tool.policies.items():
        for field, enforcer in table.sections[name].enforced.items():
            around = enforcer.scope == "tool" or any(isinstance(layer, enforcer.layer) for layer in layers)
            if not around and field in policies.model_fields_set:
                what = f"{tool.name} declares {name}.{field}, and nothing in the application enforces it"
                yield _found("unenforced", tool.where, what, f"add {enforcer.layer.__name__} to its layers")


def _refused_midway(tool: ToolDefinition) -> Iterator[Finding]:
    """What a tool's calls need, and it does not: whoever has not got it could begin, and not end."""
    lacking: dict[str, str] = {}
    for each in tool.calls:
        lacking |= dict.fromkeys(each.facts.permissions - tool.tool.facts.permissions, each.name)
    for permission, called in sorted(lacking.items()):
        what = f"{tool.name} calls {called}, which needs the permission {permission}, and does not declare it"
        mend = f"add {permission} to its business_rules.required_permissions"
        yield _found("too-few-permissions", tool.where, what, mend)


def _coverage(operations: Operations, offered: Collection[str]) -> Iterator[Finding]:
    """Methods without a tool, and tools that nobody has."""
    exposed = {tool.method.metadata.key for tool in operations.tools.values() if tool.method is not None}
    for key, entry in operations.inventory.methods.items():
        yield from _covered(key, entry, has_tool=key in exposed)
    for name, tool in operations.tools.items():
        if name not in offered:
            mend = "give it to an agent or to the application, or remove its entry"
            yield _found("orphan", tool.where, f"the application does not offer the tool {name}", mend)


def _covered(key: str, entry: MethodEntry, *, has_tool: bool) -> Iterator[Finding]:
    if not has_tool and not entry.part.without_tool:
        mend = "add one below `tools`, or say why there is none: `without_tool: …`"
        yield _found("no-tool", entry.where, f"the method {key} has no tool", mend)
    if has_tool and entry.part.without_tool:
        what = f"the method {key} has a tool, and says why there is none"
        yield _found("no-tool", entry.where, what, "remove `without_tool`")


def _found(code: str, where: str, what: str, mend: str) -> Finding:
    return Finding(code=code, where=where, what=what, mend=mend)
