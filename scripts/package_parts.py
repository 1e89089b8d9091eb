"""The package tables of the architecture: the packages by subject, and the order in which they import each other."""

import importlib
import re
import tomllib
from typing import Final

from committed import ROOT

READING_ORDER: Final = {
    "Start here": ("runtime", "client", "app"),
    "The path of a call": ("call", "core", "dispatch", "layers", "tools"),
    "Governance": ("approvals", "policies", "rules", "trial", "inventory", "users", "secrets"),
    "The record": ("record", "journal", "stores", "items", "views", "audit", "export"),
    "Agents and models": ("agent", "chat", "messages", "models", "drivers", "workers", "pipeline", "evals"),
    "Execution": ("engine", "engines", "adapters"),
    "Data of applications": ("artifacts", "database", "effects", "embeddings", "home", "object_views"),
    "Interfaces and utilities": (
        "cli",
        "server",
        "mcp",
        "gateway",
        "sources",
        "testing",
        "schemas",
        "charsets",
        "http",
        "openapi",
        "markup",
        "errors",
        "lazy_exports",
        "shown",
    ),
}
"""Every package under a heading, in the order in which a newcomer should read them."""


def packages() -> str:
    """A table of the packages under each heading of ``READING_ORDER``.

    Raises:
        LookupError: a package has no heading, or a heading lists a package that does not exist.
    """
    listed = [name for names in READING_ORDER.values() for name in names]
    different = sorted(set(listed) ^ {name for level in import_levels() for name in level})
    if different:
        raise LookupError(f"READING_ORDER of scripts/package_parts.py lacks or exceeds {', '.join(different)}")
    return "\n\n".join(f"### {heading}\n\n{_table(names)}" for heading, names in READING_ORDER.items())


def import_order() -> str:
    """The packages by level; each may import those of the levels below."""
    return "\n".join(["```text", *("  ".join(level) for level in import_levels()), "```"])


def import_levels() -> list[list[str]]:
    """The levels of the import-linter contract, outermost first, without packages that do not exist yet."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    levels = next(contract for contract in contracts if contract["id"] == "packages")["layers"]
    existing = [[name for name in re.findall(r"\w+", level) if _exists(name)] for level in levels]
    return [level for level in existing if level]


def _exists(name: str) -> bool:
    return any((ROOT / "src/remit" / path).exists() for path in (f"{name}.py", f"{name}/__init__.py"))


def _table(names: tuple[str, ...]) -> str:
    return "\n".join(
        ["| package | contents |", "| --- | --- |", *(f"| `{name}` | {_contents(name)} |" for name in names)]
    )


def _contents(name: str) -> str:
    docstring = importlib.import_module(f"remit.{name}").__doc__ or ""
    return " ".join(docstring.split("\n\n", maxsplit=1)[0].replace("``", "`").split())
