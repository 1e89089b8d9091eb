"""``remit conversation``: list, show, rename, share, export, delete conversations; ``remit export``: export a run."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated, Literal

import typer

from remit.cli.client import open_client
from remit.cli.group import make_group
from remit.cli.new_file import write_new_file
from remit.cli.options import RunAppOption
from remit.cli.status import ExitStatus, NoSuchError, UsageError, did_you_mean
from remit.cli.text import format_time, json_text, one_line
from remit.journal.conversation_row import ConversationAccess, ConversationRow
from remit.journal.conversations import EVERYONE
from remit.journal.index import UNFINISHED_STATUSES

commands = make_group("List, rename, share, export and delete conversations.")

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The name; see: remit conversation list.")]
UserArgument = Annotated[str, typer.Argument(metavar="USER", help="A user of your tenant; * for everyone in it.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
HtmlOption = Annotated[str, typer.Option("--html", metavar="FILE", help="Write a page to read, without scripts.")]
JsonlOption = Annotated[str, typer.Option("--jsonl", metavar="FILE", help="Write every item, one JSON object a line.")]


@commands.command("list")
def list_conversations(
    *,
    title: Annotated[str, typer.Option(metavar="TEXT", help="Only those with this text in their title.")] = "",
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="The maximum number.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """List conversations, the most recently active first.

    Lists your own and those shared with you, or more if you hold runs:read, conversations:join or conversations:manage.
    """
    with open_client() as client:
        rows = client.wait(client.reader.conversations(title=title, limit=limit)).items
    if as_json:
        print(json_text({"conversations": [_fields(row) for row in rows]}))
        return
    from remit.cli.tables import make_table, print_table

    listing = make_table("conversation", "title", "status", "application", "owner", "target", "active")
    for row in rows:
        names = [one_line(each) for each in (row.conversation, row.title)]
        listing.add_row(*names, row.status, row.application, one_line(row.owner), row.target, format_time(row.active))
    print_table(listing)


@commands.command()
def show(name: NameArgument, *, as_json: JsonOption = False) -> None:
    """Show a conversation: title, owner, who may see it, and its runs."""
    with open_client() as client:
        row = client.wait(client.reader.conversation(name))
        runs = client.wait(client.reader.conversation_runs(name))
    if as_json:
        print(json_text({**_fields(row), "runs": [asdict(run) for run in runs]}))
        return
    from remit.cli.tables import make_table, print_table

    shared = ", ".join(f"{one_line(each)} may {may}" for each, may in row.shared.items()) or "no other user"
    print(f"{one_line(row.title)}\nowner: {one_line(row.owner)}, shared with: {shared}")
    listing = make_table("run", "status", "callee", "by", "started")
    for run in runs:
        listing.add_row(run.run, run.status, run.callee, one_line(run.principal), format_time(run.opened))
    print_table(listing)


@commands.command()
def rename(
    name: NameArgument, title: Annotated[str, typer.Argument(metavar="TITLE", help='"": the first message.')]
) -> None:
    """Give a conversation another title. Only its owner may."""
    with open_client() as client:
        client.wait(client.reader.rename_conversation(name, title))


@commands.command()
def share(
    name: NameArgument,
    user: UserArgument,
    *,
    write: Annotated[bool, typer.Option("--write", help="Let the user continue the conversation, too.")] = False,
) -> None:
    """Let another user read a conversation. Only its owner may.

    Direct calls in it are not shared, and neither is the right to decide questions.
    """
    access: ConversationAccess = "write" if write else "read"
    with open_client() as client:
        tenant = client.principal.tenant
        if user != EVERYONE and client.people.find_principal(user, tenant) is None:
            here = [each.name for each in client.users.principals.values() if each.tenant == tenant]
            raise NoSuchError(f"your tenant has no user {user}{did_you_mean(user, here)}; see: config.toml")
        client.wait(client.reader.share_conversation(name, user, access))


@commands.command()
def unshare(name: NameArgument, user: UserArgument) -> None:
    """Share a conversation with a user no longer. Only its owner may."""
    with open_client() as client:
        client.wait(client.reader.unshare_conversation(name, user))


@commands.command()
def delete(
    name: NameArgument,
    *,
    app: RunAppOption = "",
    yes: Annotated[bool, typer.Option("--yes", help="Delete it without asking.")] = False,
) -> int:
    """Delete a conversation with all that its runs recorded. Only its owner may.

    Cancels unfinished runs, and erases messages, calls, questions and the files that only it has. Digests remain, so
    that the journal and the audit log still verify.
    """
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError("deleting cannot be undone; add --yes")
        typer.confirm(f"Delete {one_line(name)} and all that it recorded?", abort=True)
    with open_client() as client:
        rows = client.wait(client.reader.runs(conversation=name)).items
        unfinished = next((row for row in rows if row.status in UNFINISHED_STATUSES), None)
        deleting = client.client_of(client.resolve_app(unfinished, app)) if unfinished else client.reader
        client.wait(deleting.delete_conversation(name))
    return ExitStatus.DONE


@commands.command("export")
def export_conversation(name: NameArgument, *, html: HtmlOption = "", jsonl: JsonlOption = "") -> None:
    """Export a conversation to a file; - writes to stdout. An existing file is not replaced."""
    with open_client() as client:
        export_format, file = _target(html, jsonl)
        write_new_file(
            file, client.wait(client.reader.export_conversation(name, format=export_format)).encode("utf-8", "replace")
        )


def export_run(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of a run; see: remit runs.")],
    *,
    html: HtmlOption = "",
    jsonl: JsonlOption = "",
) -> None:
    """Export a run to a file; - writes to stdout. An existing file is not replaced."""
    with open_client() as client:
        export_format, file = _target(html, jsonl)
        row = client.get_readable_run(run)
        write_new_file(
            file, client.wait(client.reader.export_run(row.run, format=export_format)).encode("utf-8", "replace")
        )


def _target(html: str, jsonl: str) -> tuple[Literal["html", "jsonl"], str]:
    if bool(html) == bool(jsonl):
        raise UsageError("give either --html FILE or --jsonl FILE")
    return ("html", html) if html else ("jsonl", jsonl)


def _fields(row: ConversationRow) -> dict[str, object]:
    return {**asdict(row), "title": row.title}
