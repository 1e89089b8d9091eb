"""A statement is written once for a database, and fails as SQLAlchemy's own would."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import (
    URL,
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    Table,
    Text,
    bindparam,
    create_engine,
    insert,
    select,
    update,
)
from sqlalchemy.exc import DBAPIError

from remit.journal.sql.statements import Command, Query, commit_by_driver
from remit.journal.sql.tables import open_engine

WORDS = Table("words", MetaData(), Column("word", Text, primary_key=True), Column("times", Integer, nullable=False))
ADD = Command(insert(WORDS))
SAID = Query(select(WORDS).where(WORDS.c.times >= bindparam("least")).order_by(WORDS.c.word))
AGAIN = Command(update(WORDS).where(WORDS.c.word == bindparam("the_word"), WORDS.c.times == 1).values(times=2))


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = open_engine(URL.create("sqlite", database=str(tmp_path / "words.db")))
    WORDS.create(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def connection(engine: Engine) -> Iterator[Connection]:
    with engine.begin() as connection:
        yield connection


def test_rows_have_their_columns_as_attributes(connection: Connection) -> None:
    ADD.execute(connection, {"word": "hello", "times": 1}, {"word": "bye", "times": 3})
    assert [(row.word, row.times) for row in SAID.all(connection, least=1)] == [("bye", 3), ("hello", 1)]
    first = SAID.first(connection, least=2)
    assert first is not None
    assert first.word == "bye"
    assert SAID.first(connection, least=4) is None


def test_a_command_tells_how_many_rows_it_changed(connection: Connection) -> None:
    ADD.execute(connection, {"word": "one", "times": 1}, {"word": "two", "times": 1})
    assert AGAIN.execute(connection, {"the_word": "one"}) == 1
    assert AGAIN.execute(connection, {"the_word": "one"}, {"the_word": "two"}) == 1
    assert AGAIN.execute(connection, {"the_word": "nobody"}) == 0


def test_what_the_statement_says_itself_stands_whatever_else_is_given(connection: Connection) -> None:
    ADD.execute(connection, {"word": "one", "times": 1})
    AGAIN.execute(connection, {"the_word": "one", "times": 9, "times_1": 9})
    assert [row.times for row in SAID.all(connection, least=0)] == [2]


def test_what_the_database_refuses_is_told_as_sqlalchemy_tells_it(connection: Connection) -> None:
    ADD.execute(connection, {"word": "one", "times": 1})
    with pytest.raises(DBAPIError, match="UNIQUE") as refused:
        ADD.execute(connection, {"word": "one", "times": 1})
    assert not refused.value.connection_invalidated
    assert [row.word for row in SAID.all(connection, least=0)] == ["one"]


def test_what_is_said_in_a_transaction_is_rolled_back_with_it(engine: Engine) -> None:
    def half(connection: Connection) -> None:
        ADD.execute(connection, {"word": "half", "times": 1})
        raise ValueError("no further")

    with pytest.raises(ValueError, match="no further"), engine.begin() as connection:
        half(connection)
    with engine.connect() as connection:
        assert SAID.all(connection, least=0) == []


def test_a_statement_without_a_value_for_a_column_names_the_column(engine: Engine) -> None:
    with engine.begin() as connection, pytest.raises(LookupError, match="no value for 'times': INSERT INTO words"):
        ADD.execute(connection, {"word": "bread"})


def test_a_commit_that_the_driver_refuses_is_an_error_of_the_database() -> None:
    class Refusing:
        """A connection of the driver that cannot commit."""

        dbapi_connection = None

        def commit(self) -> None:
            raise sqlite3.OperationalError("database is locked")

    engine = create_engine("sqlite://")
    connection: Any = SimpleNamespace(connection=Refusing(), dialect=engine.dialect)
    with pytest.raises(DBAPIError, match="database is locked"):
        commit_by_driver(connection)
    engine.dispose()
