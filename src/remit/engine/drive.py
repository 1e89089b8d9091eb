"""Drives one run, from its start or again from its journal, while holding its lease."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from remit.contracts.items import Decided, Finished, Item, Position, Resumed, ToolOutput, Waiting
from remit.contracts.question import Decision
from remit.contracts.reply import Reply
from remit.core.frozen import frozen
from remit.errors import CallCancelledError, JournalError, LeaseError, NotFoundError, RequestError, Suspended
from remit.journal.ledger import RunLedger, Watch
from remit.journal.ports import Held, Store

POLL: Final = 1.0
"""Seconds between two looks at the inbox of a run that is being driven."""

_CANCELLED: Final = Reply.failed(CallCancelledError("the run was cancelled"))

Status = Literal["done", "failed", "waiting", "cancelled"]
Root = Callable[[RunLedger], Awaitable[Reply]]


@frozen
class Outcome:
    """How a drive came out: the reply of the root, or the questions it waits for."""

    status: Status
    reply: Reply | None = None
    questions: tuple[str, ...] = ()


@dataclass(slots=True)
class _Lease:
    """``lasts``: it is let go at the end; the item that ends a run has done so already."""

    held: Held
    lasts: bool = True


@frozen
class Driver:
    """One driver: ``name`` says who holds a lease; a lease of ``seconds`` is renewed while the run is driven."""

    store: Store
    clock: Callable[[], float]
    watch: Watch
    name: str
    seconds: float = 30.0

    async def drive(
        self,
        run: str,
        root: Root,
        *,
        header: Item | None,
        conversation: str,
        prior: Sequence[str],
        known: Sequence[Position] = (),
        stopping: bool = False,
        leave: asyncio.Event | None = None,
    ) -> Outcome:
        """Drive ``run``: a new one if ``header`` is given, else again from its journal; ``stopping``: only to end it.

        ``known`` are its first items, where they were read already. Once ``leave`` is set, the run is let go as it
        stands, for somebody else to drive on.

        Raises:
            LeaseError: somebody else drives it, or it was let go.
        """
        async with self._leased(run, known[-1].seq if known else -1) as lease:
            held = lease.held
            known = [*known, *held.items]
            if header is not None and known:
                raise _taken(run)
            if held.status in ("done", "failed", "cancelled"):
                return _ended(held.status, known)
            ledger = RunLedger(
                self.store,
                run,
                held.epoch,
                known=known,
                conversation=conversation,
                prior=prior,
                clock=self.clock,
                watch=self.watch,
                stopping=stopping or (header is None and bool(held.cancelled)),
            )
            ledger.add(header if header is not None else Resumed(call=run, driver=self.name))
            try:
                outcome = await self._watched(ledger, root if header is None else _headed(root), lease, leave)
            finally:
                ledger.close()
            lease.lasts = outcome.status == "waiting"
        if outcome.status == "waiting" and await self._moved(run, outcome.questions):
            with contextlib.suppress(LeaseError):
                return await self.drive(run, root, header=None, conversation=conversation, prior=prior, leave=leave)
        return outcome

    async def _moved(self, run: str, questions: Sequence[str]) -> bool:
        """Whether a run that waits is to go on: whoever decided or cancelled while its lease was held could not drive.

        From now on they can.
        """
        with contextlib.suppress(JournalError):
            return bool(await self.store.cancelled(run) or await self._decided(questions))
        return False

    async def open(self, run: str, header: Item) -> None:
        """Store the header of a new run, and leave the driving to others.

        Raises:
            LeaseError, RequestError: there is such a run already, or its conversation is busy.
        """
        async with self._leased(run) as lease:
            if lease.held.items:
                raise _taken(run)
            ledger = RunLedger(self.store, run, lease.held.epoch, clock=self.clock, watch=self.watch)
            await ledger.commit(header)
            ledger.close()

    async def _watched(self, ledger: RunLedger, root: Root, lease: _Lease, leave: asyncio.Event | None) -> Outcome:
        """Drive to a rest; whoever asks to cancel the run is heard within `POLL` seconds.

        Another process writes the inbox; there is no event to wait for.
        """
        driving = asyncio.create_task(self._until_rest(ledger, root, lease.held.decisions, leave))
        leaving = [asyncio.create_task(leave.wait())] if leave else []
        try:
            heard = False
            while not heard:
                some, _ = await asyncio.wait([driving, *leaving], timeout=POLL, return_when=asyncio.FIRST_COMPLETED)
                heard = bool(some) or await self._asked_to_cancel(ledger.run)
            if leave and leave.is_set() and not driving.done():
                await self._let_go(ledger.run, lease.held.epoch)
        finally:
            for task in leaving:
                task.cancel()
            if not driving.done():
                driving.cancel()
                await asyncio.wait([driving])
            if not driving.cancelled():
                driving.exception()  # looked at, so that nobody complains where a cancel goes on instead
        return driving.result()

    async def _asked_to_cancel(self, run: str) -> bool:
        try:
            return bool(await self.store.cancelled(run))
        except JournalError:
            return False

    async def _let_go(self, run: str, epoch: int) -> None:
        """End this epoch, whether there is a next driver yet or not: nothing more of it is stored."""
        await self.store.release(run, epoch)
        with contextlib.suppress(LeaseError):
            await self.store.release(run, (await self.store.acquire(run, self.name, self.seconds)).epoch)

    async def _until_rest(
        self, ledger: RunLedger, root: Root, decisions: Sequence[Decision], leave: asyncio.Event | None
    ) -> Outcome:
        try:
            outcome, last = await self._rest(ledger, root, decisions)
        except asyncio.CancelledError:
            if leave and leave.is_set():
                raise LeaseError(f"run {ledger.run} was let go; another process can drive it on") from None
            outcome, last = Outcome(status="cancelled", reply=_CANCELLED), Finished(call=ledger.run, status="cancelled")
        writing = asyncio.ensure_future(ledger.commit(last))
        try:
            await asyncio.shield(writing)
        except asyncio.CancelledError:
            await writing
            if outcome.status == "waiting":
                outcome = Outcome(status="cancelled", reply=_CANCELLED)
                await ledger.commit(Finished(call=ledger.run, status="cancelled"))
        return outcome

    async def _rest(self, ledger: RunLedger, root: Root, decisions: Sequence[Decision]) -> tuple[Outcome, Item]:
        """How the drive comes out, and the item that says so."""
        while True:
            await self._copy_inbox(ledger, {decision.question: decision for decision in decisions})
            try:
                reply = await root(ledger)
            except Suspended as signal:
                if ledger.stopping:
                    raise asyncio.CancelledError from signal
                ledger.stopping = bool(await self.store.cancelled(ledger.run))
                decisions = [] if ledger.stopping else await self._decided(signal.questions)
                if ledger.stopping or decisions:
                    continue
                waiting = Waiting(call=ledger.run, questions=signal.questions)
                return Outcome(status="waiting", questions=signal.questions), waiting
            status: Literal["done", "failed"] = "done" if reply.outcome == "ok" else "failed"
            error = f"{reply.error.code}: {reply.error.message}" if reply.error else ""
            return Outcome(status=status, reply=reply), Finished(call=ledger.run, status=status, error=error)

    async def _copy_inbox(self, ledger: RunLedger, decisions: Mapping[str, Decision]) -> None:
        """Copy each decision to the calls that wait for it, whichever run of the conversation opened the question."""
        for question, call in ledger.undecided():
            decision = decisions.get(question) or await self._decision(question)
            if decision is not None:
                ledger.add(Decided(call=call, question=question, body=decision.json()))

    async def _decided(self, questions: Sequence[str]) -> list[Decision]:
        found = [await self._decision(question) for question in questions]
        return [decision for decision in found if decision is not None]

    async def _decision(self, question: str) -> Decision | None:
        row = await self.store.find_question(question)
        return row.decision if row is not None else None

    @contextlib.asynccontextmanager
    async def _leased(self, run: str, after: int = -1) -> AsyncGenerator[_Lease]:
        acquiring = asyncio.ensure_future(self.store.acquire(run, self.name, self.seconds, after))
        try:
            held = await asyncio.shield(acquiring)
        except asyncio.CancelledError:
            with contextlib.suppress(JournalError):
                await self.store.release(run, (await acquiring).epoch)
            raise
        renewing = asyncio.create_task(self._renew(run, held.epoch))
        lease = _Lease(held)
        try:
            yield lease
        finally:
            renewing.cancel()
            if lease.lasts:
                await asyncio.shield(self.store.release(run, held.epoch))

    async def _renew(self, run: str, epoch: int) -> None:
        """Hold on to the lease; where the store fails for a moment, go on trying until somebody else has it."""
        with contextlib.suppress(LeaseError):
            while True:
                await asyncio.sleep(self.seconds / 3)
                try:
                    await self.store.renew(run, epoch, self.seconds)
                except LeaseError:
                    raise
                except JournalError:
                    continue


def _headed(root: Root) -> Root:
    """The root of a new run, which begins once the header is stored: its conversation may be busy."""

    async def begin(ledger: RunLedger) -> Reply:
        await ledger.flush()
        return await root(ledger)

    return begin


def _taken(run: str) -> RequestError:
    return RequestError(f"there is a run {run} already; a new one needs an id of its own")


def _ended(status: Literal["done", "failed", "cancelled"], known: Sequence[Position]) -> Outcome:
    """The outcome of a run that had ended already."""
    if status == "cancelled":
        return Outcome(status=status, reply=_CANCELLED)
    root = next((p.item for p in reversed(known) if isinstance(p.item, ToolOutput) and not p.item.parent), None)
    if root is None:
        return Outcome(status=status, reply=Reply.failed(NotFoundError("the result of this run was erased")))
    return Outcome(status=status, reply=Reply.recorded(root.text, root.outcome, ends=root.final))
