"""Which run a call belongs to: the run of its session, or that of an earlier one in which the same call waits."""

from __future__ import annotations

from contextlib import AsyncExitStack, suppress
from typing import Any, Final

from remit.client.client import Client
from remit.client.open_run import OpenRun
from remit.engine.open_calls import list_unread
from remit.engine.request import identify_arguments
from remit.engine.result import CallResult
from remit.errors import RemitError, RequestError
from remit.journal.index import RunStatus
from remit.record.arguments import Arguments, parse_arguments
from remit.record.items import OPEN_RUN

MOST_CALLS: Final = 1_000
"""The calls of a session after which it continues in another run, because a run is read whole when it continues."""

_IDLE_SECONDS: Final = 5.0
_MOST_EARLIER: Final = 200
_UNFINISHED: Final[tuple[RunStatus, ...]] = ("waiting", "open", "stalled")


class SessionRuns:
    """The open runs of one session of a principal.

    Args:
        client: the client of the principal.
        session: identifies the session; the same one continues its run.
        title: the title of the runs in lists.
    """

    def __init__(self, client: Client, session: str, title: str) -> None:
        self._client, self._session, self._title = client, session, title
        self._stack = AsyncExitStack()
        self._runs = dict[str, OpenRun]()
        self._calls = dict[str, int]()
        self._unread: dict[tuple[str, str], str] | None = None

    async def call(self, tool: str, arguments: str, session: str = "") -> CallResult[Any]:
        """Make a call, which attaches to the same call of this session or of an earlier one.

        ``session`` is what the client itself says about the run that the call belongs to.
        """
        unread, given = await self._find_unread(), parse_arguments(arguments)
        run = unread.get((tool, self._identify(tool, given)), "") if unread else ""
        opened = await (self._reopen(run) if run else self._open(session or self._session))
        is_unread = True
        try:
            result = await opened.call(tool, given, attach=True)
            is_unread = result.reply is None
        finally:
            if run or is_unread:
                self._note(unread, (tool, self._identify(tool, given)), opened.id if is_unread else "")
        return result

    def renew(self) -> None:
        """Make further calls with the tools that the application has now."""
        self._runs.clear()

    async def close(self) -> None:
        """Let the runs rest, and end those in which nothing waits."""
        for run in self._runs.values():
            with suppress(RemitError):  # a call waits, or another session makes calls in it: it rests
                if not list_unread(each.item for each in await self._client.items(run.id)):
                    await run.close()
        await self._stack.aclose()

    async def _find_unread(self) -> dict[tuple[str, str], str]:
        """The calls whose result was not returned, with their runs; at first those of earlier sessions."""
        if self._unread is None:
            self._unread = unread = {}
            for status in _UNFINISHED:
                for row in await self._client.runs(status=status, agent=OPEN_RUN, limit=_MOST_EARLIER):
                    if row.principal != self._client.principal.name:
                        continue
                    for each in list_unread(position.item for position in await self._client.items(row.run)):
                        unread[each.callee, self._identify(each.callee, parse_arguments(each.arguments))] = row.run
        return self._unread

    def _note(self, unread: dict[tuple[str, str], str], call: tuple[str, str], run: str) -> None:
        """Note in which run a call waits; in none if its result was returned."""
        if run:
            unread[call] = run
        else:
            unread.pop(call, None)

    def _identify(self, tool: str, arguments: Arguments) -> str:
        contract = self._client.contract(tool)
        return arguments.identity if contract is None else identify_arguments(contract, arguments)

    async def _open(self, session: str) -> OpenRun:
        """The run of a session; another one after many calls, or if it has ended."""
        number = self._calls[session] = self._calls.get(session, 0) + 1
        key = f"{session} {number // MOST_CALLS}" if number >= MOST_CALLS else session
        if key not in self._runs:
            metadata = {"title": self._title}
            opening = self._client.open_run(idempotency_key=key, idle_seconds=_IDLE_SECONDS, metadata=metadata)
            self._runs[key] = await self._stack.enter_async_context(opening)
        return self._runs[key]

    async def _reopen(self, run: str) -> OpenRun:
        if run not in self._runs:
            try:
                opening = self._client.open_run(run_id=run, idle_seconds=_IDLE_SECONDS)
                self._runs[run] = await self._stack.enter_async_context(opening)
            except RequestError:
                return await self._open(self._session)
        return self._runs[run]
