"""Detects drift between code, inventory and lock, point by point of a checklist."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeVar

from remit.agent.agent import ADDED_TOOLS
from remit.call.call import CallLayer
from remit.call.callee import check_callees
from remit.call.classification import Capability, Complexity, Tier
from remit.call.facts import Effect, Facts
from remit.core import Stack
from remit.core.checks import check_instances
from remit.dispatch.registry import AnyCallee, collect_callees
from remit.inventory.definition import MethodDefinition, ToolDefinition
from remit.inventory.envelope import envelope_names
from remit.inventory.lock import lock_path, read_lock
from remit.inventory.lock_diff import diff_lock
from remit.inventory.operations import Operations
from remit.inventory.policy_fields import find_unknown_fields, find_unknown_permissions
from remit.inventory.running import compare_application, locate_callee
from remit.inventory.schema import MethodEntry
from remit.schemas.finding import Finding, InventoryError, display_path
from remit.schemas.suggestions import suggest

SubjectT = TypeVar("SubjectT")

CHECKLIST: Final[dict[str, str]] = {
    "references": "every method of the inventory exists in the code with the models it names",
    "envelopes": "envelopes in a signature are a {Action}Request and a {Action}Response of the operation",
    "inheritance": "every tool names its method, and repeats nothing of it",
    "schema": "every entry fits the schema of the inventory, and every permission is one that a role may have",
    "mapping": "the parameters of every tool are those of its method's payload, or fewer",
    "classification": "every tool is classified like its method, and it and every agent according to its effect",
    "running": "the application offers the tools of its inventory, with the layers that they and their facts need",
    "drift": "code, inventory and lock agree, and every method has a tool",
}
_CHECK_BY_CODE: Final[dict[str, str]] = {
    "ambiguous": "references",
    "missing-model": "references",
    "not-in-code": "references",
    "contract": "references",
    "repeated": "inheritance",
    "unknown-method": "inheritance",
    "not-in-inventory": "drift",
}
"""The checklist point of each finding code from reading and binding; other codes belong to the schema point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The result of one point: the number of subjects checked, and the findings."""

    name: str
    checked_count: int
    findings: tuple[Finding, ...]


def run_checklist(
    operations: Operations, callees: Iterable[AnyCallee], layers: Stack[CallLayer]
) -> tuple[CheckResult, ...]:
    """Check all points.

    Args:
        operations: code and inventory, bound without findings.
        callees: everything that the application offers; the tools of its agents are added.
        layers: the layers around every call of the application.
    """
    check_instances("run_checklist", operations=(operations, Operations), layers=(layers, Stack))
    offered = collect_callees(check_callees("run_checklist: callees", callees))
    methods, tools = list(operations.methods.values()), list(operations.tools.values())
    governed = {each.tool.name for each in tools if each.method is not None}
    in_code = [each for each in offered if each.name not in governed and not isinstance(each, ADDED_TOOLS)]
    found: dict[str, tuple[int, Iterable[Finding]]] = {
        "references": (len(methods), ()),
        "envelopes": (sum(each.envelopes is not None for each in methods), _apply_check(methods, _check_envelopes)),
        "inheritance": (len(tools), ()),
        "schema": (
            len(methods) + len(tools) + len(in_code),
            (*find_unknown_fields(operations), *find_unknown_permissions(in_code, operations.inventory.vocabulary)),
        ),
        "mapping": (len(tools), _apply_check(tools, _check_parameters)),
        "classification": (
            len(methods) + len(tools) + len(in_code),
            (*_check_classifications(methods, tools), *_apply_check(in_code, _check_own_capability)),
        ),
        "running": (len(offered), compare_application(operations, offered, layers)),
        "drift": (len(methods) + len(tools), _check_drift(operations, offered)),
    }
    return tuple(CheckResult(name=name, checked_count=n, findings=tuple(each)) for name, (n, each) in found.items())


def report_load_errors(error: InventoryError) -> tuple[CheckResult, ...]:
    """The report for an inventory that cannot be read or bound, its findings sorted by point."""
    by_point: dict[str, list[Finding]] = {name: [] for name in CHECKLIST}
    for finding in error.findings:
        by_point[_CHECK_BY_CODE.get(finding.code, "schema")].append(finding)
    return tuple(CheckResult(name=name, checked_count=0, findings=tuple(found)) for name, found in by_point.items())


def _apply_check(subjects: Iterable[SubjectT], check_one: Callable[[SubjectT], Iterator[Finding]]) -> Iterator[Finding]:
    for thing in subjects:
        yield from check_one(thing)


def _check_envelopes(method: MethodDefinition) -> Iterator[Finding]:
    """Check that envelopes in a signature are named after the operation, like derived ones, and belong to it."""
    if method.envelopes is None:
        return
    request, where, key = method.request, method.metadata.code_location, method.metadata.key
    for actual, wanted in zip((request, method.response), envelope_names(method.name), strict=True):
        if actual.__name__ != wanted:
            what = f"{key} has {actual.__name__}, which is not named after the operation"
            yield _make_finding("envelope", where, what, f"name it {wanted}, or take and return plain values")
    operation = request.model_fields["operation"].default
    if operation != method.name:
        what = f"{request.__name__} declares the operation {operation!r}, but {key} takes it"
        yield _make_finding("operation", where, what, f'declare it with operation="{method.name}"')
    if method.facts.classification and method.facts.classification.tier is Tier.EXTERNAL:
        what = f"{key} has the integration_tier external, but its signature has envelopes of the application"
        mend = "take and return plain values, or set integration_tier to hybrid or internal"
        yield _make_finding("tier", method.metadata.inventory_location, what, mend)


def _check_parameters(tool: ToolDefinition) -> Iterator[Finding]:
    """Check that visible, fixed and hidden parameters of a tool together are those of its method."""
    if tool.method is None:
        return
    method_parameters = {parameter.name: parameter for parameter in tool.method.parameters}
    tool_parameters = {parameter.name: parameter for parameter in tool.parameters}
    for name in sorted(method_parameters.keys() ^ {*tool_parameters, *tool.fixed_values, *tool.hidden_parameters}):
        what = f"the tool {tool.name} and {tool.method.metadata.key} disagree on the parameter {name!r}"
        yield _make_finding("mapping", tool.location, what, "derive the tool from its method")
    for name in sorted(method_parameters.keys() & tool_parameters.keys()):
        if method_parameters[name] != tool_parameters[name]:
            what = f"the parameter {name!r} of {tool.name} differs from that of {tool.method.metadata.key}"
            yield _make_finding("mapping", tool.location, what, "derive the tool from its method")


def _check_classifications(methods: list[MethodDefinition], tools: list[ToolDefinition]) -> Iterator[Finding]:
    for method in methods:
        yield from _check_capability(method.metadata.key, method.facts, method.metadata.inventory_location)
    for tool in tools:
        if tool.method is not None and tool.tool.facts.classification != tool.method.facts.classification:
            what = f"{tool.name} is classified differently from {tool.method.metadata.key}"
            yield _make_finding("classification", tool.location, what, "derive the tool from its method")


def _check_own_capability(callee: AnyCallee) -> Iterator[Finding]:
    """Check a callee whose facts are in code: an agent, a worker, a pipeline or a tool without a method."""
    yield from _check_capability(callee.name, callee.facts, locate_callee(callee))


def _check_capability(name: str, facts: Facts, where: str) -> Iterator[Finding]:
    """Check that the declared capability matches effect and permissions."""
    kind, effect = facts.classification, facts.effect
    capability = kind.capability if kind is not None else None
    reads = capability in {Capability.READ, Capability.SEARCH} and effect not in {Effect.PURE, Effect.COMPOSED}
    writes = capability in {Capability.CREATE, Capability.UPDATE, Capability.DELETE} and effect is Effect.PURE
    if capability is not None and (reads or writes):
        what = f"{name} has the capability {capability.value} and the effect {effect.value}"
        yield _make_finding("classification", where, what, "correct one of them")
    if kind is not None and kind.complexity is Complexity.ATOMIC and effect is Effect.COMPOSED:
        what = f"{name} is atomic, but its effect is composed"
        yield _make_finding("classification", where, what, "set complexity to composite or pipeline")


def _check_drift(operations: Operations, offered: Collection[AnyCallee]) -> Iterator[Finding]:
    yield from _check_coverage(operations, {each.name for each in offered})
    for tool in operations.tools.values():
        yield from _check_call_permissions(tool)
    file = lock_path(operations)
    try:
        lock = read_lock(file)
    except InventoryError as error:
        yield from error.findings
        return
    if lock is None:
        yield _make_finding(
            "no-lock", f"{display_path(file)}:1", "there is no lock", "write it and commit it: remit lock APP"
        )
        return
    yield from diff_lock(lock, operations, offered)


def _check_call_permissions(tool: ToolDefinition) -> Iterator[Finding]:
    """Check that a tool's permissions include those of its calls. Otherwise a caller could start it and fail midway."""
    lacking: dict[str, str] = {}
    for each in tool.method.calls if tool.method is not None else ():
        lacking |= dict.fromkeys(each.facts.permissions - tool.tool.facts.permissions, each.name)
    for permission, called in sorted(lacking.items()):
        what = f"{tool.name} calls {called}, which needs the permission {permission}, but does not declare it"
        mend = f"add {permission} to its business_rules.required_permissions"
        yield _make_finding("too-few-permissions", tool.location, what, mend)


