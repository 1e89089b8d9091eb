"""All operations of the server."""

from __future__ import annotations

from typing import Final

from remit.server.agui import operations as agui
from remit.server.rest import (
    conversations,
    files,
    grants,
    me,
    model,
    objects,
    one_run,
    questions,
    runs,
    tools,
    totals,
    watch,
)
from remit.server.rest.operation import Operation

_MODULES: Final = (
    agui,
    me,
    model,
    runs,
    one_run,
    conversations,
    questions,
    tools,
    files,
    grants,
    objects,
    totals,
    watch,
)
OPERATIONS: Final[tuple[Operation, ...]] = tuple(each for module in _MODULES for each in module.OPERATIONS)
