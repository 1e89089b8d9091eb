"""Other processes, for tests of what they and this one do to the same journal."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


class Program:
    """A process of its own that runs a text of Python; it goes on at each line that it is given."""

    def __init__(self, text: str, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", text, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )

    def says(self) -> str:
        """The next line that it prints."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip("\n")

    def told(self, line: str = "go") -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def ends(self) -> list[str]:
        """The lines that it printed and that nobody heard; it must end well and complain of nothing."""
        output, error = self._process.communicate(timeout=180)
        assert (error, self._process.returncode) == ("", 0), error[-2000:]
        return output.splitlines()
