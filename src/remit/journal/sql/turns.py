"""Turns under rate limits, counted in the database for all processes that share it."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, bindparam, insert, select, update

from remit.journal.index import latest_start, plan_turn
from remit.journal.sql.statements import Command, Query
from remit.journal.sql.tables import TURNS
from remit.record.ledger import TurnRequest

_OF_RATE: Final = TURNS.c.rate == bindparam("rate")
_SELECT_EARLIEST: Final = Query(select(TURNS.c.lane, TURNS.c.start).where(_OF_RATE).order_by(TURNS.c.start).limit(1))
_SELECT_LAST_LANE: Final = Query(select(TURNS.c.lane).where(_OF_RATE).order_by(TURNS.c.lane.desc()).limit(1))
_CORRECT_STARTS: Final = Command(
    update(TURNS)
    .where(TURNS.c.rate == bindparam("the_rate"), TURNS.c.start > bindparam("latest"))
    .values(start=bindparam("start"))
)
_INSERT_LANE: Final = Command(insert(TURNS))
_SET_START: Final = Command(
    update(TURNS)
    .where(TURNS.c.rate == bindparam("the_rate"), TURNS.c.lane == bindparam("the_lane"))
    .values(start=bindparam("start"))
)


def take_turn(connection: Connection, request: TurnRequest, now: float) -> float:
    """Take the next turn of a rate, unless it comes too late; return the seconds until it."""
    values = {"the_rate": request.rate, "start": now, "latest": latest_start(request, now)}
    _CORRECT_STARTS.execute(connection, values)
    earliest = _SELECT_EARLIEST.first(connection, rate=request.rate)
    last = _SELECT_LAST_LANE.first(connection, rate=request.rate)
    lanes = 0 if last is None else last.lane + 1
    plan = plan_turn(request, None if earliest is None else earliest.start, lanes, now)
    if plan.start - now > request.max_wait:
        return plan.start - now
    if plan.is_new_lane or earliest is None:
        _INSERT_LANE.execute(connection, {"rate": request.rate, "lane": lanes, "start": plan.start})
    else:
        _SET_START.execute(connection, {"the_rate": request.rate, "the_lane": earliest.lane, "start": plan.start})
    return plan.start - now
