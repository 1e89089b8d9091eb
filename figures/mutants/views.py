"""Mutants of the figure about views of runs."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of

_VIEW: Final = "remit.views.run_view:RunView"

MUTANTS: Final = mutants_of(
    "view.fold_differs",
    {
        "a call that is made is another than the one that was asked for": edited(
            f"{_VIEW}._place", "self._wanted.pop((item.parent, item.wire), None)", "None"
        ),
        "a composed call is named only when it ends": edited(
            "remit.dispatch.attempts:record_entry", "if call.caller.call and", "if False and"
        ),
        "a call that a body makes has no place": edited(f"{_VIEW}._place", "siblings.append(call)", "pass"),
        "a decision is not kept": edited(f"{_VIEW}._decide", "if view is not None and", "if view is None and"),
        "the end of an attempt is that of the first one": edited(
            f"{_VIEW}._end_attempt", "if each.number == item.attempt", "if each is attempts[0]"
        ),
        "a question belongs to the caller": edited(
            f"{_VIEW}._ask", "else self._place(item)", "else self._find(item.parent)"
        ),
    },
)
