"""The ledger of a run that is being driven: everything known, and what is not yet stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from remit.contracts.items import Asked, Item, Position, Started, Usage
from remit.contracts.ledger import Spent, Take
from remit.contracts.question import Decision, Question
from remit.errors import JournalError
from remit.journal.codec import chain, encode
from remit.journal.ports import Store

Watch = Callable[[Position], None]


class RunLedger:
    """Appends go to memory at once and to the store in order, together with the next durable one.

    What is lost in a crash is what nobody acted on: whatever must not be lost is committed.
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
    ) -> None:
        self.run = run
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
        self._pending: list[Position] = []
        self._reserved: set[str] = set()
        self._spent = Spent()
        self._broken: JournalError | None = None
        for position in known:
            self._file(position.item)

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._clock()

    def known(self, call: str) -> Sequence[Item]:
        """Everything filed under ``call``, in order."""
        return self._filed.get(call, ())

    def add(self, item: Item) -> None:
        """Write one item; it is stored with the next one that is committed.

        Raises:
            JournalError: the store refused before. The ledger takes nothing more: its driver must stop.
        """
        if self._broken is not None:
            raise self._broken
        body = encode(item)
        self._seq += 1
        self._chain = chain(self._chain, item.kind, item.call, body)
        self._pending.append(Position(self.run, self._epoch, self._seq, self._clock(), item, body, self._chain))
        self._file(item)

    async def commit(self, item: Item, take: Take | None = None) -> None:
        """Write one item, and return when it and all before it are stored.

        Raises:
            JournalError: the store refused. The ledger takes nothing more: its driver must stop.
        """
        self.add(item)
        await self._store_pending(take)

    async def flush(self) -> None:
        """Return when everything appended so far is stored."""
        if self._pending:
            await self._store_pending(None)

    def asking(self, question: str) -> list[str]:
        """The calls of this run that wait for the decision on a question."""
        return self._asking.get(question, [])

    async def standing(self, match: str) -> tuple[Question, Decision | None] | None:
        """The open or unused question of this conversation that matches, with its decision if a person made one."""
        row = await self._store.standing(self._conversation, match) if self._conversation else None
        return (row.question, row.decision) if row else None

    def reserve(self, call: str, limit: int) -> bool:
        """Reserve one of ``limit`` calls of the run; False if none is left. Asking again is free."""
        if call not in self._reserved:
            if len(self._reserved) >= limit:
                return False
            self._reserved.add(call)
        return True

    def spent(self) -> Spent:
        """What the run has used so far."""
        return self._spent._replace(calls=len(self._reserved))

    def _file(self, item: Item) -> None:
        self._filed.setdefault(item.call, []).append(item)
        if isinstance(item, Asked):
            self._asking.setdefault(item.question, []).append(item.call)
        elif isinstance(item, Started):
            self._reserved.add(item.call)
        elif isinstance(item, Usage):
            spent = self._spent
            self._spent = Spent(
                0, spent.prompt_tokens + item.prompt_tokens, spent.completion_tokens + item.completion_tokens
            )

    async def _store_pending(self, take: Take | None) -> None:
        batch, self._pending = self._pending, []
        try:
            await self._store.append(self.run, self._epoch, batch, take)
        except JournalError as error:
            self._broken = error
            raise
        for position in batch:
            self._watch(position)
