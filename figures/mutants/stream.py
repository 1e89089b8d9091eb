"""Mutants of the figures about streams."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of
from figures.stream import sample

_CURSOR: Final = "remit.client.following:_Cursor"
_BOARD: Final = "remit.engine.open_answers:RunAnswers"

MUTANTS: Final = (
    *mutants_of(
        "stream.lost",
        {
            "a stream goes on behind the place where another ended": edited(
                f"{_CURSOR}._parse", "max(int(offset), 0)", "int(offset) + 3"
            ),
            "a character is skipped after each piece": edited(
                f"{_CURSOR}.read_on", "offset += len(delta.text)", "offset += len(delta.text) + 1"
            ),
            "an item is skipped": edited(
                "remit.client.following:_follow", "store.read(run, cursor.seq)", "store.read(run, cursor.seq + 1)"
            ),
            "the pieces of a failed request are not withdrawn": edited(
                f"{_CURSOR}.drop_lost", "if known not in ids]", "if known is None]"
            ),
            "nothing leaves before it is recorded": edited(
                "remit.chat.streaming:ask_streaming", "chat.answers if call else None", "None"
            ),
        },
        sample,
    ),
    *mutants_of(
        "stream.doubled",
        {
            "the place in a stream has no place in open answers": edited(
                f"{_CURSOR}.__str__",
                "for call, ((epoch, number), offset) in self.open.items()",
                "for call, ((epoch, number), offset) in ()",
            ),
            "a rejoined stream has an open answer from its beginning": edited(
                f"{_CURSOR}._parse", "max(int(offset), 0)", "0"
            ),
            "pieces are stored again for readers elsewhere": edited(
                f"{_BOARD}._store_pieces",
                "encode_deltas(found)",
                "encode_deltas(found * 2)",
            ),
        },
        sample,
    ),
    *mutants_of(
        "stream.misplaced",
        {
            "pieces overtake items": edited(f"{_CURSOR}.is_behind", "answer.follows > self.seq", "False"),
            "an answer does not name the item that it follows": edited(
                f"{_BOARD}.add_answer", "self._last_seq())", "-1)"
            ),
            "an answer is open from the beginning for readers elsewhere": edited(
                "remit.engine.open_answers:find_open_answers", "piece.follows)", "-1)"
            ),
        },
        sample,
    ),
)
