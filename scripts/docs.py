"""The generated parts of the docs: what the code says already is not written twice.

A part stands between `<!-- generated: NAME -->` and `<!-- end -->` in a Markdown file. `make docs` writes every part
again; `--check` writes nothing and names those that are not what the code says.
"""

import argparse
import ast
import importlib
import inspect
import pkgutil
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Final, cast

import typer
from committed import ROOT
from typer.testing import CliRunner

import remit.layers
import remit.models
from remit import errors
from remit.contracts.call import AnyLayer, CallLayer, ModelLayer, StepLayer
from remit.contracts.items import KINDS
from remit.core import RULES

PART: Final = re.compile(r"(<!-- generated: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def main() -> int:
    """Write the generated parts, or with `--check` say which are stale."""
    parser = argparse.ArgumentParser(description="Write the generated parts of README.md and docs.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a part is stale")
    options = parser.parse_args()
    stale = 0
    for path in documents():
        text = path.read_text(encoding="utf-8")
        fresh = generated(text)
        if fresh != text:
            stale += 1
            print(path.relative_to(ROOT), "is stale: run `make docs`" if options.check else "written")
            if not options.check:
                path.write_text(fresh, encoding="utf-8")
    return 1 if options.check and stale else 0


def documents() -> list:
    """Every document, README first."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def generated(text: str) -> str:
    """``text`` with each of its generated parts as the code says it today."""
    return PART.sub(lambda found: f"{found[1]}\n{PARTS[found[2]]()}\n\n{found[3]}", text)
