"""Sources whose offer changes: nothing of it is shown or called before a person has accepted it.

A server changes one part of its offer, in each way in which an application may learn of it. Then a model works with
the tools, a principal lists them, and calls are made, as long as nobody has accepted the change and after that.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import structs

from figures.figure import Figure, no_violations
from remit import Agent, App, LeafContext, Principal, Runtime
from remit.agent import ToolSearch
from remit.errors import RemitError
from remit.sources import Offer, PinFolder, Snapshot, Source, Trust
from remit.sources.source import NewConnectionError
from remit.testing import Scripted, calls

CANARY: Final = "CANARY"
_NAMES: Final = ("read", "write", "fresh")
_QUERY: Final = f"read a file {CANARY}"
_ADA: Final = Principal("ada", permissions=frozenset({"files:call"}))
_GRACE: Final = Principal("grace", permissions=frozenset({"sources:accept"}))
_TRUST: Final = Trust(effects=dict.fromkeys(("read", "write", "fresh"), "pure"))
_SCHEMA: Final[dict[str, Any]] = {"type": "object", "properties": {"path": {"type": "string"}}}
_NEW_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"path": {"type": "string", "description": CANARY}},
}
_READ: Final = Offer(name="read", title="Read", description="Read a file.", input_schema=_SCHEMA, meta={"v": 1})
_WRITE: Final = Offer(name="write", description="Write a file.", input_schema=_SCHEMA)
_FIRST: Final = Snapshot(address="files --here", instructions="Be careful.", offers=(_READ, _WRITE))


def _with_read(**fields: Any) -> Snapshot:
    return structs.replace(_FIRST, offers=(structs.replace(_READ, **fields), _WRITE))


CHANGES: Final[Mapping[str, Snapshot]] = {
    "title": _with_read(title=CANARY),
    "description": _with_read(description=f"Read a file. {CANARY}"),
    "input schema": _with_read(input_schema=_NEW_SCHEMA),
    "output schema": _with_read(output_schema={"type": "object", "description": CANARY}),
    "annotations": _with_read(annotations={"readOnlyHint": True}),
    "_meta": _with_read(meta={"v": CANARY}),
    "name": _with_read(name="fresh", description=CANARY),
    "a new tool": structs.replace(
        _FIRST, offers=(*_FIRST.offers, Offer(name="fresh", description=CANARY, input_schema=_SCHEMA))
    ),
    "a tool that is gone": structs.replace(_FIRST, offers=(_WRITE,)),
    "instructions": structs.replace(_FIRST, instructions=CANARY),
    "command or host": structs.replace(_FIRST, address=f"files --{CANARY}"),
}
"""What a server offers after a change."""

EVENTS: Final = ("start", "notice", "connection", "connection in the call", "time")
"""How an application may learn of a change: it starts, is told, connects again before or in a call, or looks again."""


class _Server:
    """A server whose offer changes. ``called`` are the calls that have reached it."""

    def __init__(self) -> None:
        self.snapshot, self.connection = _FIRST, 1
        self.called = list[str]()
        self.tell: Callable[[], None] = lambda: None
        self.in_call: Callable[[], None] = lambda: None

    @property
    def version(self) -> object:
        return self.connection

    async def open(self, on_change: Callable[[], None]) -> None:
        self.tell = on_change

    async def close(self) -> None:
        self.tell = lambda: None

    async def read(self) -> Snapshot:
        return self.snapshot

    async def call(self, name: str, arguments: Mapping[str, Any], ctx: LeafContext, version: object, /) -> Any:
        self.in_call()
        if version != self.connection:
            raise NewConnectionError
        self.called.append(name)
        return {}


def figures(*, short: bool) -> Iterator[Figure]:
    """Changes that were served, shown or accepted although nobody had accepted them."""
    cases = [*itertools.product(CHANGES, EVENTS)][:: 2 if short else 1]
    unnoticed = [problem for change, event in cases for problem in asyncio.run(_measure(change, event))]
    how = (
        f"{len(CHANGES)} changes of a server's offer, learned of in {len(EVENTS)} ways: called, listed, or in what a "
        "model was sent, which searched the tools, before a person had accepted just this; or not usable after that"
    )
    yield no_violations("pins.unnoticed", len(unnoticed), len(cases), f"{how}; {', '.join(unnoticed[:3])}")


async def _measure(change: str, event: str) -> list[str]:
    """What went wrong with one change."""
    with tempfile.TemporaryDirectory() as folder:
        server, now = _Server(), [0.0]
        pins = PinFolder(Path(folder))
        async with Source("files", server, pins, _TRUST, clock=lambda: now[0]):
            pass
        if event == "start":
            server.snapshot = CHANGES[change]
        async with Source("files", server, pins, _TRUST, clock=lambda: now[0]) as source:
            desk = _Desk(source)
            _happen(event, change, server, now)
            return [f"{change} at {event}: {each}" for each in await _look(desk, source, server, change)]


def _happen(event: str, change: str, server: _Server, now: list[float]) -> None:
    """Change the offer as the event says."""

    def connect_again() -> None:
        server.snapshot = CHANGES[change]
        server.connection = 2

    if event == "connection in the call":
        server.in_call = connect_again
        return
    server.snapshot = CHANGES[change]
    if event == "notice":
        server.tell()
    elif event == "connection":
        server.connection = 2
    elif event == "time":
        now[0] += 10_000


class _Desk:
    """An application that serves the tools of a source, with an agent that searches them."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._model = Scripted([calls(("search_tools", {"query": _QUERY})), "done"] * 4)
        self.runtime = Runtime(self._app(), model=self._model)
        self.runtime.add_principals(_ADA)
        source.follow(lambda: self.runtime.update(self._app()))

    def _app(self) -> App:
        tools = self._source.tools
        clerk = Agent("clerk", instructions="Work.", tools=tools, tool_search=ToolSearch(above=0))
        return App(name="desk", agents=[clerk], tools=tools)

    async def call(self, tool: str) -> str:
        return (await self.runtime.client(_ADA).call(f"files_{tool}", {})).status

    async def texts(self) -> str:
        """All that a model or a person may be shown of the tools."""
        listed = await self.runtime.client(_ADA).tools()
        await self.runtime.run("work", by=_ADA)
        sent = (f"{[*each.history]} {each.tools.text}" for each in self._model.requests)
        served = (f"{each.name} {each.description} {each.schema_in.json_schema}" for each in self.runtime.tools)
        return " ".join([*sent, *served, *(f"{each.name} {each.description} {each.parameters}" for each in listed)])


