"""Reads a journal as one principal: the principal's own runs, and others that the permissions allow."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Final, Generic, Literal, TypeVar

from pydantic import Field, PositiveFloat

from remit.approvals.service import check_may_decide
from remit.client.following import StreamEvent, follow_run
from remit.client.listed_run import ListedRun
from remit.core.argument_types import UNCHECKED, Converted
from remit.core.call_checks import check_typed_calls
from remit.core.checks import check_number
from remit.engine.ended import read_ended_outcome
from remit.engine.result import RunId
from remit.engine.sharing import READ_PERMISSION
from remit.engine.visible_runs import VisibleRuns
from remit.errors import RequestDeniedError, RequestError, RequestNotFoundError
from remit.journal.ports import QuestionRow, RunFilter, RunRow, RunStatus, Store
from remit.journal.rest import find_rest
from remit.journal.run_totals import RunTotals
from remit.record.grant import Grant, GrantRow
from remit.record.items import Position, RunFinished
from remit.record.principal import Principal
from remit.record.question import DecisionKind, Question
from remit.record.usage import Prices, UsageTotals
from remit.shown import show_id
from remit.views.receipt import NO_RECEIPT, FindContract, Receipt, receipt_of
from remit.views.run_view import RunView

TARGET_MARK: Final = "@"
BATCH: Final = 200
PageSize = Annotated[int, Field(ge=1, le=1000)]
"""The number of rows of a page."""

QuestionSelection = Literal["open", "settled", "all"]
"""Which questions to list."""

T = TypeVar("T")


def _as_end(what: str, value: Any) -> float:
    """The end of a period, which may be infinite."""
    check_number(what, 0.0 if value == math.inf else value)
    return value


EndTime = Annotated[float, Converted(_as_end)]
"""The end of a period in epoch seconds; infinity for none."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A page of a list. ``next`` is the cursor of the page that follows, empty on the last one."""

    items: Sequence[T]
    next: str = ""

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDetails:
    """The state of a run: its index row, usage and cost so far, and result.

    ``questions`` are the open questions that it waits for. ``text`` is the result of an ended run as a model reads it,
    and ``error`` the reason for its failure. A stalled run has a ``reason`` and is tried again at ``retry_at`` (epoch
    seconds), at which a scheduled run starts. ``receipt`` lists the changes of its calls so far, and ``view`` has its
    calls and messages.
    """

    row: RunRow
    usage: UsageTotals
    questions: tuple[QuestionRow, ...] = ()
    text: str = ""
    error: str = ""
    reason: str = ""
    retry_at: float = 0.0
    receipt: Receipt = NO_RECEIPT
    view: RunView = field(repr=False, compare=False)


