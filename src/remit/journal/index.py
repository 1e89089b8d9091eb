"""How the index follows from items and time; both stores use it, so they agree."""

from __future__ import annotations

from typing import Final

from remit.contracts.items import Finished, Item, Opened, Position, Resumed, Waiting
from remit.errors import RequestError
from remit.journal.ports import QuestionRow, RunRow, RunStatus


def row_of(position: Position, item: Opened) -> RunRow:
    """The line about a run that its header says."""
    return RunRow(
        run=position.run,
        status="running",
        tenant=item.tenant,
        principal=item.principal,
        application=item.application,
        agent=item.agent,
        callee=item.callee,
        conversation=item.conversation,
        after=item.after,
        opened=position.at,
        ended=0.0,
    )


def status_of(item: Item) -> RunStatus | None:
    """The status that a run has after an item, if the item changes it."""
    if isinstance(item, Finished):
        return item.status
    return _STATUS.get(type(item))


_STATUS: Final[dict[type[Item], RunStatus]] = {Waiting: "waiting", Resumed: "running"}


def seen(row: QuestionRow, now: float) -> QuestionRow:
    """The row as it looks now: an open question past its time is expired."""
    return row._replace(status="expired") if row.status == "open" and row.question.expires <= now else row


def check_open(row: QuestionRow | None, question: str, now: float) -> QuestionRow:
    """The row, if it can be decided.

    Raises:
        RequestError: no such question, or it is decided or expired.
    """
    if row is None:
        raise RequestError(f"there is no question {question}")
    status = seen(row, now).status
    if status == "expired":
        raise RequestError(f"question {question} has expired, which means denied; the agent may ask again")
    if status != "open":
        by = f" by {row.decision.by}" if row.decision else ""
        raise RequestError(f"question {question} is {status}{by} already")
    return row
