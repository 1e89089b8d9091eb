"""A day with sixty tools: what definitions cost a model with a small window, and what a cache has to read again."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from figures.figure import Figure, at_most
from figures.tools import SEARCHES, find_phrases, no_candidates, sixty_tools
from remit import Agent, App, Principal, Runtime
from remit.agent import ToolSearch
from remit.errors import ContextLengthError
from remit.messages import ChatRequest, Completion, completion_from_message, encode_message
from remit.stores import InMemoryStore
from remit.testing import calls
from remit.tools import Callee

_WINDOW: Final = 8_192
_MOST_TOKENS: Final = 2_500
_MOST_BYTES: Final = 50_000
_FAILED: Final = 1_000_000
"""The value of a day on which a message was refused, or a tool that was found could not be called."""
_DAY: Final = (*SEARCHES[0::3], SEARCHES[1])
"""What the person asks for, and the tool that it needs; the twelfth message is "Thank you!"."""
_SAID: Final = "It is done. " + "The page has what you asked for, and nothing else was changed. " * 4
_INSTRUCTIONS: Final = "You edit a website and file what comes by mail. Search for the tools that you need. " * 4


@dataclass
class _Day:
    """Requests of a model that searches for each message, calls what it needs and answers, within its ``window``."""

    window: int | None
    by_name: bool = False
    needed: dict[str, str] = field(default_factory=lambda: dict(_DAY))
    tools: list[int] = field(default_factory=list[int])
    requests: list[str] = field(default_factory=list[str])
    missing: list[str] = field(default_factory=list[str])
    refused: list[int] = field(default_factory=list[int])

    def answer(self, request: ChatRequest) -> Completion:
        """Answer one request.

        Raises:
            ContextLengthError: it is longer than the window.
        """
        body = request.tools.text + "".join(request.history)
        self.tools.append(len(request.tools.text.encode()) // 4)
        self.requests.append(body)
        if self.window is not None and len(body.encode()) // 4 > self.window:
            self.refused.append(len(self.requests))
            raise ContextLengthError(f"This model's maximum context length is {self.window} tokens.")
        return completion_from_message(encode_message({"role": "assistant", **self._answer(request)}))

    def _answer(self, request: ChatRequest) -> dict[str, Any]:
        last: dict[str, Any] = json.loads(request.history[-1])
        asked = next(json.loads(text)["content"] for text in reversed([*request.history]) if '"role":"user"' in text)
        if "UNKNOWN_TOOL" in str(last.get("content")):
            self.missing.append("a call of no tool")
        if asked not in self.needed or (last["role"] == "tool" and last["tool_call_id"].startswith("made")):
            return {"content": _SAID}
        if last["role"] == "user":
            return calls(("search_tools", {"query": asked}))
        name = self.needed[asked]
        if not (self.by_name or name in request.tools.names):
            self.missing.append(name)
        none: dict[str, Any] = {}
        answer = calls(("call_tool", {"name": name, "arguments": none}) if self.by_name else (name, none))
        answer["tool_calls"][0]["id"] = f"made_{len(self.requests)}"
        return answer


@dataclass
class _Model:
    """An object for the model of a day. It remembers nothing, and says the window that it is given."""

    day: _Day
    context_tokens: int | None

    async def __call__(self, request: ChatRequest, /) -> Completion:
        return self.day.answer(request)


def figures(*, short: bool = True) -> Iterator[Figure]:
    """What definitions cost at most within a small window, and what is read again where prefixes are cached.

    The day is the same in the ``short`` form.
    """
    _ = short
    with tempfile.TemporaryDirectory() as folder:
        offered = sixty_tools(Path(folder))
        small, small_lost = asyncio.run(_live(_Day(_WINDOW), offered, says=_WINDOW))
        silent, silent_lost = asyncio.run(_live(_Day(_WINDOW), offered, days=2))
        cached, cached_lost = asyncio.run(_live(_Day(None, by_name=True), offered))
    how = f"a day of twelve messages with {len(offered)} tools, eleven of which search for another one and call it"
    learnt = silent.refused[0] if silent.refused else 0  # until then the model has shown no window
    lost = small_lost + silent_lost + len(small.refused) + abs(len(silent.refused) - 1)
    worst = max(*small.tools, *silent.tools[learnt:]) + _FAILED * lost
    yield at_most(
        "tools.day_tokens",
        worst,
        "tokens",
        _MOST_TOKENS,
        len(small.requests) + len(silent.requests),
        f"the definitions of the request that has most, for a model of {_WINDOW} tokens that says so, and for one "
        f"after its only refusal in two days; each message to a new object and runtime; 4 bytes a token; {how}",
    )
    yield at_most(
        "tools.day_reread",
        _count_reread(cached.requests) + _FAILED * cached_lost,
        "bytes",
        _MOST_BYTES,
        len(cached.requests),
        f"the bytes of each request after what it has in common with the one before, found tools as text; {how}",
    )


async def _live(
    day: _Day, offered: list[Callee[..., Any]], *, says: int | None = None, days: int = 1
) -> tuple[_Day, int]:
    """Send the messages of the day, each to a new object of the model in a new runtime of one store.

    Returns the day, and how many runs failed and tools were not found.
    """
    phrases = find_phrases(each.name for each in offered)
    search = ToolSearch(phrases=phrases, as_text=day.by_name)
    kinds = {kind for each in offered for kind in each.schema_in.references}
    person, store, lost = Principal("ada", permissions=frozenset({"*"})), InMemoryStore(), 0
    for message in (*day.needed, "Thank you!") * days:
        model = _Model(day, says)
        agent = Agent("clerk", instructions=_INSTRUCTIONS, tools=offered, model=model, tool_search=search)
        app = App(name="office", agents=(agent,), references=dict.fromkeys(kinds, no_candidates))
        run = await Runtime(app, store=store).run(message, by=person, conversation="day")
        lost += run.status != "done"
    return day, lost + len(day.missing)


def _count_reread(requests: list[str]) -> int:
    """The bytes that a cache of prefixes has not: what follows the part that a request shares with the last one."""
    read, last = 0, ""
    for each in requests:
        common = next((at for at, (one, other) in enumerate(zip(last, each, strict=False)) if one != other), None)
        read += len(each[min(len(last), len(each)) if common is None else common :].encode())
        last = each
    return read
