"""Who waits for whom on Postgres: writers of one run or conversation, where SQLite has one lock for the whole file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple
from zlib import crc32

from sqlalchemy import Connection, select, text

from remit.journal.sql.tables import QUESTIONS

_STRIPE_COUNT: Final = 2048
"""A name stands for one of so many locks, so that Postgres has room for all of them. Two that share one only wait."""

_LOCK_NAMESPACE: Final = 0x52656D69
"""Advisory locks belong to a whole database; this number keeps ours apart from everybody else's."""

_ACQUIRE_LOCKS: Final = text(
    "SELECT pg_advisory_xact_lock(:room, stripe) FROM unnest(CAST(:stripes AS integer[])) AS stripe"
)


class LockKeys(NamedTuple):
    """What a work reads and then changes: by name, and questions, each of which is changed with the run that asked."""

    names: frozenset[str] = frozenset()
    questions: frozenset[str] = frozenset()


def acquire_locks(connection: Connection, lock_keys: Iterable[LockKeys]) -> None:
    """Wait until nobody else changes what any of ``lock_keys`` touches, and let nobody until the transaction ends.

    All locks are taken before the first change and in one order, so no two transactions wait for each other. On SQLite
    the transaction has locked the file when it began.
    """
    if connection.dialect.name != "postgresql":
        return
    key_sets = list(lock_keys)
    names = {name for each in key_sets for name in each.names | each.questions}
    questions = {question for each in key_sets for question in each.questions}
    if questions:
        names.update(connection.scalars(select(QUESTIONS.c.run).where(QUESTIONS.c.question.in_(questions))))
    stripes = sorted({crc32(name.encode(errors="surrogatepass")) % _STRIPE_COUNT for name in names})
    connection.execute(_ACQUIRE_LOCKS, {"room": _LOCK_NAMESPACE, "stripes": stripes})
