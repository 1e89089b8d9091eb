"""All operations of the server."""

from __future__ import annotations

from typing import Final

from remit.server.agui import operations as agui
from remit.server.rest import me, objects, questions, runs
from remit.server.rest.operation import Operation

OPERATIONS: Final[tuple[Operation, ...]] = (
    *agui.OPERATIONS,
    *me.OPERATIONS,
    *runs.OPERATIONS,
    *questions.OPERATIONS,
    *objects.OPERATIONS,
)
