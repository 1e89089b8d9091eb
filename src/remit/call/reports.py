"""What tools report with ``ctx.emit``, beside messages of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

from remit.call.changed import Changed
from remit.core.call_checks import check_arguments
from remit.record.items import Item, Note
from remit.record.seen import Seen


@check_arguments()
@dataclass(frozen=True, slots=True)
class LastCall:
    """Ends the open run of a call: emit ``ctx.emit(LastCall())``, for example when the call closes a session.

    The run then takes no more calls, and it ends when its calls have ended. Other runs are not affected.
    """

    note_name: ClassVar[str] = "last_call"

    def to_fields(self) -> dict[str, object]:
        """The data of its note: none."""
        return {}

    @staticmethod
    def is_in(item: Item) -> bool:
        """Whether a journal item reports the last call."""
        return isinstance(item, Note) and (item.name, item.data) == (LastCall.note_name, "{}")


Report: TypeAlias = Changed | Seen | LastCall
REPORTS: Final = (Changed, Seen, LastCall)
