"""``remit sources``: what the servers of others offer to an application, what waits for a person, and to accept it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from remit.cli.apps import find_app, installed_apps
from remit.cli.client import LocalClient, open_client
from remit.cli.group import make_group
from remit.cli.options import AppArgument
from remit.cli.status import ExitStatus, NoSuchError, UsageError, did_you_mean
from remit.cli.text import format_time, one_line
from remit.errors import ExternalError

if TYPE_CHECKING:
    from remit.sources.review import Review, ReviewedOffer
    from remit.sources.source import Source

commands = make_group("List what servers of others offer, and accept it.")

_SourceName = Annotated[
    str, typer.Argument(metavar="SOURCE", help="The name of a source; see: remit sources list APP.")
]


@commands.command("list")
def list_(app: AppArgument) -> int:
    """List sources, and what of them waits for a person.

    A source that is opened for the first time is accepted as it is.

    Exit status: 0 if nothing waits, 1 otherwise.
    """
    waits = False
    with open_client() as client:
        for source in _find(app):
            try:
                review = client.wait(_look_at(source))
            except ExternalError as error:
                print(f"{source.name}: {error.message}", file=sys.stderr)
                waits = True
                continue
            _show(review, source)
            waits = waits or review.is_moved or bool(review.tools_to_accept)
    return ExitStatus.FAILED if waits else ExitStatus.DONE


@commands.command()
def accept(
    app: AppArgument,
    source: _SourceName,
    tool: Annotated[
        str, typer.Argument(metavar="TOOL", help="The name of a tool in the source; all that waits by default.")
    ] = "",
    *,
    yes: Annotated[
        str, typer.Option("--digest", metavar="DIGEST", help="Accept without a question what has this digest.")
    ] = "",
) -> int:
    """Show how a source differs from what was accepted, and accept it.

    You are asked about each tool. It takes the permission sources:accept. Who accepted what, and when, is on record.

    Exit status: 0 if all was accepted, 1 otherwise.
    """
    with open_client() as client:
        found = _find(app)
        by_name = {each.name: each for each in found}
        if source not in by_name:
            raise NoSuchError(f"{app} has no source {one_line(source)}{did_you_mean(source, by_name)}")
        return client.wait(_accept_waiting(client, by_name[source], tool, yes))


def _find(app: str) -> Sequence[Source]:
    from remit.sources.source import find_sources

    sources = find_sources(find_app(app, installed_apps()).resources)
    if not sources:
        raise NoSuchError(f"{app} has no sources; list them in App(resources=…)")
    return sources


async def _look_at(source: Source) -> Review:
    async with source:
        return await source.refresh()


async def _accept_waiting(client: LocalClient, source: Source, tool: str, digest: str) -> int:
    async with source:
        review = await source.refresh()
        named = review.find(tool) if tool else None
        if tool and named is None:
            raise NoSuchError(f"{source.name} has no tool {one_line(tool)}")
        waiting: Sequence[ReviewedOffer | None] = [named] if named is not None else [*review.tools_to_accept]
        if review.is_moved and not tool:
            waiting = [None, *waiting]
        if digest and len(waiting) != 1:
            raise UsageError(f"--digest names one of {len(waiting)} things that wait; name its tool")
        is_all = True
        for each in waiting:
            is_all = await _accept_one(client, source, review, each, digest) and is_all
    return ExitStatus.DONE if is_all else ExitStatus.FAILED


async def _accept_one(
    client: LocalClient, source: Source, review: Review, offer: ReviewedOffer | None, digest: str
) -> bool:
    """Show one difference, and accept it if the person says so. None stands for the source itself."""
    name = source.name if offer is None else f"{source.name} {one_line(offer.name)}"
    shown = review.offered.digest if offer is None else offer.digest
    lines = review.lines if offer is None else offer.lines
    print(f"{name}: {'changed' if offer is None else offer.state.value}", *lines, f"digest {shown}", sep="\n  ")
    if digest:
        shown = digest
    elif not (sys.stdin.isatty() and typer.confirm("accept this?")):
        print(f"not accepted: {name}", file=sys.stderr)
        return False
    await source.accept(shown, by=client.principal, tool="" if offer is None else offer.name)
    print(f"accepted: {name}", file=sys.stderr)
    return True


def _show(review: Review, source: Source) -> None:
    """Print a source: what is accepted of it on one line, and what waits with its difference."""
    accepted = len(review.tools) - len(review.tools_to_accept)
    when = max((each.at for each in source.acts), default=0.0)
    print(
        f"{review.source}: {accepted} tools accepted, {len(review.tools_to_accept)} waiting, last {format_time(when)}"
    )
    if review.is_moved:
        print("  it says something else of itself, so all its tools are closed:", *review.lines, sep="\n    ")
    for each in review.tools_to_accept:
        print(f"  {one_line(each.name)}: {each.state.value}", *each.lines, sep="\n    ")
