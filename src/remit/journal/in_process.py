"""A store in memory: for tests, for scripts, and as the floor of the benchmarks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from remit.contracts.grant import Grant, GrantRow
from remit.contracts.items import BESIDE, Asked, Decided, Erased, Finished, Opened, Position
from remit.contracts.ledger import Take
from remit.contracts.question import Decision, Question, Status
from remit.journal.codec import ERASED
from remit.journal.index import (
    INDEXED,
    check_free,
    check_open,
    check_sequence,
    check_standing,
    check_take,
    erased,
    held_by,
    row_of,
    seen,
    spent,
    status_of,
    taken_over,
)
from remit.journal.ports import Held, QuestionRow, RunRow, Stored


@dataclass(slots=True)
class _Run:
    epoch: int = 0
    driver: str = ""
    until: float = 0.0
    items: list[Position] = field(default_factory=list[Position])
    inbox: list[Decision] = field(default_factory=list[Decision])
    row: RunRow | None = None
    cancelled: str = ""


class InProcessStore:
    """All five ports over dictionaries. Gone with the process."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._runs: dict[str, _Run] = {}
        self._questions: dict[str, QuestionRow] = {}
        self._grants: dict[str, GrantRow] = {}

    def append(self, run: str, epoch: int, items: Sequence[Position], take: Take | None = None) -> Stored:
        """Store items at the end of a run, and take an approval: all or nothing."""
        stored: Stored = asyncio.get_running_loop().create_future()
        try:
            self._append(run, epoch, items, take)
        except Exception as error:  # noqa: BLE001 - told to whoever waits
            stored.set_exception(error)
        else:
            stored.set_result(None)
        return stored

    def _append(self, run: str, epoch: int, items: Sequence[Position], take: Take | None) -> None:
        state = self._runs.get(run)
        if state is None or state.epoch != epoch:
            raise taken_over(run)
        expected = state.items[-1].seq + 1 if state.items else 0
        check_sequence(run, items, expected)
        indexed = [position for position in items if type(position.item) in INDEXED]
        self._check(indexed)
        if take is not None:
            self._take(take)
        state.items.extend(items)
        for position in indexed:
            self._index(state, position)

    async def read(self, run: str, after: int = -1) -> list[Position]:
        """The items of a run with a seq above ``after``, in order."""
        state = self._runs.get(run)
        return [p for p in state.items if p.seq > after] if state else []

    async def erase(self, run: str, seqs: Sequence[int]) -> None:
        """Erase the bodies of items, for good."""
        items = self._runs[run].items if run in self._runs else []
        for p in [p for p in items if p.seq in seqs and not isinstance(p.item, Erased)]:
            if isinstance(p.item, (Asked, Decided)):
                self._erase_question(p.item)
            gone = Erased(call=p.item.call, was=p.item.kind)
            items[p.seq] = Position(p.run, p.epoch, p.seq, p.at, gone, ERASED, p.digest, p.chain)

    async def acquire(self, run: str, driver: str, seconds: float, after: int = -1) -> Held:
        """Become the driver of a run; what it has to know."""
        state = self._runs.setdefault(run, _Run())
        if state.until > self._clock():
            raise held_by(run, state.driver)
        state.epoch += 1
        state.driver, state.until = driver, self._clock() + seconds
        status = state.row.status if state.row is not None else ""
        return Held(state.epoch, await self.read(run, after), status, state.cancelled, tuple(state.inbox))

    async def renew(self, run: str, epoch: int, seconds: float) -> None:
        """Hold on to the lease."""
        state = self._runs.get(run)
        if state is None or state.epoch != epoch:
            raise taken_over(run)
        state.until = self._clock() + seconds

    async def release(self, run: str, epoch: int) -> None:
        """Let the lease go, if it is still held."""
        state = self._runs.get(run)
        if state is not None and state.epoch == epoch:
            state.until = 0.0

    async def decide(self, decision: Decision) -> None:
        """Store a decision for the run that asked; the first one counts."""
        row = check_open(self._questions.get(decision.question), decision.question, self._clock())
        self._decide(decision)
        self._runs[row.question.run].inbox.append(decision)

    async def cancel(self, run: str, by: str) -> None:
        """Ask the driver of a run to cancel it."""
        if run in self._runs:
            self._runs[run].cancelled = by

    async def cancelled(self, run: str) -> str:
        """Who asked for the run to be cancelled."""
        state = self._runs.get(run)
        return state.cancelled if state else ""

    async def runs(
        self,
        *,
        conversation: str = "",
        tenant: str = "",
        principal: str = "",
        application: str = "",
        beside: bool = True,
        limit: int = 50,
    ) -> list[RunRow]:
        """The newest runs, newest first."""
        rows = [
            row
            for row in (state.row for state in reversed(self._runs.values()))
            if row is not None
            and conversation in ("", row.conversation)
            and tenant in ("", row.tenant)
            and principal in ("", row.principal)
            and application in ("", row.application)
            and (beside or row.after != BESIDE)
        ]
        return sorted(rows, key=lambda row: -row.opened)[:limit]

    async def find_run(self, run: str) -> RunRow | None:
        """The run with this id."""
        state = self._runs.get(run)
        return state.row if state else None

    async def questions(self, *, only_open: bool = True, conversation: str = "") -> list[QuestionRow]:
        """Questions, oldest first."""
        rows = [seen(row, self._clock()) for row in self._questions.values()]
        return [
            row
            for row in rows
            if (row.status == "open" or not only_open) and conversation in ("", row.question.conversation)
        ]

    async def find_question(self, question: str) -> QuestionRow | None:
        """The question with this id."""
        row = self._questions.get(question)
        return seen(row, self._clock()) if row else None

    async def standing(self, conversation: str, match: str) -> QuestionRow | None:
        """The newest question of a conversation with this match that is open, or decided and not taken."""
        for row in reversed([seen(row, self._clock()) for row in self._questions.values()]):
            at = (row.question.conversation, row.question.match)
            if at == (conversation, match) and row.taken is None and not spent(row, self._clock()):
                return row
        return None

    async def give(self, grant: Grant) -> None:
        """Keep a grant."""
        self._grants[grant.id] = GrantRow(grant, 0, "")

    async def grants(self, *, tenant: str, tool: str = "") -> list[GrantRow]:
        """The grants of a tenant, for one tool where one is named, oldest first."""
        mine = [row for row in self._grants.values() if row.grant.tenant == tenant]
        return [row for row in mine if tool in ("", row.grant.tool)]

    async def use(self, grant: str) -> bool:
        """Count one more call of a grant."""
        row = self._grants.get(grant)
        if row is None or not row.stands(self._clock()):
            return False
        self._grants[grant] = row._replace(used=row.used + 1)
        return True

    async def revoke(self, grant: str, by: str) -> None:
        """End a grant."""
        self._grants[grant] = check_standing(self._grants.get(grant), grant)._replace(revoked=by)

    async def close(self) -> None:
        """Nothing is held."""

    def _is_open(self, question: str) -> bool:
        row = self._questions.get(question)
        return row is not None and row.status == "open"

    def _erase_question(self, item: Asked | Decided) -> None:
        """What the row of a question and the inbox have of an item goes with it."""
        row = self._questions.get(item.question)
        if row is not None:
            row = self._questions[item.question] = erased(row, item)
            inbox = self._runs[row.question.run].inbox
            inbox[:] = [row.decision or each if each.question == item.question else each for each in inbox]

    def _close_questions(self, run: str) -> None:
        """Nobody is asked any more about a run that is over."""
        for question, row in self._questions.items():
            if row.question.run == run and row.status == "open":
                self._questions[question] = row._replace(status="expired")

    def _decide(self, decision: Decision) -> None:
        status: Status = "approved" if decision.approved else "denied"
        self._questions[decision.question] = self._questions[decision.question]._replace(
            status=status, decision=decision
        )

    def _check(self, items: Sequence[Position]) -> None:
        """Refuse what the index could not take in, before anything is stored."""
        for position in items:
            if isinstance(position.item, Asked):
                Question.of(position.item.body)
            elif isinstance(position.item, Opened):
                row = row_of(position, position.item)
                check_free(row, self._newest(row))

    def _newest(self, row: RunRow) -> RunRow | None:
        """The newest run of the conversation of ``row``, those beside it left out."""
        same = (row.conversation, row.tenant, row.application)
        known = [state.row for state in reversed(self._runs.values()) if state.row is not None]
        of_it = [each for each in known if (each.conversation, each.tenant, each.application) == same]
        found = [each for each in of_it if each.after != BESIDE]
        return max(found, key=lambda each: each.opened, default=None) if row.conversation else None

    def _take(self, take: Take) -> None:
        row = self._questions.get(take.question)
        grant = self._grants.get(row.decision.grant) if row and row.decision else None
        row = check_take(row, take, self._clock(), grant)
        self._questions[take.question] = row._replace(status="taken", taken=(take.run, take.call))

    def _index(self, state: _Run, position: Position) -> None:
        item = position.item
        if isinstance(item, Opened):
            state.row = row_of(position, item)
        elif isinstance(item, Asked) and item.question not in self._questions:
            self._questions[item.question] = QuestionRow(Question.of(item.body), "open", None, None)
        elif isinstance(item, Decided) and self._is_open(item.question):
            self._decide(Decision.of(item.body))
        status = status_of(item)
        if status and state.row:
            ended = position.at if isinstance(item, Finished) else 0.0
            state.row = replace(state.row, status=status, ended=ended)
        if isinstance(item, Finished):
            state.until = 0.0
        if status == "cancelled":
            self._close_questions(position.run)
