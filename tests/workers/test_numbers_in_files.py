"""Numbers with an exponent are texts in YAML unless they have a point: the error says what to write."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit.workers import WorkerFileError, read_worker


@pytest.mark.parametrize(
    ("number", "written"), [("1e-9", "1.0e-9"), ("25e-4", "25.0e-4"), ("1e9", "1.0e+9"), ("1e+2", "1.0e+2")]
)
def test_a_number_with_an_exponent_is_told_with_the_one_to_write(tmp_path: Path, number: str, written: str) -> None:
    file = tmp_path / "clerk.worker"
    file.write_text(f"---\nlimits: {{cost: {number}}}\n---\nHelp.", encoding="utf-8")
    with pytest.raises(WorkerFileError) as caught:
        read_worker(file)
    said = f"limits.cost: '{number}' is a text in YAML; write a point and a sign: {written}"
    assert str(caught.value).endswith(f"clerk.worker:2: {said}")
    file.write_text(f"---\nlimits: {{cost: {written}}}\n---\nHelp.", encoding="utf-8")
    assert read_worker(file).limits.cost == float(number)
