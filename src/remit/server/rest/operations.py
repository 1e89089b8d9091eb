"""All operations of the REST API."""

from __future__ import annotations

from typing import Final

from remit.server.rest import me, questions, runs
from remit.server.rest.operation import Operation

OPERATIONS: Final[tuple[Operation, ...]] = (*me.OPERATIONS, *runs.OPERATIONS, *questions.OPERATIONS)
