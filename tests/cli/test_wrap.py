"""``remit wrap`` as it is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit import Effect, tool
from remit.cli.wrap import make_app, name_server, read_headers, read_policy
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


def test_a_header_names_a_variable_and_never_has_its_value(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCH_TOKEN", "Bearer canary-4711")
    (secret,) = read_headers(["authorization=env:SEARCH_TOKEN"]).values()
    assert "canary" not in repr(secret)
    for header, why in {
        "authorization=Bearer canary-4711": "--header takes NAME=env:VARIABLE",
        "authorization=env:MISSING": "the variable MISSING is not set",
    }.items():
        ended = cli("wrap", "--url", "https://search.example/mcp", "--header", header)
        assert (ended.status, why in ended.err, "canary" in ended.err) == (2, True, False)


def test_a_policy_that_is_not_valid_is_refused_before_the_server_starts(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text("rules:\n  - name: pays\n    verdict: perhaps\n", encoding="utf-8")
    ended = cli("wrap", "--policy", str(file), "--", "/nonexistent")
    assert ended.status == 2
    assert "policy.yaml" in ended.err


def test_a_policy_file_governs_the_tools(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(
        "rules:\n  - name: erases\n    tools: [erase]\n    verdict: ask\n    reason: gone\n", encoding="utf-8"
    )
    enforced, shadow = (make_app("desk", read_policy(file), [_erase], enforces=each) for each in (True, False))
    assert enforced.policy is not None
    assert (enforced.policy.names[0], enforced.shadow) == ("erases", None)
    assert shadow.policy is not None
    assert shadow.shadow is not None
    assert (shadow.policy.names, shadow.shadow.names[0]) == ((), "erases")


@tool(effect=Effect.UNSAFE)
async def _erase(text: str) -> str:
    """Erase a text."""
    return text
