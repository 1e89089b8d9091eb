"""Conversations as one principal sees them: listed, renamed, shared, exported and deleted."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import partial
from math import isfinite, nan
from typing import Any, Final, Literal, cast

from remit.client.reader import BATCH, Page, PageSize, RunReader, read_page
from remit.core.call_checks import check_typed_calls
from remit.core.names import as_person_name
from remit.engine.result import RunId
from remit.engine.sharing import MANAGE_PERMISSION, Access, has_access, is_part, may_see_all
from remit.errors import RequestConflictError, RequestDeniedError, RequestError, RequestNotFoundError
from remit.journal.conversation_row import ConversationAccess
from remit.journal.conversations import EVERYONE
from remit.journal.index import UNFINISHED_STATUSES
from remit.journal.ports import (
    ConversationFilter,
    ConversationKey,
    ConversationRow,
    RunRow,
    RunStatus,
)
from remit.record.items import DETACHED, Position
from remit.record.secret import redact_secrets
from remit.schemas.jsontext import compact_json
from remit.shown import show_value
from remit.views.files import FileView, files_of
from remit.views.run_view import RunView

ExportFormat = Literal["jsonl", "html"]
"""Items as lines of JSON, or a page to read."""

ConversationOwner = Literal["", "self", "others"]
"""The owner of the conversations to list: any, the principal, or another one."""

_MAX_GIVEN_TITLE: Final = 200


@check_typed_calls(RequestError)
class ConversationReader(RunReader):
    """Reads and changes conversations as ``principal``.

    A conversation is visible to its owner, to principals with whom it is shared, and to holders of ``runs:read``,
    ``conversations:join`` or ``conversations:manage`` for its target. Only its owner, or a principal with
    ``conversations:manage``, can rename, share or delete it.
    """

    async def conversations(
        self,
        *,
        title: str = "",
        status: RunStatus | Literal[""] = "",
        owner: ConversationOwner = "",
        before: str = "",
        limit: PageSize = 50,
    ) -> Page[ConversationRow]:
        """A page of the conversations that the principal sees, the most recently active first.

        ``title`` is a part of the title, ignoring case; ``status`` is the newest run's status; ``owner`` selects the
        principal's own conversations or those of others; ``before`` is the ``next`` of the previous page.

        Raises:
            RequestError: the status is unknown, ``before`` is not a ``next``, or ``limit`` is not 1 to 1,000.
        """

        async def read(after: str) -> Sequence[ConversationRow]:
            where = ConversationFilter(tenant=self.principal.tenant, application=self._application, limit=BATCH)
            if owner == "self":
                where["owner"] = self.principal.name
            elif owner == "others":
                where["other_than"] = self.principal.name
            if owner != "self" and not may_see_all(self.principal):
                where["member"] = self.principal.name
            if after:
                where["before"] = _parse_cursor(after, self.principal.tenant)
            return await self._store.list_conversations(**where)

        async def is_wanted(row: ConversationRow) -> bool:
            fits = title.casefold() in row.title.casefold() and status in ("", row.status)
            return fits and has_access(self.principal, row, "read")

        return await read_page(read, is_wanted, _cursor, before, limit)

    async def conversation(self, conversation: str) -> ConversationRow:
        """A conversation: its title, owner, shares, and its newest run.

        Raises:
            RequestError: it does not exist for this principal.
        """
        return await self._visible_conversation(conversation, "read")

    async def conversation_runs(self, conversation: str) -> list[RunRow]:
        """The runs of a conversation, oldest first, without direct calls, which are not part of it.

        Raises:
            RequestError: the conversation does not exist for this principal.
        """
        row = await self._visible_conversation(conversation, "read")
        return [run for run in await self._runs_of(row) if run.after != DETACHED and not run.erased]

    async def conversation_files(self, conversation: str) -> list[FileView]:
        """The files of a conversation: those that people gave, and those that its calls returned, newest first.

        `Client.read_artifact` reads one for everyone who may read the conversation.

        Raises:
            RequestError: the conversation does not exist for this principal.
        """
        found: dict[tuple[str, str], FileView] = {}
        for run in await self.conversation_runs(conversation):
            for each in files_of(RunView.of(await self._store.read(run.run)), run.run):
                found.setdefault((each.artifact.digest, each.artifact.name), each)
        return [*found.values()][::-1]

    async def export_run(self, run: RunId, *, format: ExportFormat = "jsonl") -> str:  # noqa: A002 - as in other libraries
        """A run as text: its items as lines of JSON, or ``html``, a self-contained page to read.

        `remit.items.read_jsonl` reads the lines again.

        Raises:
            RequestError: the run does not exist for this principal, or there is no such format.
        """
        row = await self._visible_run(run)
        return self._export(format, f"Run {run} of {row.callee}", [await self._store.read(run)])

    async def export_conversation(self, conversation: str, *, format: ExportFormat = "jsonl") -> str:  # noqa: A002
        """The runs of a conversation as text, oldest first; see `export_run`.

        Raises:
            RequestError: the conversation does not exist for this principal, or there is no such format.
        """
        row = await self._visible_conversation(conversation, "read")
        runs = [await self._store.read(run.run) for run in await self.conversation_runs(conversation)]
        return self._export(format, row.title or conversation, runs)

    async def rename_conversation(self, conversation: str, title: str) -> None:
        """Rename a conversation. An empty title restores the beginning of the first message.

        Raises:
            RequestError: the conversation does not exist for this principal or is not theirs, or the title is too long.
        """
        title = redact_secrets(" ".join(title.split()))
        if len(title) > _MAX_GIVEN_TITLE:
            raise RequestError(f"the title has {len(title)} characters; give at most {_MAX_GIVEN_TITLE}")
        row = await self._visible_conversation(conversation, "own")
        await self._store.change_conversation(row.key, title=title)

    async def share_conversation(self, conversation: str, principal: str, access: ConversationAccess = "read") -> None:
        """Let another principal of the tenant, or everyone with ``*``, read a conversation, or also ``write`` in it.

        Raises:
            RequestError: the conversation does not exist for this principal or is not theirs, there is no such
                access, or no such principal, if a directory says who there is.
        """
        await self._share(conversation, principal, access)

    async def unshare_conversation(self, conversation: str, principal: str) -> None:
        """Stop sharing a conversation with a principal, or with everyone (``*``).

        Raises:
            RequestError: the conversation does not exist for this principal or is not theirs.
        """
        await self._share(conversation, principal, "")

    async def delete_conversation(self, conversation: str) -> None:
        """Delete a conversation: cancel its unfinished runs, then erase everything that its runs have recorded.

        This erases its title, messages, calls and questions, and the files that only it uses. Digests remain, so that
        the journal and the audit still verify. Direct calls that others made in it are kept. If the deletion is
        interrupted, delete the conversation again.

        Raises:
            RequestError: the conversation does not exist for this principal or is not theirs, or another executor holds
                one of its runs. That executor is asked to end the run.
        """
        row = await self._visible_conversation(conversation, "own", include_begun=True)
        for run in reversed(await self._runs_of(row)):  # a queued run before the run that it waits for
            if run.status in UNFINISHED_STATUSES and _belongs_to(row, run):
                await self._cancel_run(run)
        await self._store.change_conversation(row.key, deletion="begun")  # no run can be opened in it after this
        for run in filter(partial(_belongs_to, row), await self._runs_of(row)):
            await self._store.erase(run.run, [position.seq for position in await self._store.read(run.run)])
        await self._store.change_conversation(row.key, deletion="done")

    def _export(self, format: ExportFormat, title: str, runs: Sequence[Sequence[Position]]) -> str:  # noqa: A002
        if format == "html":
            from remit.export.page import write_page  # noqa: PLC0415 - few programs need the templates

            return write_page(title, runs, self._prices, self._find_contract)
        from remit.export.jsonl import write_jsonl  # noqa: PLC0415 - as above

        return write_jsonl(position for run in runs for position in run)

    async def _cancel_run(self, run: RunRow) -> RunStatus:
        """Cancel a run of a conversation that is deleted. Only a runtime can: see `Client`."""
        raise RequestConflictError(f"run {run.run} has not ended; cancel it first")

    async def _check_history(self, run: str) -> None:
        """Refuse to show the messages before a run, unless the principal may read its conversation now."""
        row = await self._visible_run(run)
        if is_part(row) and not await self._has_access(row, "read"):
            who = f"{self.principal.name} may not read conversation {row.conversation!r}"
            raise RequestDeniedError(f"{who}; ask its owner to share it")

    async def _share(self, conversation: str, principal: str, access: Literal["", ConversationAccess]) -> None:
        if not principal.strip():
            raise RequestError(f"a conversation is shared with a principal by name, or with everyone: {EVERYONE!r}")
        name = EVERYONE if principal == EVERYONE else as_person_name("the name of a principal", principal, RequestError)
        row = await self._visible_conversation(conversation, "own")
        if access and name != EVERYONE and not await self._is_known(name):
            raise RequestNotFoundError(f"there is no person {name!r} in your tenant")
        await self._store.change_conversation(row.key, share=(name, access))

    async def _is_known(self, name: str) -> bool:
        """Whether there is a principal of this name in the tenant. A reader has no directory to ask: see `Client`."""
        return bool(name)

    async def _runs_of(self, row: ConversationRow) -> list[RunRow]:
        """All runs of a conversation, oldest first."""
        rows = await self._store.list_runs(**row.key._asdict(), limit=sys.maxsize)
        return rows[::-1]

    async def _visible_conversation(
        self, conversation: str, needed: Access, *, include_begun: bool = False
    ) -> ConversationRow:
        """A conversation that the principal sees and to which they have the ``needed`` access.

        ``include_begun``: also a conversation whose deletion has started.
        """
        tenant = self.principal.tenant
        keys = [ConversationKey(tenant, self._application, conversation)]
        if not self._application:
            where = ConversationFilter(tenant=tenant, conversation=conversation)
            keys = [row.key for row in await self._store.list_conversations(**where)]
        found = [await self._store.find_conversation(key) for key in keys]
        here = [row for row in found if row is not None and row.deletion in ("", *(["begun"] if include_begun else []))]
        visible = [row for row in here if has_access(self.principal, row, "read")]
        if not visible:
            raise RequestNotFoundError(f"conversation {show_value(conversation)} does not exist")
        if len(visible) > 1:
            applications = ", ".join(row.application for row in visible)
            raise RequestError(f"several applications have a conversation {conversation!r}: {applications}; name one")
        if not has_access(self.principal, visible[0], needed):
            owner = visible[0].owner
            if owner == self.principal.name:
                raise RequestDeniedError(f"an API token needs the permission {MANAGE_PERMISSION} for this")
            raise RequestDeniedError(f"conversation {conversation!r} belongs to {owner}; ask them to do this")
        return visible[0]


def _belongs_to(row: ConversationRow, run: RunRow) -> bool:
    """Whether a run is deleted with its conversation. Direct calls by others are kept."""
    return run.after != DETACHED or run.principal == row.owner


def _cursor(row: ConversationRow) -> str:
    return compact_json([row.active, row.application, row.conversation])


def _parse_cursor(cursor: str, tenant: str) -> tuple[float, ConversationKey]:
    try:
        active, application, conversation = cast("list[Any]", json.loads(cursor))
        key = ConversationKey(tenant, "" + application, "" + conversation)
        time = float(active)
    except (ValueError, TypeError, OverflowError, RecursionError):
        time, key = nan, ConversationKey("", "", "")
    if not isfinite(time):
        raise RequestError(f"before is {show_value(cursor)}; give the next of the previous page")
    return time, key
