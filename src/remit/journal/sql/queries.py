"""The statements that executing runs need: leases, the state of a run, and runs that are due."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, and_, bindparam, extract, func, insert, or_, select, update

from remit.journal.index import UNFINISHED_STATUSES
from remit.journal.ports import ConversationKey
from remit.journal.sql.change_number import ChangeNumber
from remit.journal.sql.run_totals import NO_TOTALS
from remit.journal.sql.statements import Command, Query
from remit.journal.sql.tables import ITEMS, NOT_ENDED, QUESTIONS, RUNS, one_of
from remit.journal.sql.writes import RUN_IS_OPENED
from remit.record.items import DETACHED

UNOPENED_RUN = {
    "next_seq": 0,
    "status": "running",
    "opened": 0.0,
    "ended": 0.0,
    "cancelled": "",
    "number": 0,
    "wake": 0.0,
    **dict.fromkeys(("tenant", "principal", "application", "agent", "callee", "conversation", "after", "target"), ""),
    "erased": 0,
    **NO_TOTALS,
}
"""The columns of a run that is leased but not opened."""

SELECT_ITEMS = Query(
    select(ITEMS).where(ITEMS.c.run == bindparam("run"), ITEMS.c.seq > bindparam("after")).order_by(ITEMS.c.seq)
)
SELECT_RUN = Query(select(RUNS).where(RUNS.c.run == bindparam("run"), RUN_IS_OPENED))
SELECT_TIME = Query(select(extract("epoch", func.clock_timestamp()).label("now")))
_EARLIER = RUNS.alias()
_WAITS_FOR_EARLIER = (
    select(_EARLIER.c.run)
    .where(
        *(_EARLIER.c[name] == RUNS.c[name] for name in ConversationKey._fields),
        _EARLIER.c.number < RUNS.c.number,
        _EARLIER.c.after != DETACHED,
        _EARLIER.c.ended == 0,
    )
    .exists()
)
SELECT_DUE_RUNS = Query(
    select(RUNS.c.run)
    .where(
        RUNS.c.application == bindparam("application"),
        NOT_ENDED,
        one_of(RUNS.c.status, UNFINISHED_STATUSES),
        RUNS.c.wake <= bindparam("now"),
        RUNS.c.until <= bindparam("now"),
        RUN_IS_OPENED,
        or_(RUNS.c.status != "queued", ~_WAITS_FOR_EARLIER),
    )
    .order_by(RUNS.c.wake, RUNS.c.run)
    .limit(bindparam("limit"))
)
SELECT_CANCELLED = Query(
    select(RUNS.c.run, RUNS.c.cancelled, RUNS.c.cancel_signature).where(RUNS.c.run == bindparam("run"))
)
SELECT_CHAIN = Query(select(ITEMS.c.chain).where(ITEMS.c.run == bindparam("run"), ITEMS.c.seq == bindparam("seq")))
SELECT_LEASE = Query(select(RUNS).where(RUNS.c.run == bindparam("run")))
SELECT_QUESTIONS_OF_RUN = Query(
    select(QUESTIONS)
    .where(
        or_(
            QUESTIONS.c.run == bindparam("run"),
            and_(
                QUESTIONS.c.conversation == bindparam("conversation"),
                QUESTIONS.c.conversation != "",
                QUESTIONS.c.taken_run == bindparam("run"),
            ),
        )
    )
    .order_by(QUESTIONS.c.asked)
)
"""The questions that a run has asked, and those of its conversation that it has used."""
SELECT_LAST_APPROVAL = Query(
    select(QUESTIONS)
    .join(RUNS, RUNS.c.run == QUESTIONS.c.run)
    .where(QUESTIONS.c.approval == bindparam("approval"), RUNS.c.application == bindparam("application"))
    .order_by(QUESTIONS.c.asked.desc(), QUESTIONS.c.question.desc())
    .limit(1)
)
_NEW_RUN = {
    **{name: bindparam(name, type_=RUNS.c[name].type) for name in ("run", "epoch", "driver", "until", *UNOPENED_RUN)},
    "changed": ChangeNumber(),
}
INSERT_RUN = Command(
    insert(RUNS).from_select(
        list(_NEW_RUN),
        select(*_NEW_RUN.values()).where(~select(ITEMS.c.run).where(ITEMS.c.run == _NEW_RUN["run"]).exists()),
    )
)
"""Inserts the row of a run, unless the run has items."""
UPDATE_LEASE = Command(
    update(RUNS)
    .where(RUNS.c.run == bindparam("the_run"))
    .values(epoch=bindparam("epoch"), driver=bindparam("driver"), until=bindparam("until"))
)
UPDATE_LEASE_EXPIRY = Command(
    update(RUNS)
    .where(RUNS.c.run == bindparam("the_run"), RUNS.c.epoch == bindparam("the_epoch"))
    .values(until=bindparam("until"))
)


def read_database_time(connection: Connection) -> float:
    """Seconds since the epoch by the clock of Postgres."""
    return float(SELECT_TIME.all(connection)[0].now)


def clock_reader(clock: Callable[[], float]) -> Callable[[Connection], float]:
    """Reads the time from a clock of this process."""
    return lambda _connection: clock()
