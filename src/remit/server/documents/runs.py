"""Runs in lists."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from remit.client.listed_run import ListedRun
from remit.journal.ports import RunRow, RunStatus
from remit.server.documents.document import Asked, Document, PageSize
from remit.server.documents.files import FileDocument
from remit.server.documents.usage import UsageDocument
from remit.views.parts import FailureView

Seconds = Annotated[float, Meta(ge=0, le=1e12)]
"""A time in seconds since the epoch."""


class FailureDocument(Document):
    """The first failure of a run: of a call of ``tool``, or of a request to a model if ``tool`` is empty."""

    call: str
    tool: str
    at: float
    code: str
    message: str

    @staticmethod
    def of(failure: FailureView | None) -> FailureDocument | None:
        """The document of a failure, if there is one."""
        if failure is None:
            return None
        return FailureDocument(
            call=failure.call, tool=failure.tool, at=failure.at, code=failure.code, message=failure.message
        )


class RunFields(Document):
    """The data of a run in the index. ``agent`` is the agent or tool that was called."""

    run: str
    status: RunStatus
    principal: str
    agent: str
    conversation: str
    target: str
    opened: float
    ended: float


class RunRowDocument(RunFields):
    """The row of a run."""

    @staticmethod
    def of(row: RunRow) -> RunRowDocument:
        """The document of a row."""
        return RunRowDocument(**row_fields(row))


class RunSummary(RunFields):
    """A run in a list, with what it is about, what it has done, and why it failed.

    ``worked`` and ``waited`` are the seconds with and without an executor. A resting run continues at ``due``.
    """

    title: str
    calls: int
    open_questions: int
    usage: UsageDocument
    worked: float
    waited: float
    due: float
    failure: FailureDocument | None = None

    @staticmethod
    def of(run: ListedRun) -> RunSummary:
        """The document of a listed run."""
        return RunSummary(
            **row_fields(run),
            title=run.title,
            calls=run.calls,
            open_questions=run.open_questions,
            usage=UsageDocument.of(run.usage),
            worked=run.worked,
            waited=run.waited,
            due=run.due,
            failure=FailureDocument.of(run.failure),
        )


class RunsQuery(Asked):
    """Which runs to list, newest first. ``agent`` is the agent or tool that was called."""

    status: RunStatus | Literal[""] = ""
    agent: str = ""
    conversation: str = ""
    target: str = ""
    since: Seconds = 0.0
    until: Seconds | None = None
    before: str = ""
    limit: PageSize = 50


class NewRun(Asked):
    """A message to an agent. Without ``agent`` it goes to the default one.

    ``files`` are references, as they were given. ``whenBusy`` says what happens in a conversation that is busy.
    """

    prompt: str
    agent: str = ""
    conversation: str = ""
    target: str = ""
    files: tuple[FileDocument, ...] = ()
    when_busy: Literal["refuse", "queue"] = "refuse"


class OpenedRun(Document):
    """The id of a run that was opened."""

    run: str


def row_fields(row: RunRow) -> dict[str, Any]:
    """The fields of `RunFields`."""
    return {
        "run": row.run,
        "status": row.status,
        "principal": row.principal,
        "agent": row.callee,
        "conversation": row.conversation,
        "target": row.target,
        "opened": row.opened,
        "ended": row.ended,
    }
