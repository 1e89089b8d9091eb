"""A value of another kind at any key of a file is read, or refused in lines that name it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.schemas.odd_files import list_odd_slices, list_odd_tasks, list_odd_workers
from tests.schemas.yaml_readers import Read, is_told, read_front_matter, read_slice, read_task


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.parametrize(
    ("read", "files"),
    [(read_slice, list_odd_slices()), (read_front_matter, list_odd_workers()), (read_task, list_odd_tasks())],
    ids=["inventories", "worker files", "tasks"],
)
def test_every_value_is_read_or_refused(tmp_path: Path, read: Read, files: Iterable[bytes]) -> None:
    for content in files:
        assert is_told(read(tmp_path, content)), content