@check_typed_calls(RequestError)
class RunReader(VisibleRuns):
    """Reads runs, questions, items, usage and grants as ``principal``.

    Objects that the principal may not see do not exist for it: the id of another tenant, of another principal's run and
    of no run are refused with the same message. ``application`` limits everything to one application; empty for all.

    Raises:
        RequestError: the principal is anonymous.
    """

    def __init__(self, store: Store, principal: Principal, *, application: str, prices: Prices) -> None:
        super().__init__(store, principal, application=application)
        self._prices = prices
        self._find_contract: FindContract = lambda _name: None

    async def runs(
        self,
        *,
        status: RunStatus | Literal[""] = "",
        agent: str = "",
        conversation: str = "",
        target: str = "",
        since: float = 0.0,
        until: EndTime = math.inf,
        before: str = "",
        limit: PageSize = 50,
    ) -> Page[ListedRun]:
        """A page of the principal's runs, newest first; with ``runs:read`` of all of the tenant, or of its targets.

        Each has its title, calls, open questions, usage and first failure, from the index. ``agent`` is the agent or
        tool that was called, ``before`` the ``next`` of the previous page. ``since`` and ``until`` (exclusive) are
        epoch seconds.

        Raises:
            RequestError: the status is unknown, the run ``before`` does not exist, or ``limit`` is not 1 to 1,000.
        """
        run_filter = RunFilter(conversation=conversation, target=target, status=status, callee=agent)
        if since > 0:  # a range of all times would keep the database from using the index of another property
            run_filter["since"] = float(since)
        if until < math.inf:
            run_filter["until"] = float(until)
        page = await self._page(run_filter, before, limit)
        summaries = await self._store.read_summaries([each.run for each in page])
        return Page([ListedRun.of(each, summaries[each.run], self._prices) for each in page], page.next)

    async def status(self, run: RunId) -> RunRow:
        """The index row of a run: its status, agent, conversation and times.

        Raises:
            RequestError: the run does not exist for this principal.
        """
        return await self._visible_run(run)

    async def details(self, run: RunId) -> RunDetails:
        """The state of a run with its usage, open questions and result.

        Raises:
            RequestError: the run does not exist for this principal.
        """
        row = await self._visible_run(run)
        items = await self._store.read(run)
        view = RunView.of(items)
        usage, receipt = view.totals.usage(self._prices), receipt_of(view, self._find_contract)
        make = partial(RunDetails, row=row, usage=usage, receipt=receipt, view=view)
        if row.status in ("running", "queued"):
            return make()
        if row.status in ("open", "waiting", "stalled", "scheduled"):
            rest = find_rest(each.item for each in items)
            found = [await self._store.find_question(question) for question in rest.questions]
            questions = tuple(each for each in found if each is not None and each.status == "open")
            return make(questions=questions, reason=rest.reason, retry_at=rest.due)
        reply = (await read_ended_outcome(row.status, items, self._store)).reply
        text = reply.content if reply else ""
        error = next((each.item.error for each in reversed(items) if isinstance(each.item, RunFinished)), "")
        return make(text=text, error=error)

    async def items(self, run: RunId, *, after: int = -1) -> list[Position]:
        """The recorded items of a run with a sequence number above ``after``.

        Raises:
            RequestError: the run does not exist for this principal.
        """
        await self._visible_run(run)
        return await self._store.read(run, after)

    def stream(
        self, run: RunId, *, after: Annotated[int | str, UNCHECKED] = -1, poll_seconds: PositiveFloat = 0.5
    ) -> AsyncGenerator[StreamEvent]:
        """Yield the events of a run after ``after``, then each new one, until the run has ended.

        An `ItemEvent` is an item of the journal. A `DeltaEvent` is a piece of an answer that a model is writing, and
        a `DropEvent` withdraws the pieces of a discarded one. Each event has an ``after``: a stream that
        starts there loses nothing and repeats nothing. The sequence number of an item is accepted too; an open answer
        then starts from its beginning. An empty text is the beginning. A stream that reads slowly gets longer pieces.

        A waiting run is followed too: leave the loop at a `RunSuspended` to stop following it. Leaving the loop ends
        only this stream. Items stored by this process arrive at once; the store is polled for other items every
        ``poll_seconds``, and for pieces of answers more often. A model that can stream does so if the run is followed
        when the request is sent, unless a layer may change its answer: such an answer arrives when it is recorded. The
        event of the item that ends the run has its ``receipt``.

        Raises:
            RequestError: at the call, ``after`` is not a place in a stream; at the first event, the run does not exist
                for this principal, so await `status` before answering a request with a stream.
        """

        async def has_ended() -> bool:
            return (await self._visible_run(run)).ended > 0

        return follow_run(self._store, run, after, poll_seconds, has_ended, self._find_contract)

    async def usage(self, *, since: float, until: EndTime) -> UsageTotals:
        """The usage of the runs that `runs` lists and that were opened from ``since`` until ``until`` (epoch seconds).

        Runs whose content was erased count too.
        """
        read = partial(
            self._store.read_usage,
            tenant=self.principal.tenant,
            application=self._application,
            since=since,
            until=until,
        )
        if self._may(READ_PERMISSION, ""):
            rows = await read()
        else:
            rows = await read(principal=self.principal.name)
            if has_targets(self.principal):
                rows = [each for each in rows if not self._may(READ_PERMISSION, each.target)]
                rows += [each for each in await read() if self._may(READ_PERMISSION, each.target)]
        return UsageTotals.of([(row.name, row.counts) for row in rows], self._prices)

    def usage_of(self, totals: RunTotals) -> UsageTotals:
        """The usage and cost of a run according to the totals of its `RunView`."""
        return totals.usage(self._prices)

    async def questions(
        self,
        *,
        status: QuestionSelection = "open",
        run: RunId = "",
        conversation: str = "",
        after: str = "",
        limit: PageSize = 50,
    ) -> Page[QuestionRow]:
        """A page of the questions that the principal may decide or whose call they requested.

        They are listed oldest first, ``settled`` ones newest first. ``after`` is the ``next`` of the previous page.

        Raises:
            RequestError: the question ``after`` does not exist for this principal, or ``limit`` is not 1 to 1,000.
        """
        if after:
            await self.question(after)

        async def read(after: str) -> Sequence[QuestionRow]:
            return await self._store.list_questions(
                tenant=self.principal.tenant,
                only_open=status == "open",
                newest_first=status == "settled",
                run=run,
                conversation=conversation,
                after=after,
                limit=BATCH,
            )

        async def is_visible(row: QuestionRow) -> bool:
            fits = status == "all" or (row.status == "open") == (status == "open")
            return fits and await self._can_see(row.question)

        return await read_page(read, is_visible, lambda row: row.question.id, after, limit)

    async def question(self, question: str) -> QuestionRow:
        """A question that the principal may decide, or whose call they requested.

        Raises:
            RequestError: it does not exist for this principal.
        """
        row = await self._store.find_question(question)
        if row is None or not await self._can_see(row.question):
            raise RequestNotFoundError(f"question {show_id(question)} does not exist")
        return row

    def decision_kind(self, question: Question) -> DecisionKind:
        """The kind of this principal's decision: a confirmation of its own call if that is enough, or an approval."""
        own = question.needs == "confirm" and question.asker == self.principal.name
        return "confirm" if own else "approve"

    def may_decide(self, question: Question, *, approved: bool) -> bool:
        """Whether this principal may approve or deny a question by `decision_kind`, as long as it is open.

        A limited principal may still be refused, because the run of the question has more permissions than it.
        """
        try:
            check_may_decide(question, self.principal, self.decision_kind(question), approved=approved)
        except RequestDeniedError:
            return False
        return True

    async def grants(self, *, after: str = "", limit: PageSize = 50) -> Page[GrantRow]:
        """A page of the grants that the principal gave, uses or may revoke, oldest first.

        ``after`` is the ``next`` of the previous page.

        Raises:
            RequestError: the grant ``after`` does not exist for this principal, or ``limit`` is not 1 to 1,000.
        """
        if after:
            await self.grant(after)

        async def read(after: str) -> Sequence[GrantRow]:
            return await self._store.list_grants(tenant=self.principal.tenant, after=after, limit=BATCH)

        async def is_visible(row: GrantRow) -> bool:
            return self._can_see_grant(row.grant)

        return await read_page(read, is_visible, lambda row: row.grant.id, after, limit)

    async def grant(self, grant: str) -> GrantRow:
        """A grant that the principal gave, uses or may revoke.

        Raises:
            RequestError: it does not exist for this principal.
        """
        row = await self._store.find_grant(grant)
        if row is None or not self._can_see_grant(row.grant):
            raise RequestNotFoundError(f"grant {show_id(grant)} does not exist")
        return row

    async def _page(self, run_filter: RunFilter, before: str, limit: int, *, with_erased: bool = False) -> Page[RunRow]:
        if before and not with_erased:
            await self._visible_run(before)
        reads_all = self._may(READ_PERMISSION, run_filter.get("target", ""))
        own = RunFilter(tenant=self.principal.tenant, principal="" if reads_all else self.principal.name)
        if not reads_all and has_targets(self.principal):

            async def read(before: str) -> Sequence[RunRow]:
                page = RunFilter(tenant=self.principal.tenant, before=before, limit=BATCH, without_erased=True)
                return await self._store.list_runs(**{**run_filter, **page, "application": self._application})

            async def is_visible(row: RunRow) -> bool:
                return self._lists_run(row)

            return await read_page(read, is_visible, lambda row: row.run, before, limit)
        page = RunFilter(application=self._application, before=before, without_erased=not with_erased, limit=limit + 1)
        rows = await self._store.list_runs(**{**run_filter, **own, **page})
        return Page(rows[:limit], rows[limit - 1].run if len(rows) > limit else "")

    def _can_see_grant(self, grant: Grant) -> bool:
        is_own = self.principal.name in (grant.by, grant.principal)
        return grant.tenant == self.principal.tenant and (is_own or self._may(grant.who, grant.target))

    async def _can_see(self, question: Question) -> bool:
        if question.tenant != self.principal.tenant:
            return False
        if self.principal.name not in question.requesters and question.missing_permission(self.principal):
            return False
        row = await self._store.find_run(question.run) if self._application else None
        return not self._application or (row is not None and self._has_run(row))


def has_targets(principal: Principal) -> bool:
    """Whether some permission of a principal holds only for certain targets."""
    return any(TARGET_MARK in each for each in principal.permissions)


async def read_page(
    read: Callable[[str], Awaitable[Sequence[T]]],
    is_visible: Callable[[T], Awaitable[bool]],
    id_of: Callable[[T], str],
    after: str,
    limit: int,
) -> Page[T]:
    """The first ``limit`` visible rows after the row ``after``; ``read`` returns the ``BATCH`` rows after a row."""
    visible, is_last = list[T](), False
    while len(visible) <= limit and not is_last:
        batch = await read(after)
        is_last, after = len(batch) < BATCH, id_of(batch[-1]) if batch else ""
        visible += [row for row in batch if await is_visible(row)]
    return Page(visible[:limit], id_of(visible[limit - 1]) if len(visible) > limit else "")
