"""Tools of Remit as plain functions, for the tool types of other frameworks."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from neighbours.smoke import ADA, FORTY, PAID_FILE, count_paid, expect, find_bills, pay
from remit import App, Runtime

DESCRIPTIONS: Final = {each.name: each.description for each in (find_bills, pay)}
SCHEMAS: Final[dict[str, dict[str, Any]]] = {each.name: each.schema_in.json_schema for each in (find_bills, pay)}
BILLS: Final = '[{"euros":40,"labels":["bakery","flour","sugar"],"cents":4000}]'

_RUNTIME: Final = Runtime(App(name="office", tools=[find_bills, pay]))


async def call(name: str, arguments: dict[str, Any]) -> str:
    """Call a tool under governance: its result, or the question that a person has to answer first."""
    callee: Any = {"find_bills": find_bills, "pay": pay}[name]
    result = await _RUNTIME.call(callee, ADA, **arguments)
    return f"waiting: {result.run}" if result.status == "waiting" else result.text


async def check_tool(invoke: Callable[[str, dict[str, Any]], Awaitable[object]]) -> None:
    """``invoke`` calls a tool through a neighbour: a read answers, and a payment waits until a person approves it."""
    with tempfile.TemporaryDirectory() as place:
        os.environ[PAID_FILE] = str(Path(place) / "paid")
        expect(BILLS in _as_text(await invoke("find_bills", {"account": "bakery"})), wanted=True)
        waiting = _as_text(await invoke("pay", FORTY))
        run = waiting.partition("waiting: ")[2].split('"')[0].split("'")[0]
        expect(count_paid(), wanted=0)
        for row in await _RUNTIME.store.list_questions():
            await _RUNTIME.decide(row.question.id, approved=True, by=ADA)
        expect((await _RUNTIME.resume(run)).text, wanted="paid 40 euros to bakery")
        expect(count_paid(), wanted=1)


def _as_text(result: object) -> str:
    text = result if isinstance(result, str) else str(result)
    return text if BILLS in text else text.replace('\\"', '"')


def as_json(arguments: dict[str, Any]) -> str:
    """Arguments as a model writes them."""
    return json.dumps(arguments)
