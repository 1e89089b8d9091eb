"""Records the states that tools showed to a conversation, so that a write can detect unseen changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from pydantic import TypeAdapter, ValidationError

from remit.core.argument_types import Name
from remit.core.call_checks import check_arguments
from remit.core.checks import check_text
from remit.errors import SetupError
from remit.record.conversation import read_conversation
from remit.record.items import Item, Note
from remit.record.ledger import Ledger


@check_arguments()
@dataclass(frozen=True, slots=True)
class Seen:
    """An object that a call shows to its caller. A tool that reads or writes it emits ``ctx.emit(Seen(…))``.

    Args:
        kind: the kind of object, such as ``page``.
        id: its id, unique within its kind.
        state: the state that was shown, such as the object's revision.
        parts: the parts that were shown, such as ``content/en``, which includes all ``content/en/…``; empty for
            everything.
    """

    note_name: ClassVar[str] = "seen"
    kind: Name
    id: Name
    state: str
    parts: tuple[str, ...] = ()

    def to_fields(self) -> dict[str, object]:
        """The data of its note."""
        return {"kind": self.kind, "id": self.id, "state": self.state, "parts": self.parts}

    def includes(self, part: str) -> bool:
        """Whether this includes a part."""
        return not self.parts or any(part == each or part.startswith(f"{each}/") for each in self.parts)

    @staticmethod
    def from_item(item: Item) -> Seen | None:
        """The state that a journal item reports as shown; None for any other item."""
        if not isinstance(item, Note) or item.name != Seen.note_name:
            return None
        try:
            return _type_adapter().validate_json(item.data, strict=True)
        except (ValidationError, SetupError):
            return None


async def find_last_seen(ledger: Ledger, kind: str, object_id: str, parts: Sequence[str]) -> dict[str, str]:
    """Find the last shown state of each part, in the ledger's run or in earlier runs of the conversation.

    Parts that were not shown are missing. Without parts, the result has the whole object's state under the empty text.
    """
    for name, value in (("kind", kind), ("id", object_id)):
        check_text(f"last_seen: {name}", value)
    missing, found = dict.fromkeys(parts or ("",)), dict[str, str]()
    async for items in read_conversation(ledger):
        _collect(reversed(items), kind, object_id, missing, found)
        if not missing:
            break
    return found


def _collect(items: Iterable[Item], kind: str, object_id: str, missing: dict[str, None], found: dict[str, str]) -> None:
    """Move the parts that items report, newest first, from ``missing`` to ``found``."""
    for item in items:
        seen = Seen.from_item(item)
        if seen is None or (seen.kind, seen.id) != (kind, object_id):
            continue
        for part in [each for each in missing if seen.includes(each)]:
            del missing[part]
            found[part] = seen.state
        if not missing:
            return


@cache
def _type_adapter() -> TypeAdapter[Seen]:
    return TypeAdapter(Seen)
