"""The frameworks that are compared."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from typing import Final

FRAMEWORKS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "remit": ("Remit", ("remit",)),
    "pydantic_ai": ("PydanticAI", ("pydantic-ai-slim",)),
    "pydantic_ai_dbos": ("PydanticAI and DBOS", ("pydantic-ai-slim", "dbos")),
    "langgraph": ("LangGraph", ("langgraph", "langchain", "langgraph-checkpoint-sqlite")),
    "openai_agents": ("OpenAI Agents", ("openai-agents",)),
    "agent_framework": ("Agent Framework", ("agent-framework-core",)),
}
"""Each program: the name of its framework, and the distributions whose versions are named."""


def installed_versions(program: str) -> dict[str, str]:
    """The versions of what the program is written for."""
    return {name: version(name) for name in FRAMEWORKS[program][1]}


def format_versions(versions: dict[str, str]) -> str:
    """Versions as a line of text."""
    return ", ".join(f"{name} {number}" for name, number in versions.items())


def check_programs(names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse names of programs that do not exist."""
    known = list(known)
    for name in names:
        if name not in known:
            raise SystemExit(f"there is no program {name!r}; available: {', '.join(known)}")
