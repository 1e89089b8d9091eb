"""Every line in a block of shell is a command that there is."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from tests.cli.running import done
from tests.docs.reading import ROOT, blocks, documents, name_of

LINES = list(
    dict.fromkeys((path, line) for path in documents() for block in blocks(path, "sh") for line in block.splitlines())
)
RECIPES = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
SHELL = {"cd", "cp", "createdb", "createuser", "curl", "export", "mkdir", "sqlite3"}
GROUPS = {"approvals", "audit", "eval", "model", "people"}
SUBGROUPS = [["people", "role"], ["people", "token"], ["people", "identity"]]
OTHERS = {"opentelemetry-distro", "opentelemetry-exporter-otlp", "opentelemetry-instrumentation-starlette"}
"""Distributions of others that a guide installs."""
FILES = [["worker", command] for command in ("run", "check", "new")]


def case_name(case: tuple[Path, str]) -> str:
    return f"{name_of(case[0])}: {case[1]}"


def test_there_are_commands_to_check() -> None:
    assert len(LINES) > 20
    assert {"run", "test", "rehearse"} <= set(RECIPES)


@pytest.mark.parametrize("case", LINES, ids=case_name)
def test_a_command_exists_with_the_options_it_is_given(case: tuple[Path, str]) -> None:
    for command in case[1].split(" && "):
        words = shlex.split(command, comments=True)
        while words and re.match(r"[A-Z_]+=", words[0]):
            words.pop(0)
        if words:
            _check(Path(words[0]).name, words[1:])


def _check(program: str, words: list[str]) -> None:
    match program:
        case "make":
            assert words[0] in RECIPES
        case "remit":
            length = 3 if words[:2] in SUBGROUPS else 2 if words[0] in GROUPS or words[:2] in FILES else 1
            path = words[:length]
            shown = done(*path, "--help")
            options = [word for word in words if word.startswith("--")]
            assert shown.status == 0, shown.err
            assert [option for option in options if f"{option} " not in shown.out] == []
        case "opentelemetry-instrument":
            _check(words[0], words[1:])
        case "pip" if words[1:] and set(words[1:]) <= OTHERS:
            pass
        case "pip":
            (wanted,) = re.findall(r"^(?:\./packages/remit-local|\.\[([a-z,-]+)\]|\.)$", words[-1])
            assert {name for name in wanted.split(",") if name} <= set(EXTRAS)
        case "sh" | "python":
            assert (ROOT / words[0]).is_file()
        case _:
            assert program in SHELL
