"""Full text: an index that is written in the transaction of the row, FTS5 in SQLite and a tsvector in Postgres."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from sqlalchemy import Connection, Float, Subquery, Text, column, text
from sqlalchemy.ext.asyncio import AsyncSession

from remit.core.checks import check_instance, check_positive, check_unicode, wrong_value

_WORD: Final = re.compile(r"[^\W_]+")
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,47}")
_MAX_QUERY_WORDS: Final = 20
_LETTERS: Final = "ABCD"
"""Postgres has four weights, so that an index has at most four columns of texts."""
_MAX_POSITION: Final = 16_383
_MAX_LEXEME: Final = 500
_MAX_VECTOR: Final = 500_000
"""Characters of the vector of one row in Postgres, which takes 1 MB at most. Further words are not found."""
_USUAL_LENGTH: Final = 1000.0
"""Characters of a row of usual length. In a longer one a word counts for less."""


@dataclass(frozen=True, slots=True)
class FullText:
    """An index over texts of rows, which finds words and beginnings of words in any case and without accents.

    Args:
        table: the name of its table.
        key: the name of the column with the key of the row that the texts belong to.
        columns: the columns of texts, at most four, and how much each weighs.

    Raises:
        SetupError: a name or a weight cannot be used.
    """

    table: str
    key: str
    columns: Mapping[str, float]

    def __post_init__(self) -> None:
        """Check the names and weights."""
        check_instance("FullText: columns", self.columns, Mapping, 'give weights by column, such as {"title": 4.0}')
        for name in (self.table, self.key, *self.columns):
            if not isinstance(name, str) or not _NAME.fullmatch(name):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise wrong_value("FullText: name", name, "give a name of lower-case letters, digits and _")
        if not 1 <= len(self.columns) <= len(_LETTERS):
            raise wrong_value("FullText: columns", dict(self.columns), "give one to four")
        for weight in self.columns.values():
            check_positive("FullText", weight=weight)

    def create(self, connection: Connection) -> None:
        """Create the table, or what an earlier one lacks; for a migration: ``PAGES.create(op.get_bind())``."""
        for statement in self._sqlite_tables() if connection.dialect.name == "sqlite" else self._postgres_tables():
            connection.exec_driver_sql(statement)

    def _sqlite_tables(self) -> tuple[str, ...]:
        """The index, its words, and a small table beside it: a search reads thousands of rows, and of them no texts."""
        names = f"{self.key} UNINDEXED, {', '.join(self.columns)}"
        length = " + ".join(f"length({name})" for name in self.columns)
        tokens = "tokenize = 'unicode61 remove_diacritics 2'"
        row = "id INTEGER PRIMARY KEY, key TEXT NOT NULL, length INTEGER NOT NULL"
        return (
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {self.table} USING fts5({names}, {tokens})",
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {self.table}_vocabulary USING fts5vocab('{self.table}', 'instance')",
            f"CREATE TABLE IF NOT EXISTS {self.table}_rows ({row})",
            f"INSERT OR IGNORE INTO {self.table}_rows SELECT rowid, {self.key}, {length} FROM {self.table}",  # noqa: S608 - checked names
        )

    def _postgres_tables(self) -> tuple[str, ...]:
        return (
            f"CREATE TABLE IF NOT EXISTS {self.table} ({self.key} text PRIMARY KEY, words tsvector NOT NULL)",
            f"CREATE INDEX IF NOT EXISTS {self.table}_words ON {self.table} USING gin (words)",
        )

    def drop(self, connection: Connection) -> None:
        """Drop the table; for a migration."""
        for beside in ("_vocabulary", "_rows"):
            connection.exec_driver_sql(f"DROP TABLE IF EXISTS {self.table}{beside}")
        connection.exec_driver_sql(f"DROP TABLE {self.table}")

    async def index(self, session: AsyncSession, key: str, **texts: str) -> None:
        """Index the texts of a row by column, replacing its earlier entry."""
        if unknown := texts.keys() ^ self.columns.keys():
            raise wrong_value(f"FullText.index: {min(unknown)}", None, f"give texts for {', '.join(self.columns)}")
        for name, value in texts.items():
            check_unicode(f"FullText.index: {name}", value)
        await self.remove(session, key)
        if _is_sqlite(session):
            row = {"id": _row_id(key), "key": key, "length": sum(map(len, texts.values()))}
            await session.execute(text(f"INSERT INTO {self.table}_rows VALUES (:id, :key, :length)"), row)  # noqa: S608
            names = ["rowid", self.key, *self.columns]
            values = {"rowid": row["id"], self.key: key, **texts}
            statement = f"INSERT INTO {self.table} ({', '.join(names)}) VALUES ({', '.join(f':{n}' for n in names)})"  # noqa: S608 - checked names
        else:
            values = {"key": key, "words": self._vector(texts)}
            statement = f"INSERT INTO {self.table} VALUES (:key, CAST(:words AS tsvector))"  # noqa: S608 - a checked name
        await session.execute(text(statement), values)

    async def remove(self, session: AsyncSession, key: str) -> None:
        """Remove a row from the index."""
        if not _is_sqlite(session):
            await session.execute(text(f"DELETE FROM {self.table} WHERE {self.key} = :key"), {"key": key})  # noqa: S608
            return
        for table, name in ((self.table, "rowid"), (f"{self.table}_rows", "id")):
            await session.execute(text(f"DELETE FROM {table} WHERE {name} = :id"), {"id": _row_id(key)})  # noqa: S608

    def search(self, session: AsyncSession, query: str) -> Subquery:
        """The rows that have words of a query, or words that begin with them, as ``key`` and ``score``.

        Join it with the table of the rows. A higher score is a better match; scores of different searches do not
        compare. A query is words and never syntax; it finds nothing if it has none.
        """
        check_unicode("FullText.search: query", query)
        words = [*dict.fromkeys(_words_of(query))][:_MAX_QUERY_WORDS]
        if _is_sqlite(session):
            statement, bounds = self._rank_in_sqlite(words), _bounds_of(words)
        else:
            statement, bounds = self._rank_in_postgres(), {"words": _tsquery_of(words)}
        if not words:
            statement, bounds = f"SELECT {self.key} AS key, 0.0 AS score FROM {self.table} WHERE false", {}  # noqa: S608
        return text(statement).bindparams(**bounds).columns(column("key", Text), column("score", Float)).subquery()

    def _rank_in_sqlite(self, words: Sequence[str]) -> str:
        """Score as BM25 does, but by each row alone: nobody learns from scores what others write.

        FTS5's own ``bm25`` counts the words of all rows.
        """
        weight = " ".join(f"WHEN '{name}' THEN {float(each)}" for name, each in self.columns.items())
        found = " UNION ALL ".join(
            f"SELECT doc, SUM(CASE col {weight} END) AS weight FROM {self.table}_vocabulary "  # noqa: S608 - checked names
            f"WHERE term >= :from{number} AND term < :to{number} GROUP BY doc"
            for number in range(len(words))
        )
        return (
            f"SELECT rows.key, SUM(weight / (weight + 0.3 + 0.9 * rows.length / {_USUAL_LENGTH})) AS score "  # noqa: S608
            f"FROM ({found}) AS found CROSS JOIN {self.table}_rows AS rows ON rows.id = found.doc GROUP BY found.doc"
        )

    def _rank_in_postgres(self) -> str:
        most = max(self.columns.values())
        parts = [weight / most for weight in self.columns.values()]
        weights = ", ".join(str(each) for each in reversed([*parts, *[0.0] * (len(_LETTERS) - len(parts))]))
        return (
            f"SELECT {self.key} AS key, ts_rank('{{{weights}}}', words, query, 1) AS score "  # noqa: S608 - checked names
            f"FROM {self.table}, CAST(:words AS tsquery) AS query WHERE words @@ query"
        )

    def _vector(self, texts: Mapping[str, str]) -> str:
        """The words of a row as a tsvector, made here so that it depends on no configuration of the server."""
        lexemes, size, position = list[str](), 0, 0
        for letter, name in zip(_LETTERS, self.columns, strict=False):
            for word in _words_of(texts[name]):
                position = min(position + 1, _MAX_POSITION)
                lexemes.append(f"'{word[:_MAX_LEXEME]}':{position}{letter}")
                size += len(lexemes[-1])
                if size > _MAX_VECTOR:
                    return " ".join(lexemes)
        return " ".join(lexemes)


def _is_sqlite(session: AsyncSession) -> bool:
    return session.get_bind().dialect.name == "sqlite"


def _words_of(value: str) -> list[str]:
    """The words in lower case and without accents, as FTS5 reads them."""
    letters = (_fold(char) for char in unicodedata.normalize("NFD", value) if unicodedata.category(char) != "Mn")
    return _WORD.findall(unicodedata.normalize("NFC", "".join(letters)))


def _fold(char: str) -> str:
    """A letter in lower case, as one letter: no final sigma, and no ss for a sharp s."""
    folded = char.casefold()
    return folded if len(folded) == 1 else char.lower()


def _bounds_of(words: Sequence[str]) -> dict[str, str]:
    """The first and the last of the words that begin with each of these."""
    last = chr(sys.maxunicode)
    return {name: word + end for n, word in enumerate(words) for name, end in ((f"from{n}", ""), (f"to{n}", last))}


def _tsquery_of(words: Sequence[str]) -> str:
    return " | ".join(f"'{word[:_MAX_LEXEME]}':*" for word in words)


def _row_id(key: str) -> int:
    """FTS5 addresses rows by number: 63 bits of a digest of the key."""
    return int.from_bytes(sha256(key.encode()).digest()[:8]) >> 1
