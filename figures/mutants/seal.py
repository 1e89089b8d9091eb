"""Mutants of the figure about what was approved and what runs.

Three places refuse a call that a layer changed: the guard around the layer, the check of what was validated, and the
seal of the base. A defect in one of them breaks no promise, so that each mutant takes the other two away.
"""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import Plant, edited, mutants_of, together

_GUARD: Final = edited(
    "remit.call.guard:_check_same_call", "if getattr(passed, name) is not getattr(entered, name):", "if False:"
)
_VALIDATED: Final = edited(
    "remit.call.guard:compose_calls",
    'checked = _check_unchanged(base, ", ".join(own)) if own else base',
    "checked = base",
)


def _seal(old: str, new: str) -> Plant:
    return together(_GUARD, _VALIDATED, edited("remit.dispatch.seal:check_seal", old, new))


MUTANTS: Final = mutants_of(
    "seal.executions",
    {
        "the base does not compare arguments with those approved": _seal(
            "(question.tool, each.arguments, question.definition)", "(question.tool, current[1], question.definition)"
        ),
        "arguments that Python takes for equal are the same": _seal(
            "if current != (question.tool, each.arguments, question.definition):",
            'if __import__("json").loads(current[1]) != __import__("json").loads(each.arguments):',
        ),
        "of the arguments only their number is compared": _seal(
            "if current != (question.tool, each.arguments, question.definition):",
            'if current[1].count(":") != each.arguments.count(":"):',
        ),
    },
)
