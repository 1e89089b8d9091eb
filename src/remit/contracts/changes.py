"""What has changed since a lock, each change with the step of the version that it needs.

MAJOR breaks whoever calls it as before, MINOR adds, PATCH changes words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from remit.contracts.facts import Risk
from remit.contracts.finding import Finding, Step, shown
from remit.contracts.lock import Agreed, Lock, lock_file, lock_of
from remit.contracts.operations import Operations
from remit.contracts.widening import accepts

_RISKS: Final = [risk.value for risk in Risk]


class Change(NamedTuple):
    """One change: a stable word for its kind, the step it needs, and what it is."""

    code: str
    step: Step
    what: str


def changes(lock: Lock, operations: Operations) -> Iterator[Finding]:
    """The changes from ``lock`` to today. What has changed in a method is not said again of its tools."""
    today, file = lock_of(operations), shown(lock_file(operations))
    said: dict[str, set[Change]] = {}
    for name in sorted({*lock.methods, *today.methods}):
        method = operations.methods.get(name)
        said[name] = set(_of(lock.methods.get(name), today.methods.get(name)))
        where = method.metadata.inventory if method is not None else f"{file}:1"
        yield from _findings(f"method {name}", where, said[name])
    for name in sorted({*lock.tools, *today.tools}):
        tool = operations.tools.get(name)
        above = said[tool.method.metadata.key] if tool is not None and tool.method is not None else set[Change]()
        own = set(_of(lock.tools.get(name), today.tools.get(name))) - above
        yield from _findings(f"tool {name}", tool.where if tool is not None else f"{file}:1", own)


def _findings(name: str, where: str, found: set[Change]) -> Iterator[Finding]:
    for change in sorted(found, key=lambda change: (change.code, change.what)):
        mend = "agree to it (remit lock APP), or take it back"
        if change.step is Step.MAJOR:
            mend = "take it back, or agree to it (remit lock APP) and make the next version a MAJOR one"
        what = f"{name}: {change.what}"
        yield Finding(code=change.code, where=where, what=what, mend=mend, step=change.step)


def _of(before: Agreed | None, now: Agreed | None) -> Iterator[Change]:
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
        yield from _governance(before.governed, now.governed)
        if before.text != now.text:
            yield Change("text", Step.PATCH, "its description has changed")


def _parameters(before: Agreed, now: Agreed) -> Iterator[Change]:
    for name in before.parameters.keys() - now.parameters.keys():
        yield Change("removed-parameter", Step.MAJOR, f"the parameter {name!r} is gone")
    for name in now.parameters.keys() - before.parameters.keys():
        needed = name in now.required
        step, said = (Step.MAJOR, "required") if needed else (Step.MINOR, "optional")
        yield Change("added-parameter", step, f"the parameter {name!r} is new and {said}")
    for name in sorted(before.parameters.keys() & now.parameters.keys()):
        old, new = before.parameters[name], now.parameters[name]
        if old != new:
            wider = accepts(new, old)
            step, said = (Step.MINOR, "takes more than before") if wider else (Step.MAJOR, "does not take all it took")
            yield Change("changed-type", step, f"the parameter {name!r} {said}")
        if (name in before.required) != (name in now.required):
            needed = name in now.required
            step, said = (Step.MAJOR, "is required now") if needed else (Step.MINOR, "is optional now")
            yield Change("changed-required", step, f"the parameter {name!r} {said}")
        elif before.defaults.get(name) != now.defaults.get(name):
            said = f"{before.defaults.get(name)!r}, and is {now.defaults.get(name)!r}"
            yield Change("changed-default", Step.MAJOR, f"the default of {name!r} was {said}")
    if before.result != now.result:
        fits = accepts(before.result, now.result)
        said = "holds more than before" if fits else "is not what it was"
        yield Change("changed-result", Step.MINOR if fits else Step.MAJOR, f"its result {said}")


def _governance(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Change]:
    for name in sorted({*before, *now}):
        old, new = before.get(name), now.get(name)
        if old != new:
            yield _governed(name, old, new)


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
    breaks = name in {"effect", "confirm"} or (name == "visibility" and new != "public")
    said = "other values than before" if isinstance(old, dict) or isinstance(new, dict) else f"{new!r}, before {old!r}"
    return Change(f"changed-{name}", Step.MAJOR if breaks else Step.MINOR, f"{name} has {said}")
