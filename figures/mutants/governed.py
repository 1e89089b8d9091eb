"""Mutants of the figure about applications that differ from their inventory."""

from __future__ import annotations

from functools import partial
from typing import Final

from figures import governed
from figures.mutants.mutant import edited, mutants_of

_RUNNING: Final = "remit.inventory.running"

MUTANTS: Final = mutants_of(
    "governed.unchecked",
    {
        "a runtime starts without looking at its inventory": edited(
            "remit.app:App.check_operations", "if self.operations is not None:", "if False:"
        ),
        "another object under the name of an entry is accepted": edited(
            f"{_RUNNING}:_check_object", "if not runs_same_body(callee, definition.tool):", "if False:"
        ),
        "stripped layers are not noticed": edited(
            f"{_RUNNING}:_check_object", "elif not keeps_layers(callee, definition.tool):", "elif False:"
        ),
        "a policy that does not cover high risk is accepted": edited(
            f"{_RUNNING}:_covers",
            "any(each.own_rules or any(isinstance(own, rule) for own in each.rules) for each in policies)",
            "any(True for _ in policies)",
        ),
        "lenient validation is accepted": edited(
            f"{_RUNNING}:_missing_layers",
            "isinstance(each, Validate) and each.strict for",
            "isinstance(each, Validate) for",
        ),
        "run layers are looked at for the first agent only": edited(
            f"{_RUNNING}:_check_run_layers", "for agent in agents:", "for agent in list(agents)[1:2]:"
        ),
        "functions without an entry are not noticed": edited(
            f"{_RUNNING}:_check_functions", "and function not in used:", "and not used:"
        ),
    },
    partial(governed.figures, short=False),
)
