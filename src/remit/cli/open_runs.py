"""Calls of an open run from a shell, and ``remit close``: end an open run. A session is an open run with a name."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from remit.cli.apps import find_app, installed_apps
from remit.cli.client import LocalClient, open_client
from remit.cli.interrupt import cancel_at_sigterm
from remit.cli.options import RunAppOption
from remit.cli.status import NoSuchError, UsageError
from remit.cli.text import json_text, one_line
from remit.core.names import check_shown
from remit.engine.request import derive_run_id
from remit.journal.index import UNFINISHED_STATUSES
from remit.record.items import OPEN_RUN
from remit.record.target import as_target

if TYPE_CHECKING:
    from remit.journal.ports import RunRow
    from remit.record.arguments import Arguments
    from remit.runtime import Client, OpenRun, RunResult


SessionOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Make the call in your open run of this name; the first call opens it."),
]
InOption = Annotated[
    str | None, typer.Option("--in", metavar="RUN", help="Make the call in this open run; see: remit runs.")
]


def check_run_options(session: str | None, run: str | None, **others: str) -> bool:
    """Whether a call is made in an open run. Refuses empty options, and options that do not fit together."""
    _check_session(session)
    if run is not None and not run.strip():
        raise UsageError("--in is empty; write --in RUN with the id of an open run, see: remit runs; or leave it out")
    given = [f"--{name.replace('_', '-')}" for name, value in others.items() if value]
    if session and run:
        raise UsageError("--session and --in name the same thing; give one of them")
    if run and given:
        raise UsageError(f"--in names a run that exists, which takes no {', '.join(given)}")
    if session and any(each in ("--at", "--every") for each in given):
        raise UsageError("a call of an open run is made now; leave out --session, or --at and --every")
    return bool(session or run)


def check_key_option(key: str | None) -> None:
    """Refuse an empty idempotency key, with which a repeated call would be made again."""
    if key == "":
        raise UsageError("--idempotency-key is empty; write --idempotency-key KEY, or leave it out")


def _check_session(session: str | None) -> None:
    """Refuse the name of a session that is empty or not what it looks like."""
    if session is not None and not session.strip():
        raise UsageError("--session is empty; write --session NAME with a name of your choice, or leave it out")
    if session is not None:
        check_shown("--session", session, UsageError)


async def find_session(client: LocalClient, application: str, session: str) -> tuple[str, RunRow | None]:
    """The idempotency key of the open run that a session has now or will have next, and its row if it exists.

    The first key is the name itself, so that programs can use it too. Each further key names the run before, which has
    ended or takes no calls. So processes that open the next run at the same time open the same one.
    """
    key = session
    while True:
        row = await client.store.find_run(derive_run_id(key, client.principal, application))
        if row is None or (row.callee == OPEN_RUN and row.status in UNFINISHED_STATUSES):
            return key, row
        key = f"{session} after {row.run}"


async def _open_session(
    local: LocalClient, client: Client, application: str, session: str, *, conversation: str, target: str
) -> OpenRun:
    """The open run of a session, which is opened with this conversation and target unless it exists.

    Raises:
        UsageError: it exists with others.
    """
    key, row = await find_session(local, application, session)
    wanted: Any = {"conversation": conversation, "target": as_target("--target", target, UsageError) if target else ""}
    if row is not None and (row.conversation, row.target) != (*wanted.values(),):
        options = "".join(
            f" --{name} {shlex.quote(value)}" for name in wanted if (value := one_line(str(getattr(row, name))))
        )
        raise UsageError(
            f"the session {session!r} was opened with{options or 'out --conversation and --target'}; give the same, or "
            f"end it first: remit close --session {shlex.quote(session)}"
        )
    return client.open_run(idempotency_key=key, metadata={"session": session}, **wanted)


async def call_in_run(
    local: LocalClient,
    client: Client,
    application: str,
    tool: str,
    arguments: Arguments,
    *,
    session: str | None,
    run: str | None,
    conversation: str,
    target: str,
    key: str,
    quiet: bool,
) -> RunResult[Any]:
    """Make a call of an open run. Returns its result like that of a separate run, with the id of the open run.

    Unless ``quiet``, a session's run is named on stderr.
    """
    from remit.runtime import RunResult

    if session:
        opening = await _open_session(local, client, application, session, conversation=conversation, target=target)
    else:
        opening = client.open_run(run_id=run or "")
    with cancel_at_sigterm():
        async with opening as opened:
            if session and not quiet:
                print(f"session {one_line(session)}: run {opened.id}", file=sys.stderr)
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
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of an open run; see: remit runs.")] = "",
    *,
    session: Annotated[
        str | None, typer.Option(metavar="NAME", help="Your open run of this name, without RUN.")
    ] = None,
    app: RunAppOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """End an open run, and print how many calls it has made. The next call of its session opens another one.

    While a call waits for a decision, the run cannot be closed: decide it, or end all with: remit cancel RUN.
    """
    _check_session(session)
    if bool(run) == bool(session):
        raise UsageError("write remit close RUN, or remit close --session NAME; see: remit runs")
    with open_client() as client:
        row = _get_session(client, session, app) if session else client.get_run(run)
        own = client.client_of(client.resolve_app(row, app))

        async def end() -> RunResult[Any]:
            async with own.open_run(run_id=row.run) as opened:
                return await opened.close()

        result = client.wait(end())
        if as_json:
            print(json_text({"run": row.run, "status": result.status, **result.value()}))
            return
        count = result.value()
        print(f"closed run {row.run}: {count['calls']} calls, {count['failed']} failed, {count['denied']} denied")


def _get_session(client: LocalClient, session: str, app_reference: str) -> RunRow:
    """The open run of a session of one application, or else of the installed ones.

    Raises:
        NoSuchError: there is none. UsageError: several applications have one.
    """
    loaders = installed_apps()
    names = [find_app(app_reference, loaders).name] if app_reference else [*loaders]
    found = [row for name in names if (row := client.wait(find_session(client, name, session))[1]) is not None]
    if not found:
        among = "" if app_reference else " of an installed application; for another one, add --app APP"
        raise NoSuchError(f"you have no open session {session!r}{among}; see: remit runs")
    if len(found) > 1:
        several = ", ".join(sorted(row.application for row in found))
        raise UsageError(f"the applications {several} each have your session {session!r}; add --app APP")
    return found[0]
