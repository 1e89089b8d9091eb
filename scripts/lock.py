"""The locked requirements: written by `make lock`, checked without a network by `make check`.

`requirements/dev.txt` pins everything that tests and checks need, `run.txt` the part of it that `make run` needs,
`compare.txt` what `make compare` needs, `floors.txt` the oldest releases that Remit and its extras allow, `uv.txt` the
installer. The frameworks whose agents Remit governs are in `dev.txt` only: `make run` imports none of them, and their
lower bounds would lift the floors of what they share with Remit. Each file carries the digest of the requirement tables
it was made from, so that a table which changed since is noticed without asking a registry. Pins already written are
kept, unless `--upgrade` is given.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
from itertools import chain
from typing import Any

from committed import ROOT

PROJECTS = (
    "pyproject.toml",
    "apps/casefile/pyproject.toml",
    "apps/cms/pyproject.toml",
    "packages/remit-local/pyproject.toml",
)
WORKSPACE = ("remit", "remit-casefile", "remit-cms", "remit-local")

UNPUBLISHED_EXTRA = "local"
"""An extra that is another distribution of the workspace."""

FRAMEWORK_EXTRAS = {"agent-framework", "langchain", "openai-agents"}
"""The extras of other agent frameworks, which only tests need."""


def _read(path: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / path).read_text(encoding="utf-8"))


def _extras(path: str) -> dict[str, list[str]]:
    """The extras of a project, without those of frameworks."""
    extras: dict[str, list[str]] = _read(path)["project"].get("optional-dependencies", {})
    return {name: lines for name, lines in extras.items() if name not in FRAMEWORK_EXTRAS}


def _floors() -> tuple[str, ...]:
    """The lowest releases of what the package asks for; what those ask for in turn keeps its pins."""
    document = _read("pyproject.toml")
    published = {name: lines for name, lines in _extras("pyproject.toml").items() if name != UNPUBLISHED_EXTRA}
    lines = [*document["project"]["dependencies"], *document["dependency-groups"]["build"], *chain(*published.values())]
    direct = sorted({found[0] for line in lines if (found := NAME_PATTERN.match(line))} - {"remit"})
    return (
        *("pyproject.toml", "--group", "build", "--resolution", "lowest-direct"),
        *(option for name in published for option in ("--extra", name)),
        *(option for name in direct for option in ("--upgrade-package", name)),
    )


NAME_PATTERN = re.compile(r"[a-z0-9-]+")

TARGETS: dict[str, tuple[str, ...]] = {
    "floors": _floors(),
    "dev": (*PROJECTS, "--all-extras", "--group", "dev", "--group", "build", "--group", "console"),
    "run": (
        *(*PROJECTS, "--group", "build", "--group", "console", "--constraints", "requirements/dev.txt"),
        *(option for path in PROJECTS for name in _extras(path) for option in ("--extra", name)),
    ),
    "compare": (
        *("pyproject.toml", "--extra", "sql", "--extra", "openai", "--group", "compare", "--group", "build"),
        *("--constraints", "requirements/dev.txt"),
    ),
    "uv": ("--group", "uv"),
}

PIN_PATTERN = re.compile(r"^([a-z0-9-]+)==(\S+)(.*?) \\$", re.MULTILINE)


def main() -> int:
    """Write the locked requirements, or with `--check` say whether they are what the tables ask for."""
    parser = argparse.ArgumentParser(description="Write requirements/*.txt from the requirement tables.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a file is stale")
    parser.add_argument("--upgrade", action="store_true", help="take the newest releases instead of the pins")
    options = parser.parse_args()
    if not options.check:
        for name, sources in TARGETS.items():
            _compile(name, sources, upgrade=options.upgrade)
    problems = _find_problems()
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def _compile(name: str, sources: tuple[str, ...], *, upgrade: bool) -> None:
    command = ["uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes", *sources]
    command += [option for package in WORKSPACE for option in ("--no-emit-package", package)]
    command += ["--custom-compile-command", f"make lock # {_tables_digest()}"]
    command += ["--output-file", f"requirements/{name}.txt"]
    if upgrade:
        command.append("--upgrade")
    print(f"locking requirements/{name}.txt")
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "UV_PYTHON_DOWNLOADS": "never"})


def _find_problems() -> list[str]:
    problems: list[str] = []
    pins: dict[str, dict[str, str]] = {}
    for name in TARGETS:
        text = (ROOT / f"requirements/{name}.txt").read_text(encoding="utf-8")
        pins[name] = {match[1]: match[2] for match in PIN_PATTERN.finditer(text)}
        if _tables_digest() not in text:
            problems.append(f"requirements/{name}.txt: the requirement tables changed since; run `make lock`")
    for package, version in pins["run"].items():
        if pins["dev"].get(package) != version:
            problems.append(f"requirements/run.txt: {package}=={version} is not in dev.txt; run `make lock`")
    return problems


def _tables_digest() -> str:
    """The digest of every table that says what is required."""
    tables: list[object] = []
    for path in PROJECTS:
        document = _read(path)
        project = document["project"]
        tables += [
            path,
            document["build-system"]["requires"],
            document.get("dependency-groups"),
            [project.get(key) for key in ("requires-python", "dependencies", "optional-dependencies")],
        ]
    text = json.dumps([tables, TARGETS], sort_keys=True)
    return f"tables {hashlib.sha256(text.encode()).hexdigest()[:16]}"


if __name__ == "__main__":
    sys.exit(main())
