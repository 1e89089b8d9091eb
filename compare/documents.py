"""Runs the programs of the guides for readers who come from another framework: theirs and ours, on the scripted model.

The first two blocks of code of a guide are whole programs. Both must print the same answer after the same requests.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from compare.model import ScriptedModel

GUIDES: Final = Path(__file__).parent.parent / "docs" / "guides"
NAMES: Final = ("coming-from-pydanticai", "coming-from-openai-agents", "coming-from-langgraph")
PREPARE: Final = {
    "coming-from-openai-agents": "import agents; agents.set_default_openai_api('chat_completions'); "
    "agents.set_tracing_disabled(True)\n"
}
"""What a program needs before it to speak to the scripted model, which serves chat completions."""

ANSWER: Final = "The guide is done."
SECONDS: Final = 120


def check_documents() -> list[str]:
    """Run both programs of each guide; return a line for each guide."""
    return [_check(name) for name in NAMES]


def programs(name: str) -> list[str]:
    """The two programs of a guide: theirs, and ours."""
    text = (GUIDES / f"{name}.md").read_text(encoding="utf-8")
    return re.findall(r"^```python\n((?!>>>).*?)^```$", text, re.MULTILINE | re.DOTALL)[:2]


def _check(name: str) -> str:
    theirs, ours = programs(name)
    first, second = _run(name, PREPARE.get(name, "") + theirs), _run(name, ours)
    if first != second:
        raise RuntimeError(f"{name}: their program made the requests {first}, ours {second}")
    return f"{name}: both answered after {len(first)} requests"


def _run(name: str, program: str) -> list[str]:
    """Run a program; return what the model was asked last in each request: the prompt, and the result of the tool."""
    with tempfile.TemporaryDirectory(prefix="compare-") as folder, ScriptedModel() as model:
        environment = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "scripted", "REMIT_HOME": folder}
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=folder,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        if done.returncode or done.stdout.strip() != ANSWER:
            raise RuntimeError(f"{name}: a program printed {done.stdout!r}, status {done.returncode}:\n{done.stderr}")
        return model.last_messages
