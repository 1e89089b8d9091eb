"""The ledger of a run that is being driven: everything known, and what is not yet stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from remit.contracts.grant import Grant
from remit.contracts.items import (
    Asked,
    Decided,
    Handoff,
    Item,
    Message,
    ModelReply,
    Position,
    Started,
    ToolOutput,
    Usage,
)
from remit.contracts.ledger import Spent, Take
from remit.contracts.question import Decision, Question
from remit.errors import DivergedError, JournalError
from remit.journal.codec import body_digest, chain, encode
from remit.journal.ports import Store, Stored

STALL: Final = 5.0
"""Seconds on the loop's clock after which a body that waits for itself has diverged."""

SOON: Final = 0.05
"""Seconds on the loop's clock after which what was written is stored at the latest, for whoever watches."""

Watch = Callable[[Position], None]


class RunLedger:
    """Appends go to memory at once and to the store in order: with the next durable one, or soon.

    What is lost in a crash is what nobody acted on: whatever must not be lost is committed. Close it when its driver
    stops.
    """

    replaying = False

    def __init__(
        self,
        store: Store,
        run: str,
        epoch: int,
        *,
        conversation: str = "",
        prior: Sequence[str] = (),
        clock: Callable[[], float],
        watch: Watch,
        known: Sequence[Position] = (),
        stopping: bool = False,
    ) -> None:
        self.run = run
        self.stopping = stopping
        self.prior = prior
        self._store = store
        self._epoch = epoch
        self._conversation = conversation
        self._clock = clock
        self._watch = watch
        self._seq = known[-1].seq if known else -1
        self._chain = known[-1].chain if known else b""
        self._filed: dict[str, list[Item]] = {}
        self._asking: dict[str, list[str]] = {}
        self._decided: set[tuple[str, str]] = set()
        self._storing: Stored | None = None
        self._more = False
        self._timer: asyncio.TimerHandle | None = None
        self._pending: list[tuple[Item, float]] = []
        self._reserved: set[str] = set()
        self._acting: set[str] = set()
        self._handed: set[tuple[str, int]] = set()
        self._spent = Spent()
        self._broken: JournalError | None = None
        self._unclaimed: dict[str, set[str]] = {}
        self._waiting: list[asyncio.Future[None]] = []
        for position in known:
            self._file(position.item)
            child = position.item
            if isinstance(child, (Started, Asked, ToolOutput)) and child.parent:
                self._unclaimed.setdefault(child.parent, set()).add(child.call)

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._clock()

    def known(self, call: str) -> Sequence[Item]:
        """Everything filed under ``call``, in order."""
        return self._filed.get(call, ())

    def add(self, item: Item) -> None:
        """Write one item; it is stored with the next one that is committed, or soon.

        Raises:
            JournalError: the store refused before. The ledger takes nothing more: its driver must stop.
        """
        if self._broken is not None:
            raise self._broken
        self._pending.append((item, self._clock()))
        self._file(item)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SOON, self._late)

    async def commit(self, item: Item, take: Take | None = None) -> None:
        """Write one item, and return when it and all before it are stored.

        Raises:
            JournalError: the store refused. The ledger takes nothing more: its driver must stop.
        """
        self.add(item)
        await _answer(self._store_pending(take))

    def store(self) -> None:
        """Begin to store what is written so far, if nothing is being stored; else go on with it after that.

        Raises:
            JournalError: the store refused before.
        """
        if self._broken is not None:
            raise self._broken
        if self._storing is not None:
            self._more = True
        elif self._pending:
            self._store_pending(None)

    async def flush(self) -> None:
        """Return when everything appended so far is stored.

        Raises:
            JournalError: the store refused, now or before.
        """
        if self._pending:
            await _answer(self._store_pending(None))
        elif self._storing is not None:
            await _answer(self._storing)
        if self._broken is not None:
            raise self._broken

    def close(self) -> None:
        """Store nothing more: what is written and not stored is lost."""
        self._pending.clear()
        self._more = False
        if self._timer is not None:
            self._timer.cancel()

    def claim(self, parent: str, call: str) -> bool:
        """Body ``parent`` makes ``call``: whether it may go at once. One that the journal does not know waits."""
        left = self._unclaimed.get(parent)
        if left is None or call in self._filed:
            if left is not None:
                left.discard(call)
                for waiting in self._waiting:
                    waiting.set_result(None)
                self._waiting.clear()
            return True
        return not left

    async def others_claimed(self, parent: str, call: str, busy: Callable[[], bool]) -> None:
        """Return when the body ``parent`` has made every call that the journal knows of it.

        Raises:
            DivergedError: it makes no more of them while none of its calls is under way.
        """
        while self._unclaimed.get(parent):
            claimed = asyncio.get_running_loop().create_future()
            self._waiting.append(claimed)
            await asyncio.wait([claimed], timeout=STALL)
            if not claimed.done() and not busy():
                self.finish(parent)

    def finish(self, parent: str) -> None:
        """The body ``parent`` makes no more calls.

        Raises:
            DivergedError: the journal knows of one that it has not made.
        """
        left = self._unclaimed.get(parent)
        if left:
            first = self._filed[min(left)][0]
            named = first.callee if isinstance(first, ToolOutput) else first.call[:8]
            raise DivergedError(
                f"the journal tells of a call ({named}) that today's code does not make; nothing was run"
            )

    def asking(self, question: str) -> list[str]:
        """The calls of this run that wait for the decision on a question."""
        return self._asking.get(question, [])

    def undecided(self) -> list[tuple[str, str]]:
        """The questions that calls of this run have asked and have no decision on: question and call."""
        asked = [(question, call) for question, calls in self._asking.items() for call in calls]
        return [each for each in asked if each not in self._decided]

    async def standing(self, match: str) -> tuple[Question, Decision | None] | None:
        """The open or unused question of this conversation that matches, with its decision if a person made one.

        One that another call of this run goes by already is not free any more.
        """
        row = await self._store.standing(self._conversation, match) if self._conversation else None
        if row is None or any(call != match for call in self.asking(row.question.id)):
            return None
        return row.question, row.decision

    async def grants(self, tenant: str, tool: str) -> Sequence[Grant]:
        """The grants for calls of a tool that still answer anything."""
        rows = await self._store.grants(tenant=tenant, tool=tool)
        return [row.grant for row in rows if row.stands(self._clock())]

    async def honours(self, tenant: str, grant: str) -> bool:
        """Whether a grant that has allowed a call still does."""
        rows = await self._store.grants(tenant=tenant)
        return any(row.grant.id == grant and not row.revoked and row.grant.expires > self._clock() for row in rows)

    async def use(self, grant: str) -> bool:
        """Use up one call of a grant."""
        return await self._store.use(grant)

    def reserve(self, call: str, limit: int) -> bool:
        """Reserve one of ``limit`` calls of the run; False if none is left. Asking again is free."""
        if call not in self._reserved:
            if len(self._reserved) >= limit:
                return False
            self._reserved.add(call)
        return True

    def reserve_handoff(self, agent: str, limit: int) -> bool:
        """Reserve the next handoff in the call ``agent``; False if the run has none left."""
        following = (agent, self._handoffs(agent))
        if following not in self._handed:
            if len(self._handed) >= limit:
                return False
            self._handed.add(following)
        return True

    def _handoffs(self, agent: str) -> int:
        return sum(isinstance(item, Handoff) for item in self.known(agent))

    def spent(self) -> Spent:
        """What the run has used so far."""
        return self._spent._replace(calls=len(self._reserved))

    def _file(self, item: Item) -> None:
        call = item.call
        filed = self._filed.get(call)
        if filed is None:
            self._filed[call] = [item]
        else:
            filed.append(item)
        if isinstance(item, Started):
            self._reserved.add(call)
        elif isinstance(item, ToolOutput):
            if item.parent and call in self._acting:
                self._reserved.add(call)
        elif isinstance(item, (Message, ModelReply)):
            self._acting.add(item.agent)
        elif isinstance(item, Usage):
            spent = self._spent
            self._spent = Spent(
                0, spent.prompt_tokens + item.prompt_tokens, spent.completion_tokens + item.completion_tokens
            )
        elif isinstance(item, Asked):
            self._asking.setdefault(item.question, []).append(call)
        elif isinstance(item, Decided):
            self._decided.add((item.question, call))
        elif isinstance(item, Handoff):
            self._handed.add((call, self._handoffs(call) - 1))

    def _linked(self) -> list[Position]:
        """What is written and not stored, each item linked to the one before."""
        written, self._pending = self._pending, []
        run, epoch, seq, link = self.run, self._epoch, self._seq, self._chain
        positions: list[Position] = []
        for item, at in written:
            body = encode(item)
            digest = body_digest(body)
            link = chain(link, item.kind, item.call, digest)
            seq += 1
            positions.append(Position(run, epoch, seq, at, item, body, digest, link))
        self._seq, self._chain = seq, link
        return positions

    def _store_pending(self, take: Take | None) -> Stored:
        batch = self._linked()
        stored = self._store.append(self.run, self._epoch, batch, take)
        if stored.done():
            self._settle(batch, stored)
        else:
            self._storing = stored
            stored.add_done_callback(partial(self._settle, batch))
        return stored

    def _settle(self, batch: Sequence[Position], stored: asyncio.Future[None]) -> None:
        """Tell what was stored to whoever watches, and keep why it was not."""
        if self._storing is stored:
            self._storing = None
        error = stored.exception()
        if isinstance(error, JournalError):
            self._broken = self._broken or error
        if error is None:
            for position in batch:
                self._watch(position)
            if self._more and self._storing is None:
                self._more = False
                self.store()

    def _late(self) -> None:
        self._timer = None
        if self._pending and self._broken is None:
            self.store()


async def _answer(stored: Stored) -> None:
    """Wait for a store. Who is cancelled meanwhile leaves the append as it is."""
    if stored.done():
        stored.result()
    else:
        await asyncio.shield(stored)
