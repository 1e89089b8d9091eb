"""An origin whose offer tests change, and who accepts it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import structs

from remit import App, Principal, Runtime
from remit.errors import ExternalError
from remit.sources import Offer, PinFolder, Snapshot, Source, Trust
from remit.sources.source import NewConnectionError

ADA: Final = Principal("ada", permissions=frozenset({"files:call"}))
GRACE: Final = Principal("grace", permissions=frozenset({"sources:accept"}))
READ: Final = Offer(
    name="read",
    title="Read a file",
    description="Read a file.",
    input_schema={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    output_schema={"type": "object"},
    annotations={"readOnlyHint": True},
    meta={"vendor": {"version": 1}},
)
WRITE: Final = Offer(name="write", description="Write a file.", input_schema={"type": "object"})
TRUST: Final = Trust(effects={"read": "pure", "write": "pure", "list": "pure"})


class ScriptedOrigin:
    """A server whose offer is changed by tests. ``called`` are the calls that reached it."""

    def __init__(self, *offers: Offer) -> None:
        self.snapshot = Snapshot(address="files --here", instructions="Be careful.", offers=offers or (READ, WRITE))
        self.called = list[tuple[str, Mapping[str, Any]]]()
        self.connection, self.is_away, self.reads = 1, False, 0
        self.on_change: Callable[[], None] = lambda: None
        self.is_open = False

    @property
    def version(self) -> object:
        return self.connection

    async def open(self, on_change: Callable[[], None]) -> None:
        self.on_change, self.is_open = on_change, True

    async def close(self) -> None:
        self.is_open = False

    async def read(self) -> Snapshot:
        self.reads += 1
        if self.is_away:
            raise ExternalError("the MCP server files: it cannot be reached")
        return self.snapshot

    async def call(self, name: str, arguments: Mapping[str, Any], _ctx: object, version: object, /) -> Any:
        if version != self.connection:
            raise NewConnectionError
        self.called.append((name, arguments))
        return {"text": f"{name} done"}

    def replace(self, name: str, **fields: Any) -> None:
        """Offer another version of a tool."""
        offers = (structs.replace(each, **fields) if each.name == name else each for each in self.snapshot.offers)
        self.snapshot = structs.replace(self.snapshot, offers=tuple(offers))

    def add(self, offer: Offer) -> None:
        """Offer one more tool."""
        self.snapshot = structs.replace(self.snapshot, offers=(*self.snapshot.offers, offer))

    def remove(self, name: str) -> None:
        """Offer a tool no longer."""
        kept = tuple(each for each in self.snapshot.offers if each.name != name)
        self.snapshot = structs.replace(self.snapshot, offers=kept)


def make_source(origin: ScriptedOrigin, folder: Path, **settings: Any) -> Source:
    """The source of an origin."""
    return Source("files", origin, PinFolder(folder), TRUST, **settings)


def make_runtime(source: Source) -> Runtime:
    """A runtime that serves the tools of a source, and follows its changes."""

    def app() -> App:
        return App(name="desk", tools=source.tools, resources=[source])

    runtime = Runtime(app())
    runtime.add_principals(ADA, GRACE)
    source.follow(lambda: runtime.update(app()))
    return runtime
