"""Both drivers, and agents and runtimes to run on each."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from remit import Agent, App, Effect, Runtime, tool
from remit.agent import AgentDriver, NativeDriver
from remit.models import Model
from remit.testing import Scripted
from remit.workers import PydanticAIDriver
from tests.runtime.kit import find_superuser

DRIVERS: dict[str, AgentDriver] = {"native": NativeDriver(), "pydantic-ai": PydanticAIDriver()}
BOTH = pytest.mark.parametrize("driver", DRIVERS.values(), ids=DRIVERS)


class Found(BaseModel):
    """What was found."""

    page: str
    words: int


@tool(effect=Effect.PURE)
async def look(page: str) -> str:
    """Look at a page."""
    return f"saw {page}"


def result_of(page: str = "about", words: object = 3) -> tuple[str, dict[str, Any]]:
    return ("final_result", {"page": page, "words": words})


def runtime_of(*agents: Agent, model: Model | None = None, store: Any = None) -> Runtime:
    return Runtime(App(name="test", agents=agents), model=model, store=store, directory=find_superuser)


def messages_of(model: Scripted, request: int = -1) -> list[tuple[str, Any]]:
    """Role and content of each message in a request."""
    messages = [json.loads(text) for text in model.requests[request].history]
    return [(message["role"], message.get("content")) for message in messages]
