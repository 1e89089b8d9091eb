"""Advisory locks on Postgres for writers of one run or conversation. SQLite locks the whole file instead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple
from zlib import crc32

from sqlalchemy import Connection, select

from remit.journal.index import RESTING_STATUSES
from remit.journal.ports import ConversationKey
from remit.journal.sql.statements import run_by_driver
from remit.journal.sql.tables import QUESTIONS, RUNS

_STRIPE_COUNT: Final = 2048
"""The number of locks to which names are hashed, because Postgres limits them. A collision only causes a wait."""

_LOCK_NAMESPACE: Final = 0x52656D69
"""Advisory locks are shared by the whole database; this number separates Remit's from those of other programs."""

_ACQUIRE_LOCKS: Final = (
    "SELECT pg_advisory_xact_lock({namespace}, stripe) FROM unnest('{{{stripes}}}'::integer[]) AS stripe"
)
"""A part of the first message of every transaction, which the driver alone sends."""


class LockKeys(NamedTuple):
    """The keys that an operation locks: names, and questions.

    A question changes together with the run that asked it and with those that may wait for it.
    """

    names: frozenset[str] = frozenset()
    questions: frozenset[str] = frozenset()


def conversation_lock(key: ConversationKey) -> str:
    """The name that locks a conversation."""
    return "\0".join(key)


def acquire_locks(connection: Connection, lock_keys: Iterable[LockKeys]) -> None:
    """Lock everything that ``lock_keys`` name until the transaction ends."""
    for statement in lock_statements(connection, lock_keys):
        run_by_driver(connection, statement)


def lock_statements(connection: Connection, lock_keys: Iterable[LockKeys]) -> list[str]:
    """The statements that lock everything that ``lock_keys`` name until the transaction ends.

    All locks are taken before the first change and in one order, so that transactions cannot deadlock. On SQLite the
    transaction locks the file when it begins.
    """
    if connection.dialect.name != "postgresql":
        return []
    key_sets = list(lock_keys)
    names = {name for each in key_sets for name in each.names | each.questions}
    questions = {question for each in key_sets for question in each.questions}
    if questions:
        names.update(connection.scalars(select(QUESTIONS.c.run).where(QUESTIONS.c.question.in_(questions))))
        same = (QUESTIONS.c.conversation == RUNS.c.conversation) & (RUNS.c.conversation != "")
        waiting = select(RUNS.c.run).join(QUESTIONS, same).where(QUESTIONS.c.question.in_(questions))
        names.update(connection.scalars(waiting.where(RUNS.c.status.in_(RESTING_STATUSES))))
    stripes = sorted({crc32(name.encode(errors="surrogatepass")) % _STRIPE_COUNT for name in names})
    return [_ACQUIRE_LOCKS.format(namespace=_LOCK_NAMESPACE, stripes=",".join(map(str, stripes)))]
