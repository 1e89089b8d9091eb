"""Names and language: functions are verbs or verb phrases, and roles are named instead of pronouns."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

SOURCES: Final = Path(__file__).parent.parent / "src"

BARE_WORDS: Final = re.compile(
    r"anybody|anything|begun|beside|broken|done|driven|everybody|everything|far|forgotten|"
    r"found|given|gone|held|it|its|joined|kept|known|left|lost|made|meant|met|mine|named|"
    r"near|nobody|noted|nothing|ours|put|read|said|seen|shown|somebody|something|spent|"
    r"standing|taken|that|theirs|things|this|those|told|touched|wanted|what|which|who|"
    r"whoever|whom|worn|written"
)

PARTICIPLE: Final = re.compile(r"[a-z]+(ed|ing)")

ALLOWED: Final = {
    "read": "the verb, not the participle: stores, anchors and readers of files read",
    "completed": "a constructor of a response, named after the status COMPLETED",
    "failed": "a constructor of a response, named after the status FAILED",
    "pending": "a constructor of a response, named after the status PENDING",
    "happened": "the command `remit approvals happened`",
    "ring": "the verb: a timer rings",
    "warning": "the name of the level, as in `logging`",
    "settled": "`await client.settled(run)` reads as what is waited for",
}

MAX_PRONOUNS: Final = 15
PRONOUNS: Final = re.compile(r"\b(nobody|somebody|everybody|whoever|whom)\b", re.IGNORECASE)


def functions() -> Iterator[tuple[str, str]]:
    """The place and name of every function and method, nested ones included, special methods left out."""
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("__"):
                yield f"{path.relative_to(SOURCES)}:{node.lineno}", node.name.strip("_")


def is_bare(name: str) -> bool:
    """Whether a name is a participle or pronoun without a verb or noun that says of what."""
    return (BARE_WORDS.fullmatch(name) or PARTICIPLE.fullmatch(name)) is not None


def test_no_function_is_named_by_a_bare_participle_or_pronoun() -> None:
    assert [f"{place} {name}" for place, name in functions() if is_bare(name) and name not in ALLOWED] == []


def test_every_exception_is_in_use() -> None:
    assert {name for _, name in functions() if is_bare(name)} == set(ALLOWED)


def test_the_sources_name_roles_instead_of_pronouns() -> None:
    lines = [
        f"{path.relative_to(SOURCES)}:{number}"
        for path in sorted(SOURCES.rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if PRONOUNS.search(line)
    ]
    assert len(lines) <= MAX_PRONOUNS, lines
