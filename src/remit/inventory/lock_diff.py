"""Compares a lock with today's code and inventory, with the version bump that each change needs.

MAJOR breaks existing callers, MINOR adds, PATCH changes wording. A change that loosens governance (fewer permissions, a
lower risk, a limit removed) is accepted by name only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from remit.contracts.facts import Risk
from remit.inventory.definition import MethodDefinition
from remit.inventory.governance import BUSINESS_RULES, PolicyTable
from remit.inventory.lock import Lock, LockedOperation, build_lock, lock_path
from remit.inventory.operations import Operations
from remit.schemas.compat import is_wider
from remit.schemas.finding import Finding, VersionBump, display_path, locate_field
from remit.schemas.jsontext import canonical_text

_RISKS: Final = [risk.value for risk in Risk]
_REPORTED_AS_FACTS: Final = {(BUSINESS_RULES, "required_permissions"), (BUSINESS_RULES, "visibility")}


class Change(NamedTuple):
    """One change: a stable code, the version bump, a description, the parameter concerned, and whether it loosens."""

    code: str
    bump: VersionBump
    description: str
    parameter: str = ""
    is_looser: bool = False


def diff_lock(lock: Lock, operations: Operations) -> Iterator[Finding]:
    """The changes from ``lock`` to today. Changes of a method are not repeated for its tools."""
    today, file, table = build_lock(operations), display_path(lock_path(operations)), operations.inventory.policy_table
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


def _to_findings(name: str, where: str, changes: set[Change], method: MethodDefinition | None) -> Iterator[Finding]:
    for change in sorted(changes, key=lambda change: (change.code, change.description)):
        mend = "accept it (remit lock APP), or revert it"
        if change.bump is VersionBump.MAJOR:
            mend = "revert it, or accept it (remit lock APP) and make the next version a MAJOR one"
        if change.is_looser:
            mend = 'revert it, or accept it by name: remit lock APP --loosen "the reason"'
        what = f"{name}: {change.description}{_parameter_location(change.parameter, method)}"
        yield Finding(code=change.code, where=where, what=what, fix=mend, bump=change.bump, is_looser=change.is_looser)


def _parameter_location(parameter: str, method: MethodDefinition | None) -> str:
    """Where the parameter is defined: its field, else its method."""
    if not parameter or method is None:
        return ""
    place = locate_field(method.payload, parameter)
    return f" ({place if ':' in place else method.metadata.code_location})"


def _diff_operation(
    before: LockedOperation | None, now: LockedOperation | None, table: PolicyTable
) -> Iterator[Change]:
    if before == now:  # whose digests were made just now
        return
    if before is None:
        yield Change("added", VersionBump.MINOR, "is new")
    elif now is None:
        yield Change("removed", VersionBump.MAJOR, "is gone")
    elif not before.has_valid_digests():
        yield Change("stale-lock", VersionBump.NONE, "the lock was edited by hand; its digests do not match")
    else:
        yield from _diff_parameters(before, now)
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
            yield Change("changed-type", bump, f"the parameter {name!r} {wording}", name)
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


def _diff_governance(before: Mapping[str, Any], now: Mapping[str, Any], table: PolicyTable) -> Iterator[Change]:
    for name in sorted({*before, *now}):
        old, new = before.get(name), now.get(name)
        if old != new and name in table.sections:
            yield from _diff_section(name, old, new, table)
        elif old != new:
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
        rule = enforced[field].breaks_callers if field in enforced else None
        breaks = was != value and rule is not None and rule(was, value)
        if (name, field) not in _REPORTED_AS_FACTS and (
            breaks or (was != value and old is not None and new is not None)
        ):
            has_field_changes = True
            yield Change(
                code,
                VersionBump.MAJOR if breaks else VersionBump.MINOR,
                f"{name}.{field} {_format_value(was)} → {_format_value(value)}",
                is_looser=was != value and rule is not None and rule(value, was),
            )
    if not has_field_changes and (old is None or new is None):
        wording = "is now declared" if old is None else "is no longer declared"
        yield Change(code, VersionBump.MINOR, f"{name} {wording}", is_looser=new is None)


def _format_value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return "none" if value in (None, "", []) else canonical_text(value).strip('"')


def _diff_fact(name: str, old: Any, new: Any) -> Change:
    if name == "risk":
        raised = _RISKS.index(new) > _RISKS.index(old)
        code, bump = ("raised-risk", VersionBump.MAJOR) if raised else ("lowered-risk", VersionBump.MINOR)
        return Change(code, bump, f"its risk was {old}, and is {new}", is_looser=not raised)
    if name == "permissions":
        more = sorted(set(new) - set(old))
        bump = VersionBump.MAJOR if more else VersionBump.MINOR
        wording = f"missing permission {', '.join(more)} too" if more else "it needs fewer permissions"
        return Change("changed-permissions", bump, wording, is_looser=not set(old) <= set(new))
    if name == "egress":
        wording = "now sends data out of the system" if new else "no longer sends data out of the system"
        return Change(
            "changed-egress", VersionBump.MAJOR if new else VersionBump.MINOR, f"it {wording}", is_looser=not new
        )
    breaks = name in {"effect", "confirm"} or (name == "visibility" and new != "public")
    return Change(
        f"changed-{name}",
        VersionBump.MAJOR if breaks else VersionBump.MINOR,
        f"{name} {_format_value(old)} → {_format_value(new)}",
        is_looser=_is_looser_fact(name, old, new),
    )


def _is_looser_fact(name: str, old: Any, new: Any) -> bool:
    """Whether a fact lets more happen without a person: no confirmation, trusted output, public, runs again."""
    looser_values: dict[str, bool] = {
        "confirm": old is not None,
        "trusted": new is True,
        "visibility": new == "public",
        "effect": old == "unsafe",
    }
    return looser_values.get(name, False)
