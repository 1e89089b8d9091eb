"""``remit wrap``: puts Remit between an MCP client and a server."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import quote, urlsplit

import typer

from remit.cli.client import LocalClient, open_client
from remit.cli.state_key import find_state_key
from remit.cli.status import ExitStatus, UsageError
from remit.cli.streams import Output, own_output, read_lines

if TYPE_CHECKING:
    from remit.app import App
    from remit.call.tool import Tool
    from remit.gateway.wrapped_source import WrappedSource
    from remit.mcp.upstream.transport import Transport
    from remit.record.secret import Secret
    from remit.rules.policy_file import PolicyFile

_MOST_CALLS: Final = 1_000_000
_MOST_BYTES: Final = 4_000_000
_MOST_NAME: Final = 30
_NO_NAME: Final = re.compile(r"[^a-z0-9]+")
_OWN: Final = "REMIT_"
_STARTERS: Final = ("npx", "uvx", "uv", "run", "python", "python3", "node")
"""Words of a command that do not name the server."""


def wrap(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="COMMAND…", help="The command of the server, after --.")
    ] = None,
    *,
    url: Annotated[str, typer.Option(metavar="URL", help="The address of the server, instead of a command.")] = "",
    name: Annotated[str, typer.Option(metavar="NAME", help="The name of the server in the journal.")] = "",
    enforce: Annotated[
        bool, typer.Option("--enforce", help="Ask about calls, and block them, as the policy says.")
    ] = False,
    policy: Annotated[
        Path | None, typer.Option("--policy", metavar="FILE", help="The policy, instead of the default one.")
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            "--header", metavar="NAME=env:VARIABLE", help="A header of each request to --url, from a variable."
        ),
    ] = None,
    pure: Annotated[
        list[str] | None, typer.Option("--pure", metavar="TOOL", help="A tool that changes nothing.")
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Show what the server has changed, ask whether to accept it, and end.")
    ] = False,
    server: Annotated[
        str, typer.Option(metavar="URL", help="The address of a server of the same journal: its pages take decisions.")
    ] = "",
    hold: Annotated[
        float, typer.Option(metavar="SECONDS", min=0, max=3600, help="How long a call waits for a person at a time.")
    ] = 20.0,
) -> int:
    """Put Remit between an MCP client and its server.

    The command of the server follows two dashes: `remit wrap -- COMMAND`.

    All calls are on record: see remit runs, show and replay. Without --enforce, all of them pass, and what the policy
    would have said is on record too. Everything but calls is passed on unchanged.
    """
    if bool(command) == bool(url):
        raise UsageError("give the command of a server after --, or --url, such as: remit wrap -- npx -y SERVER")
    name = name or name_server(command or (), url)
    connect = _transport(name, command or (), url, read_headers(header or ()))
    if accept:
        return _review(name, connect)
    govern = partial(make_app, name, read_policy(policy), enforces=enforce)
    with open_client() as client, own_output() as output:
        source = _make_source(client, name, connect, pure or (), enforces=enforce)
        key = find_state_key(client)
        client.wait(_serve(client, source, govern, Output(output), key, server=server, hold=hold))
    return ExitStatus.DONE


async def _serve(
    client: LocalClient,
    source: WrappedSource,
    govern: Callable[[Sequence[Tool[..., Any]]], App],
    output: Output,
    key: bytes,
    *,
    server: str,
    hold: float,
) -> None:
    """Answer the client at the standard streams until it leaves."""
    from remit.app import App
    from remit.gateway.server import WrappedServer
    from remit.gateway.session_runs import SessionRuns
    from remit.mcp.settings import McpSettings
    from remit.mcp.stdio import Connection

    def page(question: str) -> str:
        return f"{server.rstrip('/')}/approvals/{quote(question, safe='')}" if server else ""

    name = source.name
    runtime = client.runtime(App(name=name))
    by = runtime.client(client.principal)
    runs = SessionRuns(by, f"mcp {name} {secrets.token_hex(8)}", f"MCP session with {name}")
    settings = McpSettings(key=key, hold_seconds=hold)
    async with source:
        wrapped = WrappedServer(runtime, settings, source, runs, govern)
        try:
            await Connection(wrapped, by, output.write, page=page).serve(read_lines())
        finally:
            await runs.close()


def _make_source(
    client: LocalClient, name: str, connect: Callable[[], Transport], pure: Sequence[str], *, enforces: bool
) -> WrappedSource:
    from remit.gateway.relay import Relay
    from remit.gateway.wrapped_source import WrappedOrigin, WrappedSource
    from remit.sources.pins import PinFolder

    origin, pins = WrappedOrigin(name, connect, Relay()), PinFolder(client.home.folder / "pins")
    return WrappedSource(name, origin, pins, pure, enforces=enforces)


def _review(name: str, connect: Callable[[], Transport]) -> int:
    """Show what a person has to look at, and accept it if they say so."""
    with open_client() as client:
        source = _make_source(client, name, connect, (), enforces=True)

        async def review() -> None:
            async with source:
                found = await source.refresh()
                changes = [("", found.offered.digest, found.lines)] if found.is_moved else []
                changes += [(each.name, each.digest, each.lines) for each in found.tools_to_accept]
                for tool, digest, lines in changes:
                    print("\n".join((tool or name, *(f"  {each}" for each in lines))))
                    if typer.confirm("Accept it?"):
                        await source.accept(digest, by=client.principal, tool=tool)
                if not changes:
                    print(f"{name} is as it was accepted.")

        client.wait(review())
    return ExitStatus.DONE


def make_app(name: str, file: PolicyFile | None, tools: Sequence[Tool[..., Any]], *, enforces: bool) -> App:
    """The application that governs the tools of a server by a policy file, or by the default policy.

    Unless it ``enforces`` the policy, each call passes, and what the policy would have said is on record.
    """
    from remit.app import App
    from remit.approvals.policy import Policy
    from remit.layers.budget import Budget
    from remit.record.arguments import Limits

    policy, limits = Policy() if file is None else file.policy, Limits(output_bytes=_MOST_BYTES)
    budget = Budget(calls=_MOST_CALLS)
    if not enforces:
        return App(name=name, tools=tools, policy=Policy.only(), shadow=policy, budget=budget, limits=limits)
    return App(name=name, tools=tools, policy=policy, budget=budget if file is None else file.budget, limits=limits)


def read_policy(file: Path | None) -> PolicyFile | None:
    """The policy file, if there is one.

    Raises:
        SetupError: it is not valid.
    """
    if file is None:
        return None
    from remit.rules.policy_file import PolicyFile

    return PolicyFile.load(file)


def read_headers(given: Sequence[str]) -> dict[str, Secret]:
    """Headers from ``NAME=env:VARIABLE``. The value of none is on record, or in an error.

    Raises:
        UsageError: one is of another form, or its variable is not set.
    """
    from remit.record.secret import Secret

    found = dict[str, Secret]()
    for each in given:
        name, _, reference = each.partition("=")
        scheme, _, variable = reference.partition(":")
        if not name or scheme != "env" or not variable:
            raise UsageError("--header takes NAME=env:VARIABLE, so that no secret is among the arguments of a command")
        if not os.environ.get(variable):
            raise UsageError(f"--header {name}: the variable {variable} is not set")
        found[name] = Secret(reference, os.environ[variable])
    return found


def _transport(name: str, command: Sequence[str], url: str, headers: Mapping[str, Secret]) -> Callable[[], Transport]:
    from remit.mcp.upstream.child import ChildTransport
    from remit.mcp.upstream.http import HttpTransport

    if url:
        return lambda: HttpTransport(name, url, headers=headers)
    env = {key: value for key, value in os.environ.items() if not key.startswith(_OWN)}
    return lambda: ChildTransport(name, command, env=env)


def name_server(command: Sequence[str], url: str) -> str:
    """A name for a server: the last part of what says which one it is."""
    if url:
        return _as_name(urlsplit(url).hostname or "")
    words = (PurePath(each).name for each in command if not each.startswith("-"))
    return _as_name(next((each.partition("@")[0] for each in words if each not in _STARTERS), ""))


def _as_name(text: str) -> str:
    """A text as the name of a source."""
    return _NO_NAME.sub("-", text.lower()).strip("-0123456789")[:_MOST_NAME] or "server"
