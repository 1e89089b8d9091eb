"""The name that a function has by its decorator, and the name that an inventory gives its tool."""

from __future__ import annotations

from pathlib import Path

import pytest

from figures.notebook import NOTES, Notebook, Notes, Weather
from remit import LeafContext
from remit.call.classification import Capability, Classification
from remit.schemas.finding import InventoryError
from remit.tools import tool_name

KIND = Classification(domain="office", subdomain="notes", capability=Capability.CREATE)


@pytest.fixture
def notebook(tmp_path: Path) -> Notebook:
    return Notebook(tmp_path / "inventory").write()


class Named(Notes):
    """Notes that can be counted, under another name."""

    @tool_name("count-notes")
    async def count_notes(self, ctx: LeafContext) -> int:
        """Count the notes."""
        return 7


def test_an_inventory_names_a_function_as_its_tool_name_does_or_is_told(notebook: Notebook) -> None:
    with pytest.raises(InventoryError) as refused:
        notebook.operations(Named(), Weather())
    (finding,) = refused.value.findings
    assert (finding.code, finding.what) == (
        "contract",
        "count_notes is named 'count-notes' by @tool_name and 'count_notes' here; keep one of them",
    )
    notebook.write(notes=f"{NOTES}    tools: {{count-notes: {{}}}}\n")
    operations = notebook.operations(Named(), Weather())
    assert operations.find_tool("count-notes").where == operations.tools["count-notes"].location
    assert operations.find_tool("count-notes").where.rpartition("/")[2].startswith("notes.yaml:")
