"""What CONTRIBUTING names is there: the files and folders, and the names of the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
TEXT: Final = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
QUOTED: Final = sorted(set(re.findall(r"`([^`\n]+)`", TEXT)))
FOLDERS: Final = ("src", "tests", "figures", "bench", "apps", "scripts", "packages")
RECIPES: Final = (
    *("A layer", "A tool", "A tool of an application", "A tool from a JSON schema", "An agent as a file"),
    *("A kind of journal item", "A setting of an agent", "A policy rule", "A model provider", "A command"),
    *("A store", "An edge", "A migration", "A figure"),
)


def test_every_recipe_is_there() -> None:
    assert [each for each in RECIPES if f"**{each}" not in TEXT] == []


def test_every_file_and_folder_that_is_named_exists() -> None:
    """A path may begin below the folder that its recipe is about."""
    found = [
        f"/{path.relative_to(ROOT).as_posix()}/" for folder in (*FOLDERS, "docs") for path in (ROOT / folder).rglob("*")
    ]
    named = [each.rstrip("/") for each in QUOTED if re.fullmatch(r"[\w./-]*(/|\.(py|toml|sql))[\w./-]*", each)]
    roots = {path.name for path in ROOT.iterdir()}
    missing = [each for each in named if each not in roots and not any(f"/{each}/" in path for path in found)]
    assert [each for each in missing if not (ROOT / each).exists()] == []


def test_every_name_of_the_code_occurs_in_it() -> None:
    sources = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        if ".venv" not in path.parts
    )
    words = set(re.findall(r"\w+", sources + (ROOT / "pyproject.toml").read_text(encoding="utf-8")))
    named = [each.split("(")[0] for each in QUOTED if re.fullmatch(r"[A-Za-z_][\w.]*(\(.*\))?", each)]
    assert [each for each in named if each.split(".")[-1] not in words] == []
