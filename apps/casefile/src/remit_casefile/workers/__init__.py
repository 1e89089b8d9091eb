"""The workers of the application: agents written as files. They need the extra `pydantic-ai` of Remit."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from remit import Tool
from remit.tools import Callee


def load_workers(tools: Iterable[Tool[..., Any]]) -> tuple[Callee[..., Any], ...]:
    """Load the worker files of this folder, with the tools they name; none without the extra."""
    if find_spec("pydantic_ai") is None:
        return ()
    from remit.workers import load_workers  # noqa: PLC0415 - of the extra

    return load_workers(Path(__file__).parent, tools=tools)
