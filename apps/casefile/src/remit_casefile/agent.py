"""The agent that maintains casefiles."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from remit import Agent, Tool

_PROMPT: Final = Path(__file__).parent / "prompts" / "casefile.md"


def casefile_agent(tools: Iterable[Tool[..., Any]]) -> Agent:
    """The agent ``casefile``, with the instructions in ``prompts/casefile.md``."""
    return Agent(
        "casefile",
        instructions=_PROMPT.read_text(encoding="utf-8").strip(),
        tools=tools,
        description="Keeps casefiles, and what belongs to them of Gmail, Drive and Sheets.",
    )
