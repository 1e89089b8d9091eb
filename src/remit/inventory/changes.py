"""What has changed since a lock, each change with the step of the version that it needs.

MAJOR breaks whoever calls it as before, MINOR adds, PATCH changes words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from remit.contracts.facts import Risk
from remit.inventory.definition import MethodDefinition
from remit.inventory.governance import BUSINESS, Table
from remit.inventory.lock import Agreed, Lock, lock_file, lock_of
from remit.inventory.operations import Operations
from remit.schemas.compat import accepts
from remit.schemas.finding import Finding, Step, place_of_field, shown
from remit.schemas.jsontext import canonical_text

_RISKS: Final = [risk.value for risk in Risk]
_IN_FACTS: Final = {(BUSINESS, "required_permissions"), (BUSINESS, "visibility")}


class Change(NamedTuple):
    """One change: a stable word for its kind, the step it needs, what it is, and the parameter it is of."""

    code: str
    step: Step
    what: str
    parameter: str = ""


def changes(lock: Lock, operations: Operations) -> Iterator[Finding]:
    """The changes from ``lock`` to today. What has changed in a method is not said again of its tools."""
    today, file, table = lock_of(operations), shown(lock_file(operations)), operations.inventory.table
    said: dict[str, set[Change]] = {}
    for name in sorted({*lock.methods, *today.methods}):
        method = operations.methods.get(name)
        said[name] = set(_of(lock.methods.get(name), today.methods.get(name), table))
        where = method.metadata.inventory if method is not None else f"{file}:1"
        yield from _findings(f"method {name}", where, said[name], method)
    for name in sorted({*lock.tools, *today.tools}):
        tool = operations.tools.get(name)
        above = said[tool.method.metadata.key] if tool is not None and tool.method is not None else set[Change]()
        own = set(_of(lock.tools.get(name), today.tools.get(name), table)) - above
        where = tool.where if tool is not None else f"{file}:1"
        yield from _findings(f"tool {name}", where, own, tool.method if tool is not None else None)


def _findings(name: str, where: str, found: set[Change], method: MethodDefinition | None) -> Iterator[Finding]:
    for change in sorted(found, key=lambda change: (change.code, change.what)):
        mend = "agree to it (remit lock APP), or take it back"
        if change.step is Step.MAJOR:
            mend = "take it back, or agree to it (remit lock APP) and make the next version a MAJOR one"
        what = f"{name}: {change.what}{_written(change.parameter, method)}"
        yield Finding(code=change.code, where=where, what=what, mend=mend, step=change.step)


def _written(parameter: str, method: MethodDefinition | None) -> str:
    """Where the parameter is written in the code, or else its payload or method."""
    if not parameter or method is None:
        return ""
    payload = method.models.payload
    return f" ({method.metadata.code if payload is None else place_of_field(payload, parameter)})"


def _of(before: Agreed | None, now: Agreed | None, table: Table) -> Iterator[Change]:
    if before == now:  # whose digests were made just now
        return
    if before is None:
        yield Change("added", Step.MINOR, "is new")
    elif now is None:
        yield Change("removed", Step.MAJOR, "is gone")
    elif not before.true():
        yield Change("stale-lock", Step.NONE, "the lock was changed by hand; its digests are not its own")
    else:
        yield from _parameters(before, now)
        yield from _governance(before.governed, now.governed, table)
        if before.text != now.text:
            yield Change("text", Step.PATCH, "its description has changed")


def _parameters(before: Agreed, now: Agreed) -> Iterator[Change]:
    for name in before.parameters.keys() - now.parameters.keys():
        yield Change("removed-parameter", Step.MAJOR, f"the parameter {name!r} is gone", name)
    for name in now.parameters.keys() - before.parameters.keys():
        needed = name in now.required
        step, said = (Step.MAJOR, "required") if needed else (Step.MINOR, "optional")
        yield Change("added-parameter", step, f"the parameter {name!r} is new and {said}", name)
    for name in sorted(before.parameters.keys() & now.parameters.keys()):
        old, new = before.parameters[name], now.parameters[name]
        if old != new:
            wider = accepts(new, old)
            step, said = (Step.MINOR, "takes more than before") if wider else (Step.MAJOR, "does not take all it took")
            yield Change("changed-type", step, f"the parameter {name!r} {said}", name)
        if (name in before.required) != (name in now.required):
            needed = name in now.required
            step, said = (Step.MAJOR, "is required now") if needed else (Step.MINOR, "is optional now")
            yield Change("changed-required", step, f"the parameter {name!r} {said}", name)
        elif before.defaults.get(name) != now.defaults.get(name):
            said = f"{before.defaults.get(name)!r}, and is {now.defaults.get(name)!r}"
            yield Change("changed-default", Step.MAJOR, f"the default of {name!r} was {said}", name)
    if before.result != now.result:
        fits = accepts(before.result, now.result)
        said = "holds more than before" if fits else "is not what it was"
        yield Change("changed-result", Step.MINOR if fits else Step.MAJOR, f"its result {said}")


def _governance(before: Mapping[str, Any], now: Mapping[str, Any], table: Table) -> Iterator[Change]:
    for name in sorted({*before, *now}):
        old, new = before.get(name), now.get(name)
        if old != new and name in table.sections:
            yield from _section(name, old, new, table)
        elif old != new:
            yield _governed(name, old, new)


def _section(name: str, old: dict[str, Any] | None, new: dict[str, Any] | None, table: Table) -> Iterator[Change]:
    """What has changed in a section of policy, field by field; all of it where it was not there, or is not."""
    code, enforced = f"changed-{name}", table.sections[name].enforced
    before, now = old or {}, new or {}
    several = False
    for field in sorted({*before, *now}):
        was, value = before.get(field), now.get(field)
        rule = enforced[field].stricter if field in enforced else None
        breaks = was != value and rule is not None and rule(was, value)
        if (name, field) not in _IN_FACTS and (breaks or (was != value and old is not None and new is not None)):
            several = True
            yield Change(code, Step.MAJOR if breaks else Step.MINOR, f"{name}.{field} {_plain(was)} → {_plain(value)}")
    if not several and (old is None or new is None):
        yield Change(code, Step.MINOR, f"{name} {'is declared now' if old is None else 'is not declared any more'}")


def _plain(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return "none" if value in (None, "", []) else canonical_text(value).strip('"')


def _governed(name: str, old: Any, new: Any) -> Change:
    if name == "risk":
        raised = _RISKS.index(new) > _RISKS.index(old)
        code, step = ("raised-risk", Step.MAJOR) if raised else ("lowered-risk", Step.MINOR)
        return Change(code, step, f"its risk was {old}, and is {new}")
    if name == "permissions":
        more = sorted(set(new) - set(old))
        step = Step.MAJOR if more else Step.MINOR
        said = f"it needs the permission {', '.join(more)} too" if more else "it needs fewer permissions"
        return Change("changed-permissions", step, said)
    if name == "egress":
        said = "sends data out of the system now" if new else "does not send data out of the system any more"
        return Change("changed-egress", Step.MAJOR if new else Step.MINOR, f"it {said}")
    breaks = name in {"effect", "confirm"} or (name == "visibility" and new != "public")
    return Change(f"changed-{name}", Step.MAJOR if breaks else Step.MINOR, f"{name} {_plain(old)} → {_plain(new)}")
