"""Notes that layers store under a call, once per run."""

from __future__ import annotations

from remit.call.call import Call
from remit.call.schema import serialize_content, shorten_text
from remit.core.checks import check_method, check_name
from remit.record.current_run import CURRENT_RUN
from remit.record.items import Note


def limit_content(content: str, max_bytes: int) -> str:
    """The JSON of a note, or of its beginning if it exceeds ``max_bytes``."""
    text = shorten_text(content, max_bytes)
    return content if text == content else serialize_content({"truncated": True, "beginning": text})


def write_note(call: Call, name: str, data: object) -> None:
    """Store a note under ``call`` unless the journal has it already."""
    check_method("write_note: call", call, "ledger", "give the call that the layer got")
    check_name("write_note: name", name)
    content = limit_content(serialize_content(data), CURRENT_RUN.get().limits.note_bytes)
    notes = (item for item in call.ledger.items_for(call.id) if isinstance(item, Note))
    if not any((item.name, item.data) == (name, content) for item in notes):
        call.ledger.add(Note(call=call.id, name=name, data=content))