def _forbidden(change: str) -> set[str]:
    """The tools that must not be called after a change."""
    if change in ("instructions", "command or host"):
        return {*_NAMES}
    return {"fresh"} if change == "a new tool" else {"read", "fresh"}


async def _look(desk: _Desk, source: Source, server: _Server, change: str) -> list[str]:
    """Use the tools while the change waits, accept it, and use them again."""
    problems = list[str]()
    forbidden = _forbidden(change)
    for tool in _NAMES:
        with contextlib.suppress(RemitError):
            await desk.call(tool)
    problems += [f"{each} was called" for each in sorted(forbidden & {*server.called})]
    found = await source.refresh()
    if CANARY in (await desk.texts()).replace(_QUERY, ""):
        problems.append("it was shown")
    shown = {each.name for each in await desk.runtime.client(_ADA).tools()}
    problems += [f"{each} is listed" for each in sorted({f"files_{each}" for each in forbidden} & shown)]
    if not (found.is_moved or found.tools_to_accept):
        return [*problems, "nobody is told"]
    waiting = (
        [("", found.offered.digest)] if found.is_moved else [(each.name, each.digest) for each in found.tools_to_accept]
    )
    for name, digest in waiting:
        wrong = await _accept_wrongly(source, name, digest)
        problems += wrong
        if wrong:
            continue
        await source.accept(digest, by=_GRACE, tool=name)
        if (source.acts[-1].by, source.acts[-1].digest) != ("grace", digest):
            problems.append("the acceptance is not on record")
    for tool in _NAMES:
        is_offered = any(each.name == tool for each in server.snapshot.offers)
        if is_offered and await desk.call(tool) != "done":
            problems.append(f"{tool} cannot be called after it was accepted")
    return problems


async def _accept_wrongly(source: Source, name: str, digest: str) -> list[str]:
    """Accept what was not offered, and what is offered without the permission. Returns what went through."""
    accepted = list[str]()
    for by, seen in ((_GRACE, "1:another"), (_ADA, digest)):
        with contextlib.suppress(RemitError):
            await source.accept(seen, by=by, tool=name)
            accepted.append(f"{by.name} accepted {seen[:9]}")
            break
    return accepted
