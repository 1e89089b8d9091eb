"""The requests about one run: its items, cancelling, replaying and exporting it."""

from __future__ import annotations

from typing import Annotated, Any, Final

from msgspec import Meta, Raw
from starlette.responses import Response

from remit.client.conversation_reader import ExportFormat
from remit.export.jsonl import write_jsonl
from remit.server.documents.compare import CompareQuery, ComparisonDocument, ReplayDocument, compare_runs
from remit.server.documents.document import Asked, Listed
from remit.server.documents.runs import OpenedRun, RunRowDocument
from remit.server.rest.operation import NoQuery, Operation, Sent
from remit.views.run_view import RunView

_ONE: Final = "/api/runs/{run}"


class ItemsQuery(Asked):
    """After which item to begin."""

    after: Annotated[int, Meta(ge=-1, le=2**53)] = -1


async def list_items(sent: Sent[ItemsQuery, None]) -> Listed[Raw]:
    """The items of the journal, as an export has them."""
    positions = await sent.client.items(sent.path["run"], after=sent.query.after)
    return Listed(items=tuple(Raw(line) for line in write_jsonl(positions).splitlines()))


async def cancel_run(sent: Sent[NoQuery, None]) -> RunRowDocument:
    """Cancel a run. One that another process executes is ended there."""
    await sent.client.cancel(sent.path["run"])
    return RunRowDocument.of(await sent.client.status(sent.path["run"]))


async def resume_run(sent: Sent[NoQuery, None]) -> OpenedRun:
    """Try a run again that rests; it goes on in the background."""
    row = await sent.client.resumable(sent.path["run"])
    await sent.serving.wake(row.run)
    return OpenedRun(run=row.run)


async def replay_run(sent: Sent[NoQuery, None]) -> ReplayDocument:
    """Execute a run again with all answers from its journal, and compare."""
    report = await sent.client.replay(sent.path["run"])
    return ReplayDocument(
        run=report.run,
        identical=report.is_identical,
        compared=report.compared_count,
        difference=report.difference,
    )


async def compare(sent: Sent[CompareQuery, None]) -> ComparisonDocument:
    """The first difference of two runs."""
    a, b = [RunView.of(await sent.client.items(each)) for each in (sent.query.a, sent.query.b)]
    return compare_runs(a, b)


async def export_html(sent: Sent[NoQuery, None]) -> Response:
    """Download a run as a self-contained page."""
    return await _export(sent, "html", "text/html")


async def export_jsonl(sent: Sent[NoQuery, None]) -> Response:
    """Download the items of a run as lines of JSON, which verify."""
    return await _export(sent, "jsonl", "application/jsonl")


async def _export(sent: Sent[Any, Any], kind: ExportFormat, media_type: str) -> Response:
    row = await sent.client.status(sent.path["run"])
    headers = {
        "cache-control": "no-store",
        "content-disposition": f'attachment; filename="run-{row.run}.{kind}"',
        "content-security-policy": "sandbox",
        "x-content-type-options": "nosniff",
    }
    return Response(await sent.client.export_run(row.run, format=kind), media_type=media_type, headers=headers)


OPERATIONS: Final = (
    Operation(method="GET", path=f"{_ONE}/items", handle=list_items, answer=Listed[Raw], query=ItemsQuery),
    Operation(method="POST", path=f"{_ONE}/cancel", handle=cancel_run, answer=RunRowDocument),
    Operation(method="POST", path=f"{_ONE}/resume", handle=resume_run, answer=OpenedRun, status=202),
    Operation(method="GET", path=f"{_ONE}/replay", handle=replay_run, answer=ReplayDocument),
    Operation(method="GET", path="/api/compare", handle=compare, answer=ComparisonDocument, query=CompareQuery),
    Operation(method="GET", path=f"{_ONE}/export.html", handle=export_html, answer=None, media_type="text/html"),
    Operation(
        method="GET", path=f"{_ONE}/export.jsonl", handle=export_jsonl, answer=None, media_type="application/jsonl"
    ),
)
