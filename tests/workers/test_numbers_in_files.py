"""Numbers in worker files are those of JSON, with an exponent too."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit.workers import read_worker


@pytest.mark.parametrize("number", ["1e-9", "25e-4", "1e9", "1E+2", "1.0e-9"])
def test_a_number_with_an_exponent_is_that_number(tmp_path: Path, number: str) -> None:
    file = tmp_path / "clerk.worker"
    file.write_text(f"---\nlimits: {{cost: {number}}}\n---\nHelp.", encoding="utf-8")
    assert read_worker(file).limits.cost == float(number)


def test_a_key_that_is_null_is_one_that_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "clerk.worker"
    file.write_text("---\nname: null\ninput: null\noutput: null\nattachments: null\n---\nHelp.", encoding="utf-8")
    worker = read_worker(file)
    file.write_text("---\n---\nHelp.", encoding="utf-8")
    assert (worker.name, worker.input, worker.output) == ("clerk", read_worker(file).input, str)
