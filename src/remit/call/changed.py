"""Messages from tools to watchers of a run, such as a page that shows an agent's work."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from pydantic import TypeAdapter, ValidationError

from remit.core.argument_types import Name
from remit.core.call_checks import check_arguments
from remit.errors import SetupError
from remit.record.items import Item, Note


@check_arguments()
@dataclass(frozen=True, slots=True)
class Changed:
    """An object that a call has changed. Emit ``ctx.emit(Changed(…))`` once the change is stored.

    Args:
        kind: the kind of object, such as ``page``.
        id: its id, unique within its kind.
        revision: the revision that the change made; empty if the object has none.
        fields: the changed fields; empty for all, as for a new or deleted object.
        name: a name for people, such as a title; receipts show it instead of the id.
    """

    note_name: ClassVar[str] = "changed"
    kind: Name
    id: Name
    revision: str = ""
    fields: tuple[str, ...] = ()
    name: str = ""

    def to_fields(self) -> dict[str, object]:
        """The data of its note. An empty name is omitted."""
        fields: dict[str, object] = {"kind": self.kind, "id": self.id, "revision": self.revision}
        return {**fields, "fields": self.fields, **({"name": self.name} if self.name else {})}

    @staticmethod
    def from_item(item: Item) -> Changed | None:
        """The change that a journal item reports; None for any other item."""
        if not isinstance(item, Note) or item.name != Changed.note_name:
            return None
        try:
            return _type_adapter().validate_json(item.data, strict=True)
        except (ValidationError, SetupError):
            return None


@cache
def _type_adapter() -> TypeAdapter[Changed]:
    return TypeAdapter(Changed)
