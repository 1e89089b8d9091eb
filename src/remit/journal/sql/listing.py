"""The statements that list runs and questions by their properties, page by page."""

from __future__ import annotations

from operator import gt, lt
from typing import Any, Unpack

from sqlalchemy import Select, and_, or_, select

from remit.journal.ports import QuestionFilter, RunFilter
from remit.journal.sql.tables import GRANTS, QUESTION_IS_OPEN, QUESTIONS, RUNS
from remit.journal.sql.writes import RUN_IS_OPENED

_RUN_COLUMNS = ("conversation", "tenant", "principal", "application", "target", "status", "callee")


def select_runs(**run_filter: Unpack[RunFilter]) -> Select[Any]:
    """Select a page of runs, newest first."""
    conversation, before = run_filter.get("conversation"), run_filter.get("before")
    order = RUNS.c.number if conversation else RUNS.c.opened
    where = [
        RUN_IS_OPENED,
        *(RUNS.c[name] == value for name, value in run_filter.items() if name in _RUN_COLUMNS and value),
    ]
    if "since" in run_filter:
        where.append(RUNS.c.opened >= run_filter["since"])
    if "until" in run_filter:
        where.append(RUNS.c.opened < run_filter["until"])
    if before:
        cursor = select(order).where(RUNS.c.run == before).scalar_subquery()
        where.append(or_(order < cursor, and_(order == cursor, RUNS.c.run < before)))
    if run_filter.get("without_erased"):
        where.append(RUNS.c.erased == 0)
    return select(RUNS).where(*where).order_by(order.desc(), RUNS.c.run.desc()).limit(run_filter.get("limit", 50))


def select_grants(tenant: str, tool: str, after: str, limit: int | None) -> Select[Any]:
    """Select a page of grants, oldest first."""
    statement = select(GRANTS).where(GRANTS.c.tenant == tenant).order_by(GRANTS.c.given, GRANTS.c.grant).limit(limit)
    if tool:
        statement = statement.where(GRANTS.c.tool == tool)
    if after:
        cursor = select(GRANTS.c.given).where(GRANTS.c.grant == after).scalar_subquery()
        later = and_(GRANTS.c.given == cursor, GRANTS.c.grant > after)
        statement = statement.where(or_(GRANTS.c.given > cursor, later))
    return statement


def select_questions(**question_filter: Unpack[QuestionFilter]) -> Select[Any]:
    """Select a page of questions. Those past their deadline still count as open here."""
    names = ("conversation", "tenant", "run")
    where = [QUESTIONS.c[name] == value for name, value in question_filter.items() if name in names and value]
    asked, question, newest_first = QUESTIONS.c.asked, QUESTIONS.c.question, question_filter.get("newest_first", False)
    if after := question_filter.get("after"):
        cursor = select(asked).where(question == after).scalar_subquery()
        follows, comes_next = (lt, question < after) if newest_first else (gt, question > after)
        where.append(or_(follows(asked, cursor), and_(asked == cursor, comes_next)))
    order = (asked.desc(), question.desc()) if newest_first else (asked, question)
    statement = select(QUESTIONS).where(*where).order_by(*order)
    statement = statement.where(QUESTION_IS_OPEN) if question_filter.get("only_open", True) else statement
    return statement.limit(question_filter["limit"]) if "limit" in question_filter else statement
