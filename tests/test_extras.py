"""An extra installs what its modules import."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any, Final

import pytest

from remit.lazy_exports import install_hint

ROOT: Final = Path(__file__).parent.parent
SOURCES: Final = ROOT / "src" / "remit"
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OPTIONAL: Final = {"authlib", "httpx2", "joserfc", "psycopg", "pydantic-ai", "pydantic-ai-slim", "typing_extensions"}
"""Distributions of other extras, which an error names, and one that pydantic always brings along."""


def requirements(extra: str) -> set[str]:
    """The distributions that ``remit[extra]`` requires, those of its other extras included."""
    found: set[str] = set()
    for each in [*PROJECT["dependencies"], *PROJECT["optional-dependencies"][extra]]:
        match = re.match(r"([A-Za-z0-9._-]+)(?:\[([^]]*)])?", each)
        assert match is not None
        name, extras = match[1].lower(), match[2] or ""
        if name == "remit":
            found |= set[str]().union(*(requirements(other) for other in extras.split(",")))
        else:
            found.add(name)
    return found


def imported_distributions(*places: str) -> set[str]:
    """The distributions that the modules in these files and folders import, wherever in a module."""
    distributions = packages_distributions()
    files = [file for place in places for file in ((SOURCES / place).rglob("*.py") or ())]
    files += [SOURCES / place for place in places if place.endswith(".py")]
    names: set[str] = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names.add(node.module.partition(".")[0])
    foreign = names - set(sys.stdlib_module_names) - {"remit"}
    return {name if name in distributions[name] else distributions[name][0].lower() for name in foreign}


@pytest.mark.parametrize(
    ("extra", "places"),
    [
        ("cli", ["cli", "home.py", "journal", "inventory", "schemas/yaml_lines.py"]),
        ("server", ["server"]),
        ("sql", ["journal", "database", "effects.py"]),
        ("inventory", ["inventory", "schemas/yaml_lines.py"]),
        ("agent-framework", ["adapters/agent_framework.py"]),
        ("dbos", ["adapters/dbos.py"]),
        ("langchain", ["adapters/langchain.py"]),
        ("openai-agents", ["adapters/openai_agents.py"]),
        ("pydantic-ai", ["adapters/pydantic_ai.py"]),
    ],
)
def test_an_extra_requires_every_distribution_that_its_modules_import(extra: str, places: list[str]) -> None:
    assert imported_distributions(*places) - requirements(extra) - OPTIONAL == set()


WITHOUT = """
import importlib, sys

sys.modules[sys.argv[2]] = None
try:
    package, _, name = sys.argv[1].partition(":")
    getattr(importlib.import_module(package), name or "__name__")
except ModuleNotFoundError as error:
    print(error)
"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("module", "missing", "extra"),
    [
        ("remit.database", "sqlalchemy", "sql"),
        ("remit.effects", "sqlalchemy", "sql"),
        ("remit.home", "platformdirs", "cli"),
        ("remit.adapters.agent_framework", "agent_framework", "agent-framework"),
        ("remit.adapters.dbos", "psycopg", "dbos"),
        ("remit.adapters.langchain", "langchain.agents.middleware", "langchain"),
        ("remit.adapters.openai_agents", "agents", "openai-agents"),
        ("remit.adapters.pydantic_ai", "pydantic_ai", "pydantic-ai"),
        ("remit.journal.sql", "sqlalchemy", "sql"),
        ("remit.models.openai", "openai", "openai"),
        ("remit.models.pydantic_ai", "pydantic_ai", "pydantic-ai"),
        ("remit.workers:read_worker", "jinja2", "pydantic-ai"),
    ],
)
def test_importing_a_module_without_its_extra_names_the_extra(module: str, missing: str, extra: str) -> None:
    command = [sys.executable, "-c", WITHOUT, module, missing]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    needs = f"{module.replace(':', '.')} needs {missing}, which is not installed"
    assert printed == f"{needs}; in a checkout of Remit, run: pip install '.[{extra}]'\n"


@pytest.mark.parametrize(
    ("extra", "folder", "command"),
    [
        ("sql", ".", "pip install '.[sql]'"),
        ("site", "./apps/cms", "pip install './apps/cms[site]'"),
        ("", "./packages/remit-local", "pip install ./packages/remit-local"),
    ],
)
def test_a_hint_installs_from_a_checkout(extra: str, folder: str, command: str) -> None:
    assert install_hint(extra, folder=folder).endswith(f": {command}")
    assert (ROOT / folder / "pyproject.toml").is_file()
