"""Mutants of the figure about applications that differ from their inventory."""

from __future__ import annotations

from typing import Final

from figures import governed
from figures.mutants.mutant import edited, mutants_of

_RUNNING: Final = "remit.inventory.running"
_DIFF: Final = "remit.inventory.lock_diff"
_AGENTS: Final = "remit.inventory.locked_agents"

MUTANTS: Final = mutants_of(
    "governed.unchecked",
    {
        "a runtime starts without looking at its inventory": edited(
            "remit.app:App.check_runtime", "if self.operations is not None:", "if False:"
        ),
        "another object under the name of an entry is accepted": edited(
            f"{_RUNNING}:_check_object", "if not runs_same_body(callee, definition.tool):", "if False:"
        ),
        "stripped layers are not noticed": edited(
            f"{_RUNNING}:_check_object", "elif not keeps_layers(callee, definition.tool):", "elif False:"
        ),
        "a policy that does not cover high risk is accepted": edited(
            "remit.approvals.policy:Policy.covers",
            "any(isinstance(rule, kind) or _may_match(rule, tool) for rule in self.rules)",
            "any(True for _ in self.rules)",
        ),
        "lenient validation is accepted": edited(
            f"{_RUNNING}:_missing_layers",
            "isinstance(each, Validate) and each.strict for",
            "isinstance(each, Validate) for",
        ),
        "run layers are looked at for the first agent only": edited(
            f"{_RUNNING}:_LayersOfCallers.around", "in self._agents]", "in self._agents[1:2]]"
        ),
        "functions without an entry are not noticed": edited(
            f"{_RUNNING}:_check_functions", "and function not in used and", "and not used and"
        ),
        "a runtime starts without looking at the lock": edited(
            f"{_RUNNING}:check_application", "if lock is not None:", "if False:"
        ),
        "agents are not locked": edited("remit.inventory.lock:build_lock", "in offered.items()", "in ()"),
        "what an agent may do besides is not noticed": edited(
            f"{_AGENTS}:_diff_granted", "for each in sorted(set(new) - set(old)))", "for each in list[str]())"
        ),
        "higher limits of an agent are not noticed": edited(f"{_AGENTS}:_diff_limits", "if was != value:", "if False:"),
        "a validator that was removed is not noticed": edited(
            f"{_DIFF}:_diff_functions", "elif name not in new:", "elif False:"
        ),
        "a lower risk loosens nothing": edited(
            f"{_DIFF}:_diff_fact", "_direction(is_looser=not raised)", "GovernanceChange.NONE"
        ),
        "fewer permissions loosen nothing": edited(
            f"{_DIFF}:_diff_fact", "is_looser = not set(old) <= set(new)", "is_looser = False"
        ),
        "an agent above others needs no scope": edited(
            f"{_RUNNING}:_check_scope", "if below and agent.tool_scope is None:", "if False:"
        ),
    },
    governed.measure_until_missed,
)
