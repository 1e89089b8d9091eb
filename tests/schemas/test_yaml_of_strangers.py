"""YAML of strangers is read as what it says in every file, or refused on its line: a value is never another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.schemas.yaml_readers import PLACES, Read, is_read, is_refused, read_document, read_whole_worker
from tests.strangers.yaml_files import FILES, NO_VALUES, VALUES, WORKERS

EACH_PLACE = pytest.mark.parametrize("place", PLACES)


def short(text: str) -> str:
    return f"{text[:20]!a}"


@EACH_PLACE
@pytest.mark.parametrize("written", VALUES, ids=short)
def test_a_value_is_what_it_says(tmp_path: Path, place: str, written: str) -> None:
    found = PLACES[place](tmp_path, written)
    assert is_read(found, VALUES[written]), found


@EACH_PLACE
@pytest.mark.parametrize("written", NO_VALUES, ids=short)
def test_what_readers_may_take_differently_is_refused(tmp_path: Path, place: str, written: str) -> None:
    found = PLACES[place](tmp_path, written)
    assert is_refused(found, NO_VALUES[written]), found


@pytest.mark.parametrize(
    ("read", "content", "expected"),
    [
        *((read_document, *case) for case in FILES.values()),
        *((read_whole_worker, *case) for case in WORKERS.values()),
    ],
    ids=[*FILES, *(f"{name}, in a worker file" for name in WORKERS)],
)
def test_a_file_says_what_it_says_or_is_refused_on_its_line(
    tmp_path: Path, read: Read, content: bytes, expected: object
) -> None:
    found = read(tmp_path, content)
    if isinstance(expected, str):
        assert is_refused(found, expected), found
    else:
        assert is_read(found, expected), found
