"""Notes that a layer files under a call: written once, however often the run is driven."""

from __future__ import annotations

from remit.contracts.call import Call
from remit.contracts.items import Note
from remit.contracts.schema import content_of


def note(call: Call, name: str, data: object) -> None:
    """File a note under ``call``, unless the journal has it already."""
    said = content_of(data)
    known = (item for item in call.ledger.known(call.id) if isinstance(item, Note))
    if not any((item.name, item.data) == (name, said) for item in known):
        call.ledger.add(Note(call=call.id, name=name, data=said))
