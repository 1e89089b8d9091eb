"""A full-text index that is updated in the row's transaction, with FTS5 in SQLite and a tsvector in Postgres."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from pydantic import PositiveFloat
from sqlalchemy import Connection, Float, Subquery, Text, column, text
from sqlalchemy.ext.asyncio import AsyncSession

from remit.core.call_checks import check_arguments
from remit.core.checks import as_text_tuple, check_text, wrong_value
from remit.database.words import (
    Word,
    canonical_languages,
    matching_terms,
    split_words,
    stem_terms,
)

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,47}")
_MAX_QUERY_WORDS: Final = 20
_OWN_NAMES: Final = frozenset({"self", "session", "key", "language"})
"""Parameter names of `FullText.index`, which text columns must not have."""
_LETTERS: Final = "ABCD"
"""The four weights of Postgres, which limit an index to four text columns."""
_MAX_POSITION: Final = 16_383
_MAX_LEXEME: Final = 500
_MAX_VECTOR: Final = 500_000
"""The maximum characters of a row's vector; Postgres allows 1 MB. Words beyond this are not found."""
_USUAL_LENGTH: Final = 1000.0
"""The characters of a row of usual length. In a longer row, each word counts less."""
_BEGIN_SHARE: Final = 0.3
_STEM_SHARE: Final = 0.7
"""The weight of a word with the same stem. A word that begins with the query's word counts 1."""


