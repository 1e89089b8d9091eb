"""The corruption sweep: every row of every table of a journal is damaged, and its runs are continued."""

from __future__ import annotations

import asyncio
import logging
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import insert

from figures.corruption_damages import Damage, damages, read_tables
from figures.corruption_world import JOURNAL, KEY_FILE, Outcome, Written, continue_all, write_journal
from figures.figure import Figure, no_violations
from remit.database.urls import parse_url
from remit.journal.sql.migrations import migrate
from remit.journal.sql.tables import KEY, METADATA, open_engine
from tests.postgres import Postgres, serving

_RESULTS: Final = ("violated", "refused", "asked a person instead", "equal")

OpenCopy = Callable[[], AbstractContextManager[str]]
"""A copy of the journal, by its URL."""


def figures(*, short: bool) -> Iterator[Figure]:
    """Damage after which something ran that would not have run, or ended otherwise without an error."""
    yield from measure_corruption(every=251 if short else 1, every_on_postgres=0 if short else 29)


def measure_corruption(*, every: int, every_on_postgres: int = 0, only: str = "") -> Iterator[Figure]:
    """The figure over every so many damages of a journal in SQLite, and of the same journal in Postgres.

    ``only`` limits it to the damages whose description contains this pattern.
    """
    root = Path(tempfile.mkdtemp(prefix="remit-corruption-"))
    logging.disable()  # the journal warns of each damaged row
    world, results, violations = root / "world", Counter[str](), list[str]()
    world.mkdir()
    written = asyncio.run(write_journal(world))
    planned = [each for each in damages(read_tables(_url(world)), written.older) if re.search(only, each.description)]
    found = _sweep(lambda: _copy_file(world, root / "case"), world / KEY_FILE, written, planned[::every])
    if every_on_postgres:
        with serving() as server:
            template = _load_into_postgres(server, world)
            chosen = planned[::every_on_postgres]
            found += _sweep(lambda: _copy_database(server, template), world / KEY_FILE, written, chosen)
    logging.disable(logging.NOTSET)
    shutil.rmtree(root)
    for damage, result in found:
        results[result] += 1
        violations += [damage.description] if result == "violated" else []
    how = "each row of each table deleted, altered in each column, swapped, doubled, forged, and put back as it was: "
    how += str(dict(results)) + (f"; violated: {violations[:20]}" if violations else "")
    yield no_violations("corruption.executed", len(violations), len(found), how)


def _sweep(
    open_copy: OpenCopy, key_file: Path, written: Written, planned: Sequence[Damage]
) -> list[tuple[Damage, str]]:
    """Damage a copy in each way and continue its runs; what came of each."""
    with open_copy() as url:
        expected = asyncio.run(continue_all(url, key_file, written))
    found: list[tuple[Damage, str]] = []
    for damage in planned:
        with open_copy() as url:
            engine = open_engine(parse_url(url))
            with engine.begin() as connection:
                damage.do(connection)
            engine.dispose()
            outcomes = asyncio.run(continue_all(url, key_file, written))
        results = {_judge(expected[step], outcome) for step, outcome in outcomes.items()}
        found.append((damage, next(each for each in _RESULTS if each in results)))
    return found


def _judge(expected: Outcome, outcome: Outcome) -> str:
    """What came of a step on a damaged journal, in comparison with the journal before."""
    if outcome == expected:
        return "equal"
    ran_more = Counter(outcome.effects) - Counter(expected.effects)
    if not ran_more and outcome.status == "refused" and "\n" not in outcome.error:
        return "refused"
    if not ran_more and outcome.status == "waiting":
        return "asked a person instead"
    return "violated"


@contextmanager
def _copy_file(world: Path, case: Path) -> Generator[str]:
    shutil.copytree(world, case)
    yield _url(case)
    shutil.rmtree(case)


@contextmanager
def _copy_database(server: Postgres, template: str) -> Generator[str]:
    name = server.make(template)
    yield server.url(name)
    server.drop(name)


def _load_into_postgres(server: Postgres, world: Path) -> str:
    """The same journal in Postgres, with the same key and signatures; the name of its database."""
    name = server.make()
    engine = open_engine(parse_url(server.url(name)))
    migrate(engine, world / KEY_FILE)
    tables = read_tables(_url(world))
    with engine.begin() as connection:
        for table in METADATA.sorted_tables:
            if table is not KEY and tables[table]:
                connection.execute(insert(table), tables[table])
    engine.dispose()
    return name


def _url(folder: Path) -> str:
    return f"sqlite:///{folder / JOURNAL}"
