"""The examples of the CommonMark specification, with the HTML that it wants for each. See LICENSE beside them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).parent / "examples.json"


@dataclass(frozen=True, slots=True)
class Example:
    """An example: its number, its section, a text, and its HTML."""

    number: int
    section: str
    markdown: str
    html: str


def load_examples() -> list[Example]:
    """All examples, in their order."""
    return [Example(number, *fields) for number, fields in enumerate(json.loads(FILE.read_text()), start=1)]