@check_arguments()
@dataclass(frozen=True, slots=True)
class FullText:
    """An index over the texts of rows, which finds words, prefixes, and words with the same stem.

    Case and accents do not matter. Stemming uses Snowball's algorithms: in English, *baking* finds *bake*.

    Args:
        table: the name of its table.
        key: the name of the column with the key of the texts' row.
        columns: the text columns, at most four, with their weights.

    Raises:
        SetupError: a name or a weight cannot be used.
    """

    table: str
    key: str
    columns: Mapping[str, PositiveFloat]

    def __post_init__(self) -> None:
        """Check the names."""
        for name in (self.table, self.key, *self.columns):
            if not isinstance(name, str) or not _NAME.fullmatch(name):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise wrong_value("FullText: name", name, "give a name of lower-case letters, digits and _")
        if not 1 <= len(self.columns) <= len(_LETTERS):
            raise wrong_value("FullText: columns", dict(self.columns), "give one to four")
        if own := sorted(_OWN_NAMES & self.columns.keys()):
            raise wrong_value("FullText: column", own[0], "give another name: `index` has a parameter of that name")

    def create(self, connection: Connection) -> None:
        """Create the table; for a migration: ``PAGES.create(op.get_bind())``."""
        for statement in self._sqlite_tables() if connection.dialect.name == "sqlite" else self._postgres_tables():
            connection.exec_driver_sql(statement)

    def _sqlite_tables(self) -> tuple[str, ...]:
        """The index, its words, and a small side table that lets a search read thousands of rows without texts."""
        names = f"{self.key} UNINDEXED, {', '.join(self.columns)}"
        tokens = "tokenize = 'unicode61 remove_diacritics 2'"
        row = "id INTEGER PRIMARY KEY, key TEXT NOT NULL, length INTEGER NOT NULL"
        return (
            f"CREATE VIRTUAL TABLE {self.table} USING fts5({names}, {tokens})",
            f"CREATE VIRTUAL TABLE {self.table}_vocabulary USING fts5vocab('{self.table}', 'instance')",
            f"CREATE TABLE {self.table}_rows ({row})",
        )

    def _postgres_tables(self) -> tuple[str, ...]:
        return (
            f"CREATE TABLE {self.table} ({self.key} text PRIMARY KEY, words tsvector NOT NULL)",
            f"CREATE INDEX {self.table}_words ON {self.table} USING gin (words)",
        )

    def drop(self, connection: Connection) -> None:
        """Drop the table; for a migration."""
        for beside in ("_vocabulary", "_rows", "") if connection.dialect.name == "sqlite" else ("",):
            connection.exec_driver_sql(f"DROP TABLE {self.table}{beside}")

    async def index(self, session: AsyncSession, key: str, language: str = "", **texts: str) -> None:
        """Index the texts of a row by column, replacing its earlier entry.

        Args:
            session: a session that writes.
            key: the key of the row.
            language: the language of the texts or a locale, such as ``en`` or ``de-AT``. Without a language, or without
                an algorithm for it, only words and prefixes are found.
            texts: a text for each column.
        """
        if unknown := texts.keys() ^ self.columns.keys():
            raise wrong_value(f"FullText.index: {min(unknown)}", None, f"give texts for {', '.join(self.columns)}")
        for name, value in texts.items():
            check_text(f"FullText.index: {name}", value)
        check_text("FullText.index: language", language)
        languages = canonical_languages([language])
        await self.remove(session, key)
        if _is_sqlite(session):
            row = {"id": _row_id(key), "key": key, "length": sum(map(len, texts.values()))}
            await session.execute(text(f"INSERT INTO {self.table}_rows VALUES (:id, :key, :length)"), row)  # noqa: S608
            names = ["rowid", self.key, *self.columns]
            stemmed = {name: _with_stems(value, languages) for name, value in texts.items()}
            values = {"rowid": row["id"], self.key: key, **stemmed}
            statement = f"INSERT INTO {self.table} ({', '.join(names)}) VALUES ({', '.join(f':{n}' for n in names)})"  # noqa: S608 - checked names
        else:
            values = {"key": key, "words": _vector_of(self._places(texts), languages)}
            statement = f"INSERT INTO {self.table} VALUES (:key, CAST(:words AS tsvector))"  # noqa: S608 - a checked name
        await session.execute(text(statement), values)

    async def remove(self, session: AsyncSession, key: str) -> None:
        """Remove a row from the index."""
        if not _is_sqlite(session):
            await session.execute(text(f"DELETE FROM {self.table} WHERE {self.key} = :key"), {"key": key})  # noqa: S608
            return
        for table, name in ((self.table, "rowid"), (f"{self.table}_rows", "id")):
            await session.execute(text(f"DELETE FROM {table} WHERE {name} = :id"), {"id": _row_id(key)})  # noqa: S608

    def search(self, session: AsyncSession, query: str, languages: Sequence[str] = ()) -> Subquery:
        """Select rows that match a query's words, exactly, by prefix or by stem, as ``key`` and ``score``.

        Join the selection with the table of the rows. A higher score is a better match; scores of different searches
        are not comparable. A query consists of words and has no syntax; without words it finds nothing.

        Args:
            session: a session that reads.
            query: the words.
            languages: the languages of the rows, in which words may share a stem, such as ``["en", "de-AT"]``.
        """
        check_text("FullText.search: query", query)
        codes = canonical_languages(as_text_tuple("FullText.search: languages", languages))
        words = [*{word.text: word for word in split_words(query)}.values()][:_MAX_QUERY_WORDS]
        terms = {word.text: matching_terms(word, codes) for word in words}
        if not words:
            statement, bounds = f"SELECT {self.key} AS key, 0.0 AS score FROM {self.table} WHERE false", {}  # noqa: S608
        elif _is_sqlite(session):
            statement, bounds = self._rank_in_sqlite([*terms.values()]), _bounds_of(terms)
        else:
            statement, bounds = self._rank_in_postgres(), _tsqueries_of(terms)
        return text(statement).bindparams(**bounds).columns(column("key", Text), column("score", Float)).subquery()

    def _rank_in_sqlite(self, terms: Sequence[Sequence[str]]) -> str:
        """Score like BM25, but from each row alone, so that scores reveal nothing about other rows.

        FTS5's own ``bm25`` counts the words of all rows. Each row counts its prefix matches or its stem matches,
        whichever are more.
        """
        weight = " ".join(f"WHEN '{name}' THEN {float(each)}" for name, each in self.columns.items())
        weight = f"CASE col {weight} END"
        found = " UNION ALL ".join(
            f"SELECT doc, {_BEGIN_SHARE} * SUM(begun) + {_STEM_SHARE} * MAX(SUM(begun), SUM(stemmed)) AS weight FROM "  # noqa: S608 - checked names
            f"(SELECT doc, {weight} AS begun, CASE WHEN term IN ({listed}) THEN {weight} ELSE 0 END AS stemmed "
            f"FROM {self.table}_vocabulary WHERE term >= :from{number} AND term < :to{number} UNION ALL "
            f"SELECT doc, 0, {weight} FROM {self.table}_vocabulary WHERE term IN ({listed}) "
            f"AND NOT (term >= :from{number} AND term < :to{number})) GROUP BY doc"
            for number, each in enumerate(terms)
            for listed in [", ".join(f":term{number}_{place}" for place in range(len(each)))]
        )
        return (
            f"SELECT rows.key, SUM(weight / (weight + 0.3 + 0.9 * rows.length / {_USUAL_LENGTH})) AS score "  # noqa: S608
            f"FROM ({found}) AS found CROSS JOIN {self.table}_rows AS rows ON rows.id = found.doc GROUP BY found.doc"
        )

    def _rank_in_postgres(self) -> str:
        most = max(self.columns.values())
        parts = [weight / most for weight in self.columns.values()]
        weights = ", ".join(str(each) for each in reversed([*parts, *[0.0] * (len(_LETTERS) - len(parts))]))
        begun, stemmed = (f"ts_rank('{{{weights}}}', words, {query}, 1)" for query in ("begun", "stemmed"))
        return (
            f"SELECT key, {_BEGIN_SHARE} * begun + {_STEM_SHARE} * GREATEST(begun, stemmed) AS score FROM ("  # noqa: S608 - checked names
            f"SELECT {self.key} AS key, {begun} AS begun, {stemmed} * :share AS stemmed FROM {self.table}, "
            "CAST(:begun AS tsquery) AS begun, CAST(:stemmed AS tsquery) AS stemmed WHERE words @@ (begun || stemmed)"
            ") AS ranked"
        )

    def _places(self, texts: Mapping[str, str]) -> Iterable[tuple[int, str, Word]]:
        """The words of a row with their positions and weight letters."""
        position = 0
        for letter, name in zip(_LETTERS, self.columns, strict=False):
            for word in split_words(texts[name]):
                position = min(position + 1, _MAX_POSITION)
                yield position, letter, word


