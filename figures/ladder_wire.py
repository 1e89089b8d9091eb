"""The ladder over the wire: the official client, in both kinds of revisions, and servers that are killed.

The server is a process of its own with a journal on disk. The person answers from here.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Sequence
from itertools import product
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from mcp_types import CallToolResult

from figures.figure import Figure, no_violations
from figures.mutants.mutant import Edit, edited, planted_edits
from remit.record.question import DecisionKind
from remit.stores import SqlStore
from tests.mcp.kit import Desk
from tests.mcp.official import MODES, accept, connected, serving

_SPAWN: Final = multiprocessing.get_context("spawn")
_HOLD: Final = 600.0
_SOON: Final = 0.5
_MOST_CALLS: Final = 20


class _Server(NamedTuple):
    """The settings of a server process: how long it holds a call, and how soon its questions expire."""

    folder: str
    kind: DecisionKind
    hold: float
    expires_in: float


class _DeskOnDisk(Desk):
    """A desk with its journal and what it has erased in a folder, for several processes."""

    def __init__(self, server: _Server) -> None:
        store = SqlStore.at(Path(server.folder, "journal.db"))
        super().__init__(server.kind, expires_in=server.expires_in, store=store, clock=time.time)
        self._book = Path(server.folder, "erased")

    @property
    def erased(self) -> list[str]:
        """What was erased, in order."""
        return self._book.read_text().splitlines() if self._book.exists() else []

    def erase(self, text: str) -> None:
        """Erase a text for good."""
        with self._book.open("a") as book:
            book.write(f"{text}\n")


def _serve(server: _Server, ready: Connection, edits: Iterable[Edit]) -> None:
    """The main function of a server process."""

    async def serve() -> None:
        hold = server.hold
        async with serving(_DeskOnDisk(server), hold_seconds=hold, ask_seconds=min(hold, 0.01)) as url:
            ready.send(url)
            await asyncio.Event().wait()

    with contextlib.ExitStack() as planted:
        for each in edits:
            planted.enter_context(edited(*each)())
        asyncio.run(serve())


class _Process:
    """A server process, which ends by being killed."""

    def __init__(self, server: _Server) -> None:
        ours, theirs = _SPAWN.Pipe(duplex=False)
        self._process = _SPAWN.Process(target=_serve, args=(server, theirs, planted_edits()), daemon=True)
        self._process.start()
        theirs.close()
        self._ready, self.url = ours, ""

    async def wait(self) -> str:
        """The address of the server, once it answers."""
        self.url = self.url or await asyncio.to_thread(self._ready.recv)
        return self.url

    def kill(self) -> None:
        """Kill it as ``kill -9`` does."""
        self._process.kill()
        self._process.join()


class Ladder:
    """One desk, its server processes, and the calls of one client: of a ``mode``, with a form or without."""

    def __init__(self, folder: str, mode: str, *, has_form: bool) -> None:
        kind: DecisionKind = "confirm" if has_form else "approve"
        self.holding = _Server(folder, kind, _HOLD, 3600.0)
        self.asking = _Server(folder, kind, _SOON, 3600.0)
        self.impatient = _Server(folder, kind, 0.0, 3600.0)
        self.expiring = _Server(folder, kind, 0.0, _SOON)
        self.desk = _DeskOnDisk(self.holding)
        self._mode, self._options = mode, {"elicitation_callback": accept} if has_form else {}

    @contextlib.asynccontextmanager
    async def served(self, server: _Server) -> AsyncGenerator[_Process]:
        """A server process, as long as the block."""
        process = _Process(server)
        try:
            await process.wait()
            yield process
        finally:
            process.kill()

    async def call(self, process: _Process) -> CallToolResult:
        """Make the call with a client of its own."""
        async with connected(await process.wait(), self._mode, **self._options) as client:
            return await client.call_tool("erase", {"text": "about"})

    async def decide(self, *, approved: bool) -> None:
        """Decide the question as soon as there is one."""
        await self.desk.client().decide(await self.desk.next_question(), approved=approved)

    async def is_doubled(self, effects: int) -> bool:
        """Whether the call was asked about twice, or made more often."""
        return len(await self.desk.questions()) > 1 or len(self.desk.erased) > effects


async def _form(ladder: Ladder) -> tuple[bool, int]:
    """The person confirms in the form of the client, whose answer may come after the hold."""
    async with ladder.served(ladder.asking) as process:
        result = await ladder.call(process)
        for _ in range(_MOST_CALLS):
            if not _is_waiting(result):
                break
            await asyncio.sleep(_SOON)
            result = await ladder.call(process)
        return _is_done(result), 1


async def _while_held(ladder: Ladder) -> tuple[bool, int]:
    """A yes while the call is held."""
    async with ladder.served(ladder.holding) as process:
        result, _ = await asyncio.gather(ladder.call(process), ladder.decide(approved=True))
        return _is_done(result), 1


async def _after_the_hold(ladder: Ladder) -> tuple[bool, int]:
    """A yes after the client was told to wait, and a call to another process."""
    async with ladder.served(ladder.impatient) as process:
        waiting = await ladder.call(process)
    await ladder.decide(approved=True)
    async with ladder.served(ladder.impatient) as process:
        return waiting.is_error is True and _is_done(await ladder.call(process)), 1


async def _no(ladder: Ladder) -> tuple[bool, int]:
    """A no while the call is held."""
    async with ladder.served(ladder.holding) as process:
        result, _ = await asyncio.gather(ladder.call(process), ladder.decide(approved=False))
        return result.is_error is True, 0


async def _expired(ladder: Ladder) -> tuple[bool, int]:
    """No answer, until the question expires: the call returns that nothing was done."""
    async with ladder.served(ladder.expiring) as process:
        result = await ladder.call(process)
        while _is_waiting(result):
            await asyncio.sleep(0.1)
            result = await ladder.call(process)
        return result.is_error is True, 0


async def _server_is_killed(ladder: Ladder) -> tuple[bool, int]:
    """The server is killed while it holds the call; the yes is given while there is none."""
    async with ladder.served(ladder.holding) as process:
        held = asyncio.create_task(ladder.call(process))
        await ladder.desk.next_question()
        process.kill()
        held.cancel()
        await asyncio.gather(held, return_exceptions=True)
    await ladder.decide(approved=True)
    async with ladder.served(ladder.impatient) as process:
        return _is_done(await ladder.call(process)), 1


async def _client_leaves(ladder: Ladder) -> tuple[bool, int]:
    """The client leaves while its call is held, and another one of the same person makes it after the yes."""
    async with ladder.served(ladder.holding) as process:
        held = asyncio.create_task(ladder.call(process))
        await ladder.desk.next_question()
        held.cancel()
        await asyncio.gather(held, return_exceptions=True)
        await ladder.decide(approved=True)
        return _is_done(await ladder.call(process)), 1


_Way = Callable[[Ladder], Awaitable[tuple[bool, int]]]
_Case = tuple[str, _Way, bool]
_WAYS: Final[tuple[_Way, ...]] = (_while_held, _after_the_hold, _no, _expired, _server_is_killed, _client_leaves)


def figures(*, short: bool) -> Iterator[Figure]:
    """Answers that the official client never got, and calls that were asked about or made twice."""
    cases = [*product(MODES, _WAYS, (False,)), *product(MODES, (_form,), (True,))]
    yield from _measure(cases[1::5] if short else cases)


def measure_again() -> Iterator[Figure]:
    """The figures of a call that is made again after the hold."""
    yield from _measure([("auto", _after_the_hold, False)])


def measure_forms() -> Iterator[Figure]:
    """The figures of a form in a session."""
    yield from _measure([("legacy", _form, True)])


def _measure(cases: Sequence[_Case]) -> Iterator[Figure]:
    found = [asyncio.run(_play(*each)) for each in cases]
    how = (
        "the official client in both kinds of revisions, with and without a form, to a process with a journal "
        "on disk: yes while the call is held and after it, no, no answer, a server killed by kill -9, a client gone"
    )
    yield no_violations("mcp.ladder.wire.lost", sum(lost for lost, _ in found), len(found), how)
    yield no_violations("mcp.ladder.wire.doubled", sum(doubled for _, doubled in found), len(found), how)


async def _play(mode: str, way: _Way, has_form: bool) -> tuple[bool, bool]:  # noqa: FBT001 - a part of the case
    """Whether the answer was lost, and whether the call was doubled."""
    with TemporaryDirectory() as folder:
        ladder = Ladder(folder, mode, has_form=has_form)
        try:
            is_told, effects = await asyncio.wait_for(way(ladder), 300)
            return not is_told or len(ladder.desk.erased) < effects, await ladder.is_doubled(effects)
        finally:
            await ladder.desk.store.close()


def _is_done(result: CallToolResult) -> bool:
    return not result.is_error and result.structured_content == {"erased": "about"}


def _is_waiting(result: CallToolResult) -> bool:
    told: Any = result.structured_content or {}
    return told.get("status") == "waiting"
