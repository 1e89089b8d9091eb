"""Two agents that hand over to one another: an editor and a writer."""

from __future__ import annotations

import json
from typing import Any

from remit import Agent, App, Effect, LeafContext, Policy, Risk, Runtime, tool
from remit.journal.ports import Store
from remit.models import Model
from remit.record.items import Handoff
from remit.testing import Scripted
from tests.runtime.kit import find_superuser, items_of

TO_WRITER = ("handoff_to_writer", {"reason": "it is about words"})
TO_EDITOR = ("handoff_to_editor", {"reason": "it is about layout"})


@tool(effect=Effect.PURE)
async def look() -> str:
    """Look at the page."""
    return "a page"


@tool(effect=Effect.KEYED, risk=Risk.HIGH)
async def erase(_ctx: LeafContext, page: str) -> str:
    """Erase a page."""
    return f"erased {page}"


def editor(**known: Any) -> Agent:
    values: dict[str, Any] = {"instructions": "You lay out.", "tools": [look], "handoffs": ["writer"], **known}
    return Agent("editor", **values)


def writer(**known: Any) -> Agent:
    values: dict[str, Any] = {"instructions": "You write.", "description": "Writes well.", "handoffs": ["editor"]}
    return Agent("writer", **(values | known))


def runtime_of(
    model: Model, *agents: Agent, store: Store | None = None, policy: Policy | None = None, **known: Any
) -> Runtime:
    app = App(name="test", agents=agents or (editor(), writer()), policy=policy)
    return Runtime(app, model=model, store=store, directory=find_superuser, **known)


def roles(model: Scripted, request: int = -1) -> list[str]:
    return [json.loads(text)["role"] for text in model.requests[request].history]


def system(model: Scripted, request: int = -1) -> str:
    return json.loads(model.requests[request].history[0])["content"]


async def handoffs(runtime: Runtime, run: str) -> list[Handoff]:
    return [item for item in await items_of(runtime.store, run) if isinstance(item, Handoff)]
