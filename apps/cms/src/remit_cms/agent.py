"""The editor: the agent that maintains a site."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from remit import Agent
from remit.agent import Compaction, RunInstructions, WorkingMemory
from remit_cms.tools import AnyTool

_PROMPT: Final = Path(__file__).parent / "prompts" / "editor.md"


def editor(
    tools: Iterable[AnyTool], *, compaction: Compaction | None = None, run_instructions: RunInstructions = ""
) -> Agent:
    """The editor agent, with the instructions in ``prompts/editor.md``. It remembers the objects of a conversation.

    Args:
        tools: what it may call.
        compaction: how long conversations are shortened.
        run_instructions: what it is told besides, such as the site's own instructions.
    """
    return Agent(
        "editor",
        instructions=_PROMPT.read_text(encoding="utf-8").strip(),
        tools=tools,
        run_instructions=run_instructions,
        description="Edits the pages of a website.",
        compaction=Compaction() if compaction is None else compaction,
        memory=WorkingMemory(),
    )
