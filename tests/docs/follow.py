"""Types the commands of a guide, in its reader's place: ``python -m tests.docs.follow GUIDE HOME``.

All of them run in this one process, which is not the tests': what they import, open and leave open ends with it.
"""

from __future__ import annotations

import gc
import json
import re
import shlex
import sys
from pathlib import Path
from typing import Final

from typer.testing import CliRunner

import tests.engines  # noqa: F401 # pyright: ignore[reportUnusedImport] - each command opens the same databases
from remit.cli.commands import remit
from tests.docs.reading import blocks

ELSEWHERE: Final = re.compile(r"^(make|sh|mkdir|cd) |local:|openai:|make ")
"""Lines that install, or ask a model: not followed."""

PRINTED: Final = {
    "QUESTION": r"question ([0-9a-f]{12})",
    "DIGEST": r"(sha256:[0-9a-f]{64})",
    "TOKEN": r'"token":"([^"]+)"',
    "RUN": r"(?m)^([0-9a-z]{12}) +(?:done|waiting)",
}
"""Where the ids are printed that a reader puts in place of these words."""


def follow(guide: Path, home: Path) -> list[tuple[str, int, str]]:
    """Each command with its exit status, and what it printed."""
    environ = {"REMIT_HOME": str(home)}
    ids: dict[str, str] = {}
    followed: list[tuple[str, int, str]] = []
    for line in (line for block in blocks(guide, "sh") for line in block.splitlines()):
        if line.startswith("export REMIT_MODEL="):
            environ["REMIT_MODEL"] = line.partition("=")[2]
        elif not ELSEWHERE.search(line) and not line.startswith("export "):
            words = [_with_ids(word, ids) for word in shlex.split(line)[1:]]
            done = CliRunner(env=environ).invoke(remit, words)
            followed.append((line, done.exit_code, done.output))
            ids |= {name: found[1] for name, seen in PRINTED.items() if (found := re.search(seen, done.output))}
    return followed


def _with_ids(word: str, ids: dict[str, str]) -> str:
    for name, known in ids.items():
        word = re.sub(rf"\b{name}\b", known, word)
    return word


if __name__ == "__main__":
    gc.freeze()  # what is imported stays
    gc.set_threshold(20_000, 10, 50)
    sys.stdout.write(json.dumps(follow(Path(sys.argv[1]), Path(sys.argv[2]))))
