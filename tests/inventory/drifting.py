"""What tests of drift begin with: code and inventory that agree, and a look at what does not."""

from __future__ import annotations

from figures.notebook import Notebook
from remit import preset
from remit.inventory.drift import run_checklist
from remit.inventory.lock import build_lock, lock_path
from remit.inventory.operations import Operations
from remit.schemas.finding import Finding


def agree(notebook: Notebook) -> Operations:
    operations = notebook.operations()
    lock_path(operations).write_text(build_lock(operations).to_text(), encoding="utf-8")
    return operations


def look(notebook: Notebook, operations: Operations) -> list[Finding]:
    points = run_checklist(operations, operations.callees, preset(notebook.env))
    return [each for point in points for each in point.findings]


class OtherWeather:
    """Wants the number of a place."""

    async def forecast(self, place: int, unit: str = "celsius") -> int:
        """Say tomorrow's weather.

        Args:
            place: Where.
            unit: In which degrees.
        """
        return place
