"""``remit wrap`` as it is started."""

from __future__ import annotations

import pytest

from remit.cli.wrap import name_server
from tests.cli.kit import Cli


def test_a_command_or_an_address_is_needed(cli: Cli) -> None:
    for arguments in ((), ("--url", "https://search.example/mcp", "--", "server")):
        ended = cli("wrap", *arguments)
        assert (ended.status, "give the command of a server after --, or --url" in ended.err) == (2, True)


@pytest.mark.parametrize(
    ("command", "url", "name"),
    [
        (("npx", "-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "/srv"), "", "server-filesystem"),
        (("uvx", "mcp-server-git"), "", "mcp-server-git"),
        (("/usr/bin/python3", "-m", "echo_server"), "", "echo-server"),
        (("node",), "", "server"),
        ((), "https://search.example/mcp", "search-example"),
    ],
)
def test_a_server_is_named_by_what_says_which_one_it_is(command: tuple[str, ...], url: str, name: str) -> None:
    assert name_server(command, url) == name
