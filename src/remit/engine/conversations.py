"""Reads the runs of an application from the journal: their headers, and the messages before them."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Callable, Collection, Iterable
from typing import Final

from remit.call.call import root_call_id
from remit.core.checks import check_text
from remit.engine.given_history import digest_history
from remit.engine.request import RunRequest, derive_run_id
from remit.engine.result import check_run_id
from remit.engine.schedule import open_schedule
from remit.engine.sharing import JOIN_PERMISSION, has_access, is_part
from remit.errors import RequestConflictError, RequestDeniedError, RequestNotFoundError, SetupError
from remit.journal.codec import JOURNAL_FORMAT, build_chat_history, check_format, count_prior_groups
from remit.journal.conversations import check_not_deleted
from remit.journal.index import UNFINISHED_STATUSES
from remit.journal.ports import ConversationKey, ConversationRow, RunFilter, RunRow, RunStatus, Store
from remit.journal.rest import find_rest
from remit.journal.verify import verify_chain
from remit.record.items import (
    DETACHED,
    HEADER_ITEMS,
    Handoff,
    Item,
    Position,
    RunFinished,
    RunOpened,
    RunResumed,
)
from remit.record.principal import Principal
from remit.record.question import Question
from remit.shown import show_id


class Conversations:
    """The runs of one application and their order in conversations."""

    def __init__(self, store: Store, application: str) -> None:
        self._store = store
        self._application = application

    async def create_header(self, run_request: RunRequest, make_run_id: Callable[[], str]) -> RunOpened:
        """Create the header of a new run. ``make_run_id`` makes its id unless the request has an idempotency key.

        Raises:
            RequestError: the conversation belongs to another principal or has another target.
        """
        tenant, conversation, after, queued = run_request.principal.tenant, run_request.conversation, "", False
        key, target = run_request.idempotency_key, run_request.target
        run = derive_run_id(key, run_request.principal, self._application) if key else _check_run_id(make_run_id())
        if conversation:
            talk = await self._find(conversation, tenant)
            after, current = (talk.latest, talk.target) if talk else ("", target)
            if talk and not has_access(run_request.principal, talk, "write"):
                if not run_request.is_direct_call:
                    mend = f"use another name, or get it shared by its owner, or the permission {JOIN_PERMISSION}"
                    raise RequestDeniedError(f"conversation {conversation!r} belongs to another user; {mend}")
                current = target  # hide the target from principals without access
            elif not run_request.is_direct_call:
                check_not_deleted(talk)
            repeated = await self._store.find_run(run) if key and talk else None
            target = repeated.target if repeated and not target else _resolve_target(run_request, current)
            if talk is not None and run_request.when_busy == "queue":
                queued = await self._find_unfinished(talk.latest) is not None
            if run_request.history.texts and not repeated and await self._has_begun(after):
                raise RequestConflictError(
                    f"conversation {conversation!r} has begun, so it has a history; leave out messages, or use another "
                    "name"
                )
        header = RunOpened(
            call=run,
            format=JOURNAL_FORMAT,
            tenant=tenant,
            principal=run_request.principal.name,
            application=self._application,
            agent=run_request.agent,
            callee=run_request.callee.name,
            arguments=run_request.arguments.raw,
            conversation=conversation,
            after=DETACHED if run_request.is_direct_call else after,
            target=target,
            queued=queued,
            about=run_request.about,
            metadata=run_request.metadata,
            history=digest_history(run_request.history.texts),
            passed_over=run_request.passed_over,
            held=tuple(sorted(run_request.principal.permissions)),
        )
        return header if run_request.schedule is None else open_schedule(header, run_request.schedule)

    async def read_run(self, run: str) -> tuple[RunOpened, list[Position]]:
        """The header of a run and all its items.

        Raises:
            RequestError: the run does not exist or belongs to another application.
            JournalFormatError: this version cannot read it.
            BrokenJournalError: an item was changed.
        """
        check_run_id(run)
        items = await self._store.read(run)
        header = items[0].item if items else None
        if not isinstance(header, RunOpened):
            raise RequestNotFoundError(f"run {show_id(run)} does not exist")
        check_format(run, header.format)
        verify_chain(run, items)
        if header.application != self._application:
            raise RequestNotFoundError(
                f"run {run} belongs to the application {header.application!r}, not {self._application!r}"
            )
        return header, items

    async def messages(self, run: str) -> list[str]:
        """The messages of the conversation up to the end of ``run``, oldest first, without system messages.

        Empty for an empty id, and for direct calls, which have no history. Runs whose messages were all compacted away
        are not read.
        """
        runs: list[tuple[list[Item], str]] = []
        needed = math.inf
        while run and run != DETACHED and needed:
            header, positions = await self.read_run(run)
            items, root = [each.item for each in positions], root_call_id(header)
            items = [] if is_unbegun(items) else items
            needed = count_prior_groups(items, root, needed)
            runs.append((items, root))
            run = header.after
        texts: list[str] = []
        for items, root in reversed(runs):
            history = build_chat_history(items, root, texts)
            texts = [text for text in history if '"role":"system"' not in text[:20]]
        return texts

    async def read_back(self, run: str) -> AsyncGenerator[list[Item]]:
        """The items of a run and of earlier runs in its conversation, newest first, without direct calls."""
        while run and run != DETACHED:
            header, positions = await self.read_run(run)
            yield [each.item for each in positions]
            run = header.after

    async def find_repeated(self, idempotency_key: str, by: Principal) -> RunRow | None:
        """The run that a request with this key opened before, if there is one."""
        key = idempotency_key
        return await self._store.find_run(derive_run_id(key, by, self._application)) if key else None

    async def find_announcing_run(self, question: Question) -> RunRow | None:
        """The run that has announced the call of a question; None if a run waits for the answer.

        Raises:
            RequestError: it belongs to another application.
        """
        row = None if question.waits else await self._store.find_run(question.run)
        if row is None or await find_waiting_run(self._store, question, row) is not None:
            return None
        if row.application != self._application:
            raise RequestNotFoundError(f"application {self._application} has no question {question.id}")
        return row

    async def agents_of(self, conversation: str, tenant: str) -> AsyncGenerator[tuple[str, str]]:
        """The agents of a conversation, the current one first, each with the target of the conversation.

        The current one is the agent to which the newest run was last handed over. The agents with which the runs began
        follow.
        """
        check_text("conversation", conversation)
        talk = await self._find(conversation, tenant)
        if talk is None or talk.deletion:
            return
        header, items = await self.read_run(talk.latest)
        root = root_call_id(header)
        targets = [each.item.target for each in items if isinstance(each.item, Handoff) and each.item.call == root]
        for name in [*targets[-1:], header.callee]:
            yield name, talk.target
        row = await self._store.find_run(header.after)
        while row is not None:
            yield row.callee, talk.target
            row = await self._store.find_run(row.after)

    async def find_blocker(self, header: RunOpened, *, executing: bool = False) -> RunRow | None:
        """The run that a queued run must wait for: the unfinished run before it in its conversation.

        With ``executing``, return the run that all of these wait for. A queued run follows the newest one, so an
        uncancelled run before it began after all others had ended.
        """
        if not header.queued:
            return None
        return await self._find_unfinished(
            header.after, passed=("queued", "cancelled") if executing else ("cancelled",)
        )

    async def _find_unfinished(self, run: str, *, passed: Collection[RunStatus] = ("cancelled",)) -> RunRow | None:
        """The nearest run from ``run`` backwards, without those ``passed`` over; None if that run has ended."""
        row = await self._store.find_run(run)
        while row is not None and row.status in passed and row.after:
            row = await self._store.find_run(row.after)
        return row if row is not None and row.status in UNFINISHED_STATUSES else None

    async def _has_begun(self, latest: str) -> bool:
        """Whether a conversation has or will have messages. A message withdrawn before it starts does not count."""
        return await self._find_unfinished(latest) is not None or bool(await self.messages(latest))

    async def why_refused(self, header: RunOpened, principal: Principal) -> str:
        """The reason why a stored run may not start: ``principal`` may no longer continue its conversation."""
        talk = await self._find(header.conversation, header.tenant) if is_part(header) else None
        if not is_part(header) or has_access(principal, talk, "write"):
            return ""
        what = f"{principal.name} may not continue conversation {header.conversation!r} any more"
        return f"{what}, so the message was not answered; get it shared again"

    async def has_moved(self, header: RunOpened) -> bool:
        """Whether the conversation has a new run since ``header`` was made, so that the header must be made again."""
        talk = await self._find(header.conversation, header.tenant) if is_part(header) else None
        return talk is not None and talk.latest != header.after

    async def _find(self, conversation: str, tenant: str) -> ConversationRow | None:
        return await self._store.find_conversation(ConversationKey(tenant, self._application, conversation))


def is_unbegun(items: Iterable[Item]) -> bool:
    """Whether a run has only been stored, or has only waited for its turn."""
    return all(isinstance(item, (*HEADER_ITEMS, RunResumed, RunFinished)) for item in items)


def _resolve_target(run_request: RunRequest, current: str) -> str:
    """The target of a run in a conversation: ``current``, which all its runs share with its first run.

    Raises:
        RequestError: the request has another target.
    """
    target, conversation = run_request.target, run_request.conversation
    if target not in ("", current):
        has = f"the target {current!r}" if current else "no target"
        raise RequestConflictError(
            f"conversation {conversation!r} has {has}, not {target!r}; start another conversation"
        )
    return current


def _check_run_id(run: object) -> str:
    if not isinstance(run, str) or not 0 < len(run) <= _MAX_RUN_ID_CHARS or not run.isprintable():
        raise SetupError(
            f"Runtime: make_run_id returned {run!a}; return a printable string of at most {_MAX_RUN_ID_CHARS} "
            "characters"
        )
    return run


_MAX_RUN_ID_CHARS: Final = 200


async def find_waiting_run(store: Store, question: Question, asking: RunRow) -> RunRow | None:
    """The run that waits for a question: ``asking``, or another run that made the announced call itself."""
    if question.waits:
        return asking
    of = RunFilter(conversation=question.conversation, tenant=question.tenant, application=asking.application)
    resting = RunFilter(status="waiting"), RunFilter(status="stalled")
    for each in resting:
        for row in await store.list_runs(**{**of, **each}):
            if question.id in find_rest(each.item for each in await store.read(row.run)).questions:
                return row
    return None
