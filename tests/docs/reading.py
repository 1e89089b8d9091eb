"""Reads the documents as a person would: their links, their headings, their blocks of code."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def documents() -> list[Path]:
    """Every document of the project."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def name_of(path: Path) -> str:
    """A document's path in the project, to tell which one failed."""
    return str(path.relative_to(ROOT))


def blocks(path: Path, language: str) -> list[str]:
    """The blocks of code in one language, in order."""
    return [found[2] for found in FENCED.finditer(path.read_text(encoding="utf-8")) if found[1] == language]


def prose(path: Path) -> str:
    """A document without its blocks of code."""
    return FENCED.sub("", path.read_text(encoding="utf-8"))


def links(path: Path) -> list[str]:
    """Where the links of a document lead, those to other sites left out."""
    found = re.findall(r"\]\(([^)\s]+)\)", prose(path))
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def anchors(path: Path) -> set[str]:
    """The anchors of a document's headings, as they are made where the documents are shown."""
    headings = re.findall(r"^#+ (.+)$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
