"""Reads Google-style docstrings: what a function does, and what each parameter means."""

from __future__ import annotations

import inspect
import re
from itertools import takewhile
from typing import Final

_SECTION: Final = re.compile(r"(Args|Arguments|Parameters|Returns|Raises|Yields|Examples?|Notes?):\s*$")
_ENTRY: Final = re.compile(r"(\*{0,2}\w+)\s*(?:\([^)]*\))?:\s*(.*)")


def read_docstring(docstring: str | None) -> tuple[str, dict[str, str]]:
    """Return the description, and a description for each parameter listed under ``Args:``."""
    lines = inspect.cleandoc(docstring or "").splitlines()
    sections = [i for i, line in enumerate(lines) if _SECTION.match(line)]
    description = "\n".join(lines[: sections[0]] if sections else lines).strip()
    start = next((i for i in sections if lines[i].startswith(("Args", "Arguments", "Parameters"))), None)
    if start is None:
        return description, {}
    return description, _parse_entries(list(takewhile(lambda line: line[:1] in ("", " "), lines[start + 1 :])))


def _parse_entries(lines: list[str]) -> dict[str, str]:
    filled = [line for line in lines if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in filled), default=0)
    entries: dict[str, str] = {}
    name = ""
    for line in filled:
        entry = _ENTRY.match(line.strip()) if len(line) - len(line.lstrip()) == indent else None
        if entry:
            name = entry[1].lstrip("*")
            entries[name] = entry[2].strip()
        elif name:
            entries[name] = f"{entries[name]} {line.strip()}".strip()
    return entries
