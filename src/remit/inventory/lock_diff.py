"""Compares a lock with today's code and inventory, with the version bump that each change needs.

MAJOR breaks existing callers, MINOR adds, PATCH changes wording. LOOSER governance (fewer permissions, a lower risk, a
limit removed, a parameter that takes more values, more tools for an agent) is accepted only by name; TIGHTER governance
is reported too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from remit.call.facts import Risk
from remit.inventory.definition import AnyCallee, MethodDefinition
from remit.inventory.governance import BUSINESS_RULES, Enforcer, PolicyTable
from remit.inventory.lock import Lock, LockedOperation, build_lock, lock_path
from remit.inventory.locked_agents import agents_of, diff_agent_field
from remit.inventory.operations import Operations
from remit.schemas.compat import is_wider
from remit.schemas.finding import Finding, GovernanceChange, VersionBump, display_path, locate_field
from remit.schemas.jsontext import canonical_text

_RISKS: Final = [risk.value for risk in Risk]
_REPORTED_AS_FACTS: Final = {(BUSINESS_RULES, "required_permissions"), (BUSINESS_RULES, "visibility")}


class Change(NamedTuple):
    """One change: a stable code, the version bump, a description, the parameter, and the direction of governance."""

    code: str
    bump: VersionBump
    description: str
    parameter: str = ""
    governance: GovernanceChange = GovernanceChange.NONE


def diff_lock(lock: Lock, operations: Operations, callees: Iterable[AnyCallee] = ()) -> Iterator[Finding]:
    """The changes from ``lock`` to today. Changes of a method are not repeated for its tools."""
    today, file = build_lock(operations, callees), display_path(lock_path(operations))
    table = operations.inventory.policy_table
    method_changes: dict[str, set[Change]] = {}
    for name in sorted({*lock.methods, *today.methods}):
        method = operations.methods.get(name)
        method_changes[name] = set(_diff_operation(lock.methods.get(name), today.methods.get(name), table))
        where = method.metadata.inventory_location if method is not None else f"{file}:1"
        yield from _to_findings(f"method {name}", where, method_changes[name], method)
    for name in sorted({*lock.tools, *today.tools}):
        tool = operations.tools.get(name)
        inherited = (
            method_changes[tool.method.metadata.key] if tool is not None and tool.method is not None else set[Change]()
        )
        own = set(_diff_operation(lock.tools.get(name), today.tools.get(name), table)) - inherited
        where = tool.location if tool is not None else f"{file}:1"
        yield from _to_findings(f"tool {name}", where, own, tool.method if tool is not None else None)
    agents = agents_of(callees)
    for name in sorted({*lock.agents, *today.agents}):
        changes = set(_diff_operation(lock.agents.get(name), today.agents.get(name), table))
        where = (name in agents and agents[name].where) or f"{file}:1"
        yield from _to_findings(f"agent {name}", where, changes, None)


def _to_findings(name: str, where: str, changes: set[Change], method: MethodDefinition | None) -> Iterator[Finding]:
    for change in sorted(changes, key=lambda change: (change.code, change.description)):
        mend = "accept it (remit lock APP), or revert it"
        if change.bump is VersionBump.MAJOR:
            mend = "revert it, or accept it (remit lock APP) and make the next version a MAJOR one"
        if change.governance is GovernanceChange.LOOSER:
            mend = 'revert it, or accept it by name: remit lock APP --loosen "the reason"'
        what = f"{name}: {change.description}{_parameter_location(change.parameter, method)}"
        yield Finding(
            code=change.code, where=where, what=what, fix=mend, bump=change.bump, governance=change.governance
        )


def _parameter_location(parameter: str, method: MethodDefinition | None) -> str:
    """Where the parameter is defined: its field, or else its method."""
    if not parameter or method is None:
        return ""
    place = locate_field(method.payload, parameter)
    return f" ({place if ':' in place else method.metadata.code_location})"


def _diff_operation(
    before: LockedOperation | None, now: LockedOperation | None, table: PolicyTable
) -> Iterator[Change]:
    if before == now:  # their digests have just been computed
        return
    if before is None:
        yield Change("added", VersionBump.MINOR, "is new")
    elif now is None:
        yield Change("removed", VersionBump.MAJOR, "is gone")
    elif not before.has_valid_digests():
        # The governance that the lock accepted before is unknown and may have been tighter.
        what = "the lock was edited by hand; its digests do not match"
        yield Change("stale-lock", VersionBump.NONE, what, governance=GovernanceChange.LOOSER)
    else:
        yield from _diff_parameters(before, now)
        yield from _diff_nested_defaults(before, now)
        yield from _diff_functions(before.functions, now.functions)
        yield from _diff_governance(before.governed, now.governed, table)
        if before.text != now.text:
            yield Change("text", VersionBump.PATCH, "its description has changed")


def _diff_parameters(before: LockedOperation, now: LockedOperation) -> Iterator[Change]:
    for name in before.parameters.keys() - now.parameters.keys():
        yield Change("removed-parameter", VersionBump.MAJOR, f"the parameter {name!r} was removed", name)
    for name in now.parameters.keys() - before.parameters.keys():
        is_required = name in now.required
        bump, wording = (VersionBump.MAJOR, "required") if is_required else (VersionBump.MINOR, "optional")
        yield Change("added-parameter", bump, f"the parameter {name!r} is new and {wording}", name)
    for name in sorted(before.parameters.keys() & now.parameters.keys()):
        old, new = before.parameters[name], now.parameters[name]
        if old != new:
            is_compatible = is_wider(new, old)
            bump, wording = (
                (VersionBump.MINOR, "takes more than before")
                if is_compatible
                else (VersionBump.MAJOR, "no longer accepts all values it did")
            )
            governance = _direction(is_looser=not is_wider(old, new))
            yield Change("changed-type", bump, f"the parameter {name!r} {wording}", name, governance)
        if (name in before.required) != (name in now.required):
            is_required = name in now.required
            bump, wording = (
                (VersionBump.MAJOR, "is required now") if is_required else (VersionBump.MINOR, "is optional now")
            )
            yield Change("changed-required", bump, f"the parameter {name!r} {wording}", name)
        elif before.defaults.get(name) != now.defaults.get(name):
            wording = f"{before.defaults.get(name)!r}, and is {now.defaults.get(name)!r}"
            yield Change("changed-default", VersionBump.MAJOR, f"the default of {name!r} was {wording}", name)
    if before.result != now.result:
        is_compatible_result = is_wider(before.result, now.result)
        wording = "holds more than before" if is_compatible_result else "is not what it was"
        yield Change(
            "changed-result", VersionBump.MINOR if is_compatible_result else VersionBump.MAJOR, f"its result {wording}"
        )


def _diff_nested_defaults(before: LockedOperation, now: LockedOperation) -> Iterator[Change]:
    """The changed defaults of the models inside the parameters."""
    for name in sorted(before.defaults.keys() & now.defaults.keys()):
        if name not in before.parameters and before.defaults[name] != now.defaults[name]:
            wording = f"{before.defaults[name]!r}, and is {now.defaults[name]!r}"
            yield Change("changed-default", VersionBump.MAJOR, f"the default of {name!r} was {wording}")


def _diff_functions(before: list[str], now: list[str]) -> Iterator[Change]:
    """The changed validators and factories of the payload. The effect of a changed validator cannot be determined."""
    old, new = _by_name(before), _by_name(now)
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) == new.get(name):
            continue
        if name.startswith("factory "):
            if name in old and name in new:
                wording = f"the default of {name.removeprefix('factory ')!r} is made in another way"
                yield Change("changed-default", VersionBump.MAJOR, wording)
        elif name not in new:
            wording = f"the {name} of its payload was removed"
            yield Change("removed-validator", VersionBump.MINOR, wording, "", GovernanceChange.LOOSER)
        elif name not in old:
            wording = f"the {name} of its payload is new"
            yield Change("added-validator", VersionBump.MAJOR, wording, "", GovernanceChange.TIGHTER)
        else:
            wording = f"the {name} of its payload has changed"
            yield Change("changed-validator", VersionBump.MAJOR, wording, "", GovernanceChange.LOOSER)


def _by_name(functions: list[str]) -> dict[str, list[str]]:
    """Functions by kind and name, with their digests."""
    found: dict[str, list[str]] = {}
    for each in functions:
        kind, name, *digest = each.split(" ")
        found.setdefault(f"{kind} {name}", []).extend(digest)
    return found


def _diff_governance(before: Mapping[str, Any], now: Mapping[str, Any], table: PolicyTable) -> Iterator[Change]:
    for name in sorted({*before, *now}):
        old, new = before.get(name), now.get(name)
        if old == new:
            continue
        of_agent = diff_agent_field(name, old, new)
        if name in table.sections:
            yield from _diff_section(name, old, new, table)
        elif of_agent is not None:
            for wording, governance in of_agent:
                yield Change(f"changed-{name.replace('_', '-')}", VersionBump.MINOR, wording, "", governance)
        elif name == "fixed":
            yield _diff_fixed_values(old or {}, new or {})
        else:
            yield _diff_fact(name, old, new)


def _diff_section(
    name: str, old: dict[str, Any] | None, new: dict[str, Any] | None, table: PolicyTable
) -> Iterator[Change]:
    """The changes of a policy section by field; a section added or removed counts as a whole."""
    code, enforced = f"changed-{name}", table.sections[name].enforcers
    before, now = old or {}, new or {}
    has_field_changes = False
    for field in sorted({*before, *now}):
        was, value = before.get(field), now.get(field)
        enforcer = enforced.get(field)
        breaks = was != value and enforcer is not None and _breaks(enforcer, was, value)
        if (name, field) not in _REPORTED_AS_FACTS and (
            breaks or (was != value and old is not None and new is not None)
        ):
            has_field_changes = True
            yield Change(
                code,
                VersionBump.MAJOR if breaks else VersionBump.MINOR,
                f"{name}.{field} {_format_value(was)} → {_format_value(value)}",
                "",
                GovernanceChange.NONE if enforcer is None else _field_direction(enforcer, was, value),
            )
    if not has_field_changes and (old is None or new is None):
        wording = "is now declared" if old is None else "is no longer declared"
        yield Change(code, VersionBump.MINOR, f"{name} {wording}", "", _direction(is_looser=new is None))


def _breaks(enforcer: Enforcer, was: Any, value: Any) -> bool:
    return enforcer.breaks_callers is not None and enforcer.breaks_callers(was, value)


def _field_direction(enforcer: Enforcer, was: Any, value: Any) -> GovernanceChange:
    """Refusing or redacting less is looser."""
    if enforcer.lists_fields_of == "call":
        return _direction(is_looser=not set(was or ()) <= set(value or ()))
    if _breaks(enforcer, value, was):
        return GovernanceChange.LOOSER
    return GovernanceChange.TIGHTER if _breaks(enforcer, was, value) else GovernanceChange.NONE


def _direction(*, is_looser: bool) -> GovernanceChange:
    return GovernanceChange.LOOSER if is_looser else GovernanceChange.TIGHTER


def _format_value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return "none" if value in (None, "", []) else canonical_text(value).strip('"')


def _diff_fixed_values(old: Mapping[str, Any], new: Mapping[str, Any]) -> Change:
    is_looser = any(name not in new or new[name] != value for name, value in old.items())
    wording = f"fixed {_format_value(old)} → {_format_value(new)}"
    return Change("changed-fixed", VersionBump.MINOR, wording, "", _direction(is_looser=is_looser))


def _diff_fact(name: str, old: Any, new: Any) -> Change:
    if name == "risk":
        raised = _RISKS.index(new) > _RISKS.index(old)
        code, bump = ("raised-risk", VersionBump.MAJOR) if raised else ("lowered-risk", VersionBump.MINOR)
        return Change(code, bump, f"its risk was {old}, and is {new}", "", _direction(is_looser=not raised))
    if name == "permissions":
        more, fewer = sorted(set(new) - set(old)), sorted(set(old) - set(new))
        bump = VersionBump.MAJOR if more else VersionBump.MINOR
        wording = f"missing permission {', '.join(more)} too" if more else f"it no longer needs {', '.join(fewer)}"
        is_looser = not set(old) <= set(new)
        return Change("changed-permissions", bump, wording, "", _direction(is_looser=is_looser))
    if name == "egress":
        wording = "now sends data out of the system" if new else "no longer sends data out of the system"
        bump = VersionBump.MAJOR if new else VersionBump.MINOR
        return Change("changed-egress", bump, f"it {wording}", "", _direction(is_looser=not new))
    breaks = name in {"effect", "confirm"} or (name == "visibility" and new != "public")
    return Change(
        f"changed-{name}",
        VersionBump.MAJOR if breaks else VersionBump.MINOR,
        f"{name} {_format_value(old)} → {_format_value(new)}",
        "",
        _fact_direction(name, old, new),
    )


def _fact_direction(name: str, old: Any, new: Any) -> GovernanceChange:
    """The direction of a fact: fewer confirmations, trusted output, public visibility and repeated runs are looser."""
    values: dict[str, tuple[bool, bool]] = {
        "confirm": (old is not None, old is None),
        "trusted": (new is True, new is False),
        "visibility": (new == "public", old == "public"),
        "effect": (old == "unsafe", new == "unsafe"),
    }
    is_looser, is_tighter = values.get(name, (False, False))
    return _direction(is_looser=is_looser) if is_looser or is_tighter else GovernanceChange.NONE
