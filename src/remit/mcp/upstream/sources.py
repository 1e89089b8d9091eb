"""MCP servers as sources of tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from remit.core.call_checks import check_types
from remit.errors import SetupError
from remit.mcp.upstream.child import ChildTransport
from remit.mcp.upstream.connection import AnswerRequest
from remit.mcp.upstream.http import HttpTransport
from remit.mcp.upstream.origin import McpOrigin
from remit.mcp.wire import MOST_BYTES
from remit.secrets import Secret
from remit.sources.adoption import Trust
from remit.sources.pins import PinFolder
from remit.sources.source import Source


@check_types
def mcp_process(
    name: str,
    command: Sequence[str],
    pins: PinFolder,
    *,
    trust: Trust | None = None,
    env: Mapping[str, str | Secret] | None = None,
    folder: Path | None = None,
    most_bytes: int = MOST_BYTES,
    answer: AnswerRequest | None = None,
    **settings: Any,
) -> Source:
    """A server that this process starts, and talks to over its standard input and output.

    It is started in a process group of its own, which ends with the runtime. It inherits ``PATH``, ``HOME`` and the
    locale, and no other variables.

    Args:
        name: the name of the source, which begins the names of its tools.
        command: the program and its arguments.
        pins: the folder with what was accepted.
        trust: what you say about its tools.
        env: further variables of its environment.
        folder: its working folder; that of this process by default.
        most_bytes: the largest message that it may send.
        answer: answers what the server asks the person, ``async def answer(method, params)``; refused without it.
        settings: further settings of a `Source`.

    Raises:
        SetupError: an argument is not valid.
    """
    if isinstance(command, str) or not command:
        raise SetupError(f"mcp_process: command of {name} is {command!r}; give a list, such as ['npx', 'a-server']")

    def connect() -> ChildTransport:
        return ChildTransport(name, command, env=env, folder=folder, most_bytes=most_bytes)

    return Source(name, McpOrigin(name, connect, answer), pins, trust, **settings)


@check_types
def mcp_address(
    name: str,
    url: str,
    pins: PinFolder,
    *,
    trust: Trust | None = None,
    headers: Mapping[str, str | Secret] | None = None,
    most_bytes: int = MOST_BYTES,
    answer: AnswerRequest | None = None,
    **settings: Any,
) -> Source:
    """A server behind an address, over streamable HTTP.

    Args:
        name: the name of the source, which begins the names of its tools.
        url: its address.
        pins: the folder with what was accepted.
        trust: what you say about its tools.
        headers: further headers of each request, such as ``{"authorization": Secret(…)}``.
        most_bytes: the largest message that it may send.
        answer: answers what the server asks the person, ``async def answer(method, params)``; refused without it.
        settings: further settings of a `Source`.

    Raises:
        SetupError: an argument is not valid.
    """

    def connect() -> HttpTransport:
        return HttpTransport(name, url, headers=headers, most_bytes=most_bytes)

    return Source(name, McpOrigin(name, connect, answer), pins, trust, **settings)