def _is_sqlite(session: AsyncSession) -> bool:
    return session.get_bind().dialect.name == "sqlite"


def _with_stems(value: str, languages: Sequence[str]) -> str:
    """A text for FTS5, followed by the terms of its stems."""
    terms = [term for language in languages for word in split_words(value) for term in stem_terms(word, language)]
    return f"{value}\n{' '.join(terms)}" if terms else value


def _vector_of(places: Iterable[tuple[int, str, Word]], languages: Sequence[str]) -> str:
    """Build a tsvector here, so that it does not depend on the server's configuration."""
    lexemes, size = list[str](), 0
    for position, letter, word in places:
        terms = [term for language in languages for term in stem_terms(word, language)]
        lexemes += [f"'{term}':{position}{letter}" for term in (word.text[:_MAX_LEXEME], *terms)]
        size += sum(map(len, lexemes[-1 - len(terms) :]))
        if size > _MAX_VECTOR:
            break
    return " ".join(lexemes)


def _bounds_of(terms: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """For each word, the range of words with this prefix, and the terms of its stems."""
    last, bounds = chr(sys.maxunicode), dict[str, str]()
    for number, (word, each) in enumerate(terms.items()):
        bounds |= {f"from{number}": word, f"to{number}": word + last}
        bounds |= {f"term{number}_{place}": term for place, term in enumerate(each)}
    return bounds


def _tsqueries_of(terms: Mapping[str, Sequence[str]]) -> dict[str, str | float]:
    """The prefix and stem queries of words. Weights make up for the division of a rank by the number of terms."""
    begun = dict.fromkeys(f"'{word[:_MAX_LEXEME]}':*" for word in terms)
    stemmed = dict.fromkeys(f"'{term[:_MAX_LEXEME]}'" for each in terms.values() for term in each)
    return {"begun": " | ".join(begun), "stemmed": " | ".join(stemmed), "share": len(stemmed) / len(begun)}


def _row_id(key: str) -> int:
    """Derive the row number that FTS5 requires: 63 bits of a digest of the key."""
    return int.from_bytes(sha256(key.encode()).digest()[:8]) >> 1
