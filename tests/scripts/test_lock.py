"""What is locked is what the requirement tables say."""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[2]

FRAMEWORKS = {"agent-framework", "langchain", "openai-agents"}
"""Extras that are not floors: their own lower bounds would lift those of what they share with Remit."""


def test_the_floors_pin_the_lower_bound_of_each_requirement_of_the_package() -> None:
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras: dict[str, list[str]] = document["project"]["optional-dependencies"]
    required = [
        *document["project"]["dependencies"],
        *chain(*(lines for name, lines in extras.items() if name not in FRAMEWORKS)),
    ]
    bounds = dict(re.findall(r"^([a-z0-9-]+)[^>\n]*>=([0-9.]+)", "\n".join(required), re.MULTILINE))
    pins = dict(re.findall(r"^([a-z0-9-]+)==([0-9.]+)", _floors(), re.MULTILINE)[::-1])  # the first of two by version
    assert {name: _numbers(pins[name]) for name in bounds} == {name: _numbers(bound) for name, bound in bounds.items()}


def _floors() -> str:
    return (ROOT / "requirements" / "floors.txt").read_text(encoding="utf-8")


def _numbers(version: str) -> list[int]:
    numbers = [int(part) for part in version.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return numbers
