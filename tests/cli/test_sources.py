"""``remit sources``: a person reads what has changed, and accepts it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.kit import APP, Cli

pytestmark = pytest.mark.process

DESK = "tests.cli.desk:app"
ANSWER: dict[str, Any] = {"name": "answer", "description": "Answer.", "inputSchema": {"type": "object"}}


def _digest(text: str) -> str:
    return next(line.strip().removeprefix("digest ") for line in text.splitlines() if "digest" in line)


def test_what_has_changed_is_shown_and_accepted_by_its_digest(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools.json"
    monkeypatch.setenv("TOOLS", str(tools))
    tools.write_text(json.dumps([ANSWER]))
    first = cli("sources", "list", DESK)
    assert (first.status, "odd: 1 tools accepted, 0 waiting" in first.out) == (0, True)
    assert "odd_answer" in cli("tools", DESK).out

    tools.write_text(json.dumps([ANSWER | {"description": "Answer.\u202e"}, ANSWER | {"name": "fresh"}]))
    waits = cli("sources", "list", DESK)
    assert waits.status == 1
    assert '- description: "Answer."' in waits.out
    assert '+ description: "Answer.\\u202e"' in waits.out
    assert "fresh: new" in waits.out

    shown = cli("sources", "accept", DESK, "odd", "answer")
    assert (shown.status, "not accepted: odd answer" in shown.err) == (1, True)
    wrong = cli("sources", "accept", DESK, "odd", "answer", "--digest", "1:other")
    assert (wrong.status, "look at it again" in wrong.err) == (1, True)
    accepted = cli("sources", "accept", DESK, "odd", "answer", "--digest", _digest(shown.out))
    assert (accepted.status, "accepted: odd answer" in accepted.err) == (0, True)
    assert "answer" not in cli("sources", "list", DESK).out
    assert json.loads((tmp_path / "pins" / "odd.json").read_text())["acts"][-1]["tool"] == "answer"


def test_what_does_not_exist_is_said(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = tmp_path / "tools.json"
    monkeypatch.setenv("TOOLS", str(tools))
    tools.write_text(json.dumps([ANSWER]))
    assert "has no sources" in cli("sources", "list", APP).err
    assert "similar: odd" in cli("sources", "accept", DESK, "od").err
    assert "has no tool nothing" in cli("sources", "accept", DESK, "odd", "nothing").err
    several = cli("sources", "accept", DESK, "odd", "--digest", "1:x")
    assert "--digest names one of 0 things" in several.err


def test_a_server_that_is_away_is_named(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLS", str(tmp_path / "missing.json"))
    away = cli("sources", "list", DESK)
    assert (away.status, "odd: " in away.err) == (1, True)