def _check_coverage(operations: Operations, offered_names: Collection[str]) -> Iterator[Finding]:
    """Check that every method has a tool, and that every tool and that of its undo are offered."""
    exposed = {tool.method.metadata.key for tool in operations.tools.values() if tool.method is not None}
    for key, entry in operations.inventory.methods.items():
        yield from _check_method_coverage(key, entry, has_tool=key in exposed)
    for name, tool in operations.tools.items():
        if name not in offered_names:
            mend = "list it in an agent or the application, or remove its entry"
            yield _make_finding("orphan", tool.location, f"the application does not offer the tool {name}", mend)
        undo = tool.tool.facts.undo
        if undo is not None and undo.tool not in offered_names:
            what = f"{name} is undone by {undo.tool}, which the application does not offer"
            yield _make_finding("no-undo", tool.location, what, suggest(undo.tool, offered_names))


def _check_method_coverage(key: str, entry: MethodEntry, *, has_tool: bool) -> Iterator[Finding]:
    if not has_tool and not entry.spec.without_tool:
        mend = "add one below `tools`, or state why there is none: `without_tool: …`"
        yield _make_finding("no-tool", entry.location, f"the method {key} has no tool", mend)
    if has_tool and entry.spec.without_tool:
        what = f"the method {key} has a tool, but also states `without_tool`"
        yield _make_finding("no-tool", entry.location, what, "remove `without_tool`")


def _make_finding(code: str, where: str, what: str, fix: str) -> Finding:
    return Finding(code=code, where=where, what=what, fix=fix)
