"""The console's own tests and types, with the Node of a wheel."""

from __future__ import annotations

import os
import subprocess

import pytest

from figures.figure import BUILD
from scripts.build_console import node_home

pytestmark = pytest.mark.process

CONSOLE = BUILD / "edges" / "console"
SECONDS = 400


@pytest.mark.parametrize(
    "line",
    [
        ("vitest/vitest.mjs", "run", "--reporter=dot"),
        ("typescript/bin/tsc", "--noEmit"),
        ("prettier/bin/prettier.cjs", "--check", "--log-level", "warn", "."),
    ],
    ids=["tests", "types", "style"],
)
def test_the_console_passes_its_own(line: tuple[str, ...]) -> None:
    program = CONSOLE / "node_modules" / line[0]
    if not program.exists():
        pytest.skip("npm could not install the packages of the console")
    node = node_home() / "bin/node"
    environ = {**os.environ, "PATH": f"{node.parent}:{os.environ['PATH']}", "CI": "1", "NO_COLOR": "1"}
    done = subprocess.run(
        [str(node), str(program), *line[1:]],
        cwd=CONSOLE,
        env=environ,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-4000:]
