"""Parts of the documents that are generated from what was measured, or counted in the code."""

import json
from collections.abc import Callable
from typing import Any, Final

from committed import ROOT

NAMES: Final = {
    "google-adk": "Google ADK",
    "langchain": "LangChain",
    "openai-agents": "OpenAI Agents",
    "agent-framework-core": "Agent Framework",
    "fastmcp": "FastMCP",
    "pydantic-ai-slim": "PydanticAI",
}


def neighbours() -> str:
    """The frameworks that were installed beside Remit, each alone and all together, with their versions."""
    seen: dict[str, Any] = json.loads((ROOT / "neighbours/seen.json").read_text(encoding="utf-8"))
    alone = {name: each for key, each in seen.items() if key != "together" for name in each["neighbours"]}
    together = seen["together"]
    head = ("framework", "newest release", "tried on", "with pydantic", "release when all are together")
    rows = [
        (NAMES[name], each["neighbours"][name], each["date"], each["shared"]["pydantic"], together["neighbours"][name])
        for name, each in alone.items()
    ]
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def speed() -> str:
    """What calls, turns and runs cost in each framework: the table of the last `make compare ARGS=speed`."""
    return (ROOT / "compare/speed.md").read_text(encoding="utf-8").strip()


def costs() -> str:
    """What the last whole `make bench` measured."""
    return (ROOT / "bench/costs.md").read_text(encoding="utf-8").strip()


def reply_sizes() -> str:
    """How long the replies of writes of the CMS are: what the last whole `make figures ARGS=cms-replies` measured."""
    return (ROOT / "figures/cms_replies.md").read_text(encoding="utf-8").strip()


MEASURED_PARTS: Final[dict[str, Callable[[], str]]] = {
    "neighbours": neighbours,
    "speed": speed,
    "costs": costs,
    "cms-replies": reply_sizes,
}
