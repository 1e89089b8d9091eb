"""Inventories and front matter as strangers write them: what is read of each, against what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.schemas.odd_files import list_odd_slices, list_odd_tasks, list_odd_workers
from tests.schemas.yaml_readers import (
    PLACES,
    is_read,
    is_refused,
    is_told,
    read_document,
    read_front_matter,
    read_slice,
    read_task,
    read_whole_worker,
)
from tests.strangers.yaml_files import FILES, NO_VALUES, VALUES, WORKERS


def read_yaml_files(step: int) -> Iterator[tuple[str, bool]]:
    """Values in documents, inventories and front matter; whole files; keys with values of another kind."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for read in PLACES.values():
            for written, value in [*VALUES.items()][::step]:
                yield "YAML", _holds(is_read, read, folder, written, value)
            for written, said in NO_VALUES.items():
                yield "YAML", _holds(is_refused, read, folder, written, said)
        files = [(read_document, *case) for case in FILES.values()]
        for read, content, expected in (*files, *((read_whole_worker, *case) for case in WORKERS.values())):
            judge = is_refused if isinstance(expected, str) else is_read
            yield "YAML files", _holds(judge, read, folder, content, expected)
        lists = (list_odd_slices(), list_odd_workers(), list_odd_tasks())
        for read, files in zip((read_slice, read_front_matter, read_task), lists, strict=True):
            for content in [*files][:: step * step]:
                yield "YAML keys", _holds(is_told, read, folder, content)


def _holds(judge: Callable[..., bool], read: Callable[..., Any], folder: Path, given: Any, *expected: Any) -> bool:
    """Whether what is read is as expected; not if an exception is raised."""
    try:
        return judge(read(folder, given), *expected)
    except Exception:  # noqa: BLE001 - a violation, whatever it is
        return False
