"""Mutants of the figures about AG-UI."""

from __future__ import annotations

from typing import Final

from figures.agui import sample
from figures.mutants.mutant import edited, mutants_of

_ANSWER: Final = "remit.server.agui.answers:ToldAnswer"
_MAPPER: Final = "remit.server.agui.mapper:RunMapper"

MUTANTS: Final = (
    *mutants_of(
        "agui.lost",
        {
            "the events of an item that were not told are skipped with those that were": edited(
                f"{_MAPPER}._number", "start._replace(skip=count)", "end"
            ),
            "a text goes on behind its place": edited(
                f"{_ANSWER}._tell_text", "self.text += len(text)", "self.text += len(text) + 1"
            ),
            "the arguments of a call go on where those of the first one do": edited(
                f"{_ANSWER}.tell_rest", "self.arguments.get(index, 0)", "self.arguments.get(0, 0)"
            ),
            "a recorded answer is told whole": edited(f"{_ANSWER}.tell_rest", "text[max(self.text, 0) :]", "text"),
            "a place forgets how much of an answer was told": edited(
                f"{_ANSWER}.__str__", "*{self.text}{counts}", "*{self.text + 2}{counts}"
            ),
        },
        sample,
    ),
    *mutants_of(
        "agui.doubled",
        {
            "what was discarded stays": edited(
                f"{_MAPPER}._map_drop", "yield MessagesSnapshot(messages=tuple(self._messages))", "yield from ()"
            ),
            "the events of an item are told again": edited(f"{_MAPPER}._number", "if count > start.skip:", "if True:"),
            "a reader who joins again knows no open answers": edited(
                f"{_MAPPER}.restore", "self._answers = {each.request: each.copy() for each in place.told}", "pass"
            ),
            "a state is told at each item": edited(
                f"{_MAPPER}._tell_call", "if self._states.get(call.id) == state:", "if False:"
            ),
        },
        sample,
    ),
    *mutants_of(
        "agui.misplaced",
        {
            "an answer is told before what it follows": edited(
                "remit.client.following:_Cursor.is_behind", "answer.follows > self.seq", "answer.follows > self.seq + 9"
            ),
            "the answers of agents that are called are told as answers of the run": edited(
                f"{_MAPPER}._is_own", "self.view.root is not None and", "self.view.root is not None or"
            ),
            "the calls of a recorded answer are told backwards": edited(
                f"{_ANSWER}.tell_rest", "in enumerate(calls):", "in reversed(list(enumerate(calls))):"
            ),
        },
        sample,
    ),
)
