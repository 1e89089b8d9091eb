"""What the journal says of an application's runs: how each was opened, and what was said before it."""

from __future__ import annotations

from collections.abc import Callable

from remit.contracts.items import BESIDE, Handoff, Opened, Position
from remit.contracts.question import digest
from remit.engine.request import Wanted, id_of
from remit.errors import RequestError
from remit.journal.codec import FORMAT, check_format, project
from remit.journal.ports import Store


class Headers:
    """The runs of one application, by their headers."""

    def __init__(self, store: Store, application: str) -> None:
        self._store = store
        self._application = application

    async def new(self, wanted: Wanted, ids: Callable[[], str]) -> Opened:
        """The header of a new run; ``ids`` makes its id where no request does."""
        tenant, conversation, after = wanted.by.tenant, wanted.conversation, ""
        if conversation:
            after = BESIDE if wanted.beside else await self.last(conversation, tenant)
        return Opened(
            call=id_of(wanted.request, tenant, self._application) if wanted.request else ids(),
            format=FORMAT,
            tenant=tenant,
            principal=wanted.by.name,
            application=self._application,
            agent=wanted.agent,
            callee=wanted.callee.name,
            arguments=wanted.arguments.raw,
            conversation=conversation,
            after=after,
        )

    async def read(self, run: str) -> tuple[Opened, list[Position]]:
        """The header of a run, and everything that the journal holds of it.

        Raises:
            RequestError: there is no such run, or it is another application's.
            FormatError: this version cannot read it.
        """
        known = await self._store.read(run)
        header = known[0].item if known else None
        if not isinstance(header, Opened):
            raise RequestError(f"there is no run {run}")
        check_format(run, header.format)
        if header.application != self._application:
            raise RequestError(
                f"run {run} belongs to the application {header.application!r}, not {self._application!r}"
            )
        return header, known

    async def said(self, run: str) -> list[str]:
        """The conversation up to the end of a run, oldest first, without system messages; none for an empty name.

        A run beside its conversation begins with nothing.
        """
        runs: list[list[str]] = []
        while run and run != BESIDE:
            header, known = await self.read(run)
            root = digest(run, header.callee, header.arguments)
            texts = project([position.item for position in known], root)
            runs.append([text for text in texts if '"role":"system"' not in text[:20]])
            run = header.after
        return [text for texts in reversed(runs) for text in texts]

    async def holder(self, conversation: str, tenant: str, request: str) -> str:
        """The agent that a message goes to which names none: whoever has the conversation; empty at its beginning.

        That is the agent of its newest run, or the one to which that run was handed over last. A request that is sent
        again goes where it went.
        """
        row = await self._store.find_run(id_of(request, tenant, self._application)) if request else None
        if row is not None:
            return row.callee
        last = await self.last(conversation, tenant)
        if not last:
            return ""
        header, known = await self.read(last)
        root = digest(last, header.callee, header.arguments)
        handed = [each.item.target for each in known if isinstance(each.item, Handoff) and each.item.call == root]
        return handed[-1] if handed else header.callee

    async def last(self, conversation: str, tenant: str) -> str:
        """The newest run of a conversation, those beside it left out; empty if there is none."""
        rows = await self._store.runs(
            conversation=conversation, tenant=tenant, application=self._application, beside=False, limit=1
        )
        return rows[0].run if rows else ""
