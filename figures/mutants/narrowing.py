"""Mutants of the figure about what agents pass on to the calls below them."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import Mutant, Plant, edited

_CALLER: Final = "remit.record.principal:Caller.enter_agent"


_STARTED: Final = "remit.engine.started_runs"


def _mutant(defect: str, plant: Plant) -> Mutant:
    return Mutant(figure="narrowing.violations", defect=defect, plant=plant)


MUTANTS: Final = (
    _mutant(
        "a tool scope is not checked",
        edited("remit.dispatch.tool_scope:_ToolScope.__call__", "if tool_scope is not None and", "if False and"),
    ),
    _mutant(
        "an agent widens the tool scope of its caller",
        edited(_CALLER, "else self.tool_scope & tool_scope", "else tool_scope"),
    ),
    _mutant(
        "an agent passes on all permissions of its caller",
        edited(_CALLER, "caller if permissions is None else", "caller if True else"),
    ),
    _mutant(
        "the permissions of a call are not checked",
        edited("remit.layers.authorize:_why_denied", "if not lacking:", "if True:"),
    ),
    _mutant(
        "a run that a body starts has no tool scope",
        edited(f"{_STARTED}:with_cage", "None if scope is None else tuple(sorted(scope))", "None"),
    ),
    _mutant(
        "a run that a body starts has all permissions of its principal",
        edited(f"{_STARTED}:root_caller", "if header.permissions is None else", "if True else"),
    ),
    _mutant(
        "an agent narrows its calls, and not the runs that they start",
        edited(
            "remit.record.principal:Caller.narrow_to",
            "narrow_to(permissions), allowed=allowed)",
            "narrow_to(permissions))",
        ),
    ),
)
