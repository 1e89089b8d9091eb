"""Compares a built application with its inventory: the objects that it offers, and the layers around their calls.

An inventory describes tools, but an application passes objects. `remit check` and the start of a runtime both compare
them here, so the checked operations are those that run.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import FunctionType, MethodType, ModuleType
from typing import Any, cast

from remit.agent.agent import ADDED_TOOLS
from remit.approvals.policy import Egress, HighRisk
from remit.call.call import CallLayer, choose_layers, has_conditions
from remit.call.callee import AgentLike, HasSource, HasSteps
from remit.call.classification import Visibility
from remit.call.facts import Effect, Risk
from remit.call.typed_schema import EARLIER_CHECK
from remit.core import Stack
from remit.core.protocols import implements
from remit.dispatch.chosen_names import find_unknown_names
from remit.dispatch.registry import AnyCallee, describe, keeps_layers, runs_same_body
from remit.inventory.definition import ToolDefinition
from remit.inventory.governance import PolicyTable
from remit.inventory.lock import digest_governance, lock_path, read_lock
from remit.inventory.lock_diff import diff_lock
from remit.inventory.operations import Operations
from remit.layers.approve import Approve
from remit.layers.authorize import Authorize
from remit.layers.validate import Validate
from remit.schemas.finding import Finding, GovernanceChange, InventoryError, locate_function

_PERMISSIONS, _VISIBILITY = "needs permissions", "is not visible to everyone"
_EXTRA_FIX = 'remove extra="allow"; extra="forbid" refuses what the model does not declare'


def check_application(operations: Operations, callees: Collection[AnyCallee], layers: Stack[CallLayer]) -> None:
    """Refuse an application that differs from its inventory, or whose governance is looser than its lock file accepts.

    Other changes since the lock are found by `remit check`; without a lock file there is nothing to compare. Contracts
    are not compared again if they were with the same sources and the same governance.

    Raises:
        InventoryError: has all findings.
    """
    earlier = EARLIER_CHECK.get()
    is_known = earlier is not None and earlier.governance == digest_governance(operations, callees)
    findings = list(compare_application(operations, callees, layers, is_code_known=is_known))
    lock = None if is_known else read_lock(lock_path(operations))
    if lock is not None:
        changes = diff_lock(lock, operations, callees)
        findings += [each for each in changes if each.governance is GovernanceChange.LOOSER]
    if findings:
        raise InventoryError(findings)


def compare_application(
    operations: Operations,
    callees: Iterable[AnyCallee],
    layers: Stack[CallLayer],
    *,
    is_code_known: bool = False,
) -> Iterator[Finding]:
    """The differences between what an application runs and what its inventory describes.

    Args:
        operations: code and inventory.
        callees: everything that the application offers, with the tools of its agents.
        layers: the layers around every call of the application.
        is_code_known: whether the same code has been compared before: its payloads, and the entry of each function.
    """
    everything = [*callees, *(each.tool for each in operations.programs.values())]
    offered = [each for each in everything if not isinstance(each, ADDED_TOOLS)]
    chosen = _LayersOfCallers(layers, [each.name for each in offered if implements(each, AgentLike)])
    for callee in offered:
        definition = operations.tools.get(callee.name) or operations.programs.get(callee.name)
        where = locate_callee(callee)
        if definition is not None:
            yield from _check_object(callee, definition)
            yield from _check_declared_layers(definition, operations.inventory.policy_table, chosen)
        elif implements(callee, AgentLike):
            yield from _check_provider_tools(callee, where)
            yield from _check_scope(callee, where)
        elif not implements(callee, HasSteps):  # a pipeline acts only by calls of listed callees
            fix = "write an entry for it and pass its function to Operations, or pass it to Operations itself"
            yield _make_finding("ungoverned", where, f"{describe(callee)} is offered, but no entry governs it", fix)
        if not is_code_known:
            yield from _check_payload(callee, where if definition is None else definition.location)
        yield from _check_run_layers(callee, where, chosen, is_declared=bool(definition and definition.policies))
    for what in find_unknown_names(layers, everything):
        yield _make_finding("unknown-name", "the layers of the application", what, "correct the name, or remove it")
    if not is_code_known:
        yield from _check_functions(operations)


class _LayersOfCallers:
    """The layers of the application around the calls of a callee, for each agent for which they differ."""

    def __init__(self, layers: Stack[CallLayer], agents: Iterable[str]) -> None:
        self._layers, self._agents = layers, ("", *agents)
        self._are_same = not has_conditions(layers)

    def around(self, callee: AnyCallee) -> list[Stack[CallLayer]]:
        """The layers, those of a call without an agent first."""
        if self._are_same:
            return [self._layers]
        return [choose_layers(self._layers, agent, callee) for agent in self._agents]


def _check_object(callee: AnyCallee, definition: ToolDefinition) -> Iterator[Finding]:
    """Check that an offered object is the tool of its entry, or derived from it."""
    if callee is definition.tool:
        return
    where, fix = definition.location, "offer the tool of Operations, or one made from it by `layer`"
    if not runs_same_body(callee, definition.tool):
        what = f"{describe(callee)} is offered under the name of this entry, but is not its tool"
        yield _make_finding("impostor", where, what, fix)
    elif not keeps_layers(callee, definition.tool):
        what = f"the tool {callee.name} is offered without layers that its entry declares"
        yield _make_finding("stripped", where, what, fix)


def _check_payload(callee: AnyCallee, where: str) -> Iterator[Finding]:
    """Check that a callee accepts declared fields only."""
    if any(_find_open_objects(callee.schema_in.json_schema)):
        what = f"the payload of {callee.name} accepts fields that it does not declare"
        yield _make_finding("open-payload", where, what, _EXTRA_FIX)


def _find_open_objects(schema: object) -> Iterator[object]:
    """The models in a JSON schema that allow extra fields. A plain dictionary has no declared properties."""
    if isinstance(schema, Mapping):
        values = cast("Mapping[str, Any]", schema)
        if values.get("additionalProperties") is True and "properties" in values:
            yield schema
        for each in values.values():
            yield from _find_open_objects(each)


def locate_callee(callee: AnyCallee) -> str:
    """The place of a callee in its source; its name if that is unknown."""
    return callee.where if implements(callee, HasSource) and callee.where else callee.name


def _check_provider_tools(agent: AgentLike[..., Any], where: str) -> Iterator[Finding]:
    for name in agent.provider_tools:
        what = f"the agent {agent.name} uses {name}, which runs at the model's provider and which no entry governs"
        yield _make_finding("ungoverned", where, what, "offer a tool of the inventory in its place")


def _check_scope(agent: AgentLike[..., Any], where: str) -> Iterator[Finding]:
    """Check that an agent above others declares the calls that are allowed below it."""
    below = next((each.name for each in agent.tools if implements(each, AgentLike)), "")
    if below and agent.tool_scope is None:
        what = f"the agent {agent.name} calls {below} and has no tool scope, so that any tool may be called below it"
        fix = 'give it tool_scope="listed", or the names that may be called (`delegates` in a worker file)'
        yield _make_finding("unscoped", where, what, fix)


def _check_declared_layers(tool: ToolDefinition, table: PolicyTable, chosen: _LayersOfCallers) -> Iterator[Finding]:
    """Check that the application has the layer of each field that a layer around every call enforces."""
    for name, policies in tool.policies.items():
        for field, enforcer in table.sections[name].enforcers.items():
            if (
                enforcer.scope == "run"
                and field in policies.model_fields_set
                and not all(
                    any(isinstance(each, enforcer.layer) for each in stack) for stack in chosen.around(tool.tool)
                )
            ):
                what = f"{tool.name} declares {name}.{field}, but nothing in the application enforces it"
                fix = f"add {enforcer.layer.__name__} to its layers"
                yield _make_finding("unenforced", tool.location, what, fix)


def _check_run_layers(
    callee: AnyCallee, where: str, chosen: _LayersOfCallers, *, is_declared: bool
) -> Iterator[Finding]:
    """Check that the layers around every call meet the needs of a callee's facts, whichever agent calls it.

    ``is_declared``: its permissions and visibility are declared fields, which are checked with the others.
    """
    missing: dict[str, str] = {}
    for stack in chosen.around(callee):
        missing |= dict(_missing_layers(callee, stack))
    if is_declared:
        missing = {need: fix for need, fix in missing.items() if need not in (_PERMISSIONS, _VISIBILITY)}
    for need, fix in missing.items():
        what = f"{callee.name} {need}, but no layer around its calls enforces it"
        yield _make_finding("unenforced", where, what, fix)


def _missing_layers(callee: AnyCallee, layers: Stack[CallLayer]) -> Iterator[tuple[str, str]]:
    """The requirements of a callee that its layers lack, and how to add them."""
    facts, policies = callee.facts, [each.policy for each in layers if isinstance(each, Approve)]
    if not any(isinstance(each, Validate) and each.strict for each in layers):
        yield "has a contract", "add Validate() to the layers of the application, which is strict"
    if not any(isinstance(each, Authorize) for each in layers):
        if facts.permissions:
            yield _PERMISSIONS, "add Authorize() to the layers of the application"
        if facts.visibility is not Visibility.PUBLIC:
            yield _VISIBILITY, "add Authorize() to the layers of the application"
    fix = "add Approve(env) to the layers of the application, with a policy that covers it"
    if facts.confirm is not None and not policies:
        yield "needs confirmation", fix
    if facts.risk is Risk.HIGH and not any(each.covers(HighRisk, callee.name) for each in policies):
        yield "is high-risk", fix
    sends = facts.egress and facts.effect is not Effect.COMPOSED
    if sends and not any(each.covers(Egress, callee.name) for each in policies):
        yield "sends data out of the system", fix


def _check_functions(operations: Operations) -> Iterator[Finding]:
    """Check that every public async function next to those of the inventory has an entry or is used by a tool."""
    functions = [each.implementation for each in operations.methods.values()]
    others = (inspect.unwrap(other) for each in operations.tools.values() for other in each.tool.functions)
    used = {each.__func__ if isinstance(each, MethodType) else each for each in (*functions, *others)}
    owners = (each.owner for each in operations.methods.values())
    for owner in dict.fromkeys(each if isinstance(each, ModuleType) else type(each) for each in owners):
        for name, function in vars(owner).items():
            is_async = isinstance(function, FunctionType) and inspect.iscoroutinefunction(function)
            if is_async and not name.startswith("_") and function not in used and _is_defined_in(owner, function):
                kind = "module" if isinstance(owner, ModuleType) else "class"
                what = f"{function.__qualname__} has no entry, as other functions of its {kind} have"
                fix = "write an entry for it, or give it a name with a leading underscore"
                yield _make_finding("not-in-inventory", locate_function(function), what, fix)


def _is_defined_in(owner: ModuleType | type, function: FunctionType) -> bool:
    """Whether a function belongs to a class, or to a module or its submodules rather than being imported there."""
    return isinstance(owner, type) or f"{function.__module__}.".startswith(f"{owner.__name__}.")


def _make_finding(code: str, where: str, what: str, fix: str) -> Finding:
    return Finding(code=code, where=where, what=what, fix=fix)
