"""The outcome of a run that has ended, from its journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import structs

from remit.call.reply import Reply
from remit.engine.artifacts import read_result
from remit.engine.outcome import ExecutionOutcome, cancelled_outcome
from remit.errors import NotFoundError
from remit.journal.ports import Store
from remit.record.items import Position, RunFinished, RunOpened, ToolOutput


async def read_ended_outcome(
    status: Literal["done", "failed", "cancelled"], items: Sequence[Position], store: Store
) -> ExecutionOutcome:
    """The outcome of a run with its result, which may be an artifact. ``items`` are all of the run."""
    outcome, header = _ended_outcome(status, items), items[0].item
    if outcome.reply is None or not isinstance(header, RunOpened):
        return outcome
    content = await read_result(outcome.reply.content, items[0].run, header, store)
    return structs.replace(outcome, reply=structs.replace(outcome.reply, content=content))


def _ended_outcome(status: Literal["done", "failed", "cancelled"], items: Sequence[Position]) -> ExecutionOutcome:
    if status == "cancelled":
        end = items[-1].item
        return cancelled_outcome(items[0].run, end.error if isinstance(end, RunFinished) else "")[0]
    root = next((p.item for p in reversed(items) if isinstance(p.item, ToolOutput) and not p.item.parent), None)
    if root is None:
        return ExecutionOutcome(
            status=status, reply=Reply.from_error(NotFoundError("the result of this run was erased"))
        )
    return ExecutionOutcome(status=status, reply=Reply.from_journal(root.text, root.outcome, is_final=root.final))
