"""Calls of an open run from a shell, and ``remit close``: end an open run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from remit.cli.client import open_client
from remit.cli.options import RunAppOption
from remit.cli.status import UsageError
from remit.cli.text import json_text

if TYPE_CHECKING:
    from remit.record.arguments import Arguments
    from remit.runtime import Client, RunResult


SessionOption = Annotated[
    str, typer.Option(metavar="NAME", help="Make the call in your open run of this name; the first call opens it.")
]
InOption = Annotated[str, typer.Option("--in", metavar="RUN", help="Make the call in this open run; see: remit runs.")]


def check_run_options(session: str, run: str, **others: str) -> bool:
    """Whether a call is made in an open run. Refuses options that do not fit together."""
    given = [f"--{name.replace('_', '-')}" for name, value in others.items() if value]
    if session and run:
        raise UsageError("--session and --in name the same thing; give one of them")
    if run and given:
        raise UsageError(f"--in names a run that exists, which takes no {', '.join(given)}")
    if session and any(each in ("--at", "--every") for each in given):
        raise UsageError("a call of an open run is made now; leave out --session, or --at and --every")
    return bool(session or run)


async def call_in_run(
    client: Client,
    tool: str,
    arguments: Arguments,
    *,
    session: str,
    run: str,
    conversation: str,
    target: str,
    key: str,
) -> RunResult[Any]:
    """Make a call of an open run. Returns its result like that of a separate run, with the id of the open run."""
    from remit.runtime import RunResult

    opened = (
        client.open_run(run_id=run)
        if run
        else client.open_run(idempotency_key=session, conversation=conversation, target=target)
    )
    async with opened:
        made = await opened.call(tool, arguments.raw, key=key)
    return RunResult(
        run=made.run,
        status=made.status,
        callee=made.callee,
        reply=made.reply,
        questions=made.questions,
        reason=made.reason,
    )


def close(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of an open run; see: remit runs --status open.")],
    *,
    app: RunAppOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """End an open run, and print how many calls it has made.

    While a call waits for a decision, the run cannot be closed: decide it, or end all with: remit cancel RUN.
    """
    with open_client() as client:
        row = client.get_run(run)
        own = client.client_of(client.resolve_app(row, app))

        async def end() -> RunResult[Any]:
            async with own.open_run(run_id=run) as opened:
                return await opened.close()

        result = client.wait(end())
        if as_json:
            print(json_text({"run": run, "status": result.status, **result.value()}))
            return
        count = result.value()
        print(f"closed run {run}: {count['calls']} calls, {count['failed']} failed, {count['denied']} denied")
