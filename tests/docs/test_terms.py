"""The table of the documents' terms names what there is."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from tests.docs.reading import ROOT

PAGE = (ROOT / "docs" / "reference" / "terms-of-the-documents.md").read_text(encoding="utf-8")
ROWS = [line.split(" | ") for line in PAGE.splitlines() if line.startswith("| ") and " | `remit." in line]
NAMES = sorted({name for row in ROWS for name in re.findall(r"`(remit[\w.]*)`", row[2])})


@pytest.mark.parametrize("name", NAMES)
def test_each_term_is_where_the_table_says(name: str) -> None:
    module, _, attribute = name.rpartition(".")
    assert name == "remit.runtime" or hasattr(import_module(module), attribute)


def test_each_row_says_where() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith(("| their", "| ---"))]
    assert len(rows) == len(ROWS) > 60
