"""`remit policy try` lists the calls on which policies differ; `remit approvals health` how people answered."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from remit import Ask, Policy, When
from remit.approvals.judgement import Judgement
from remit.approvals.shadow import SHADOW_NOTE, ShadowNote
from remit.cli.periods import parse_since
from remit.cli.run_events import note_text
from remit.cli.status import UsageError
from remit.record.items import Note
from tests.cli.kit import APP, Cli

stricter = Policy(When("additions", verdict=Ask(reason="it adds"), tools={"add"}))
looser = Policy.only()


def test_a_stricter_policy_lists_the_newly_asked_calls_with_their_run_and_ends_with_0(cli: Cli) -> None:
    cli("call", APP, "add", '{"name": "bread", "price": 3}')
    run = cli.runs()[0].run
    tried = cli("policy", "try", f"{__name__}:stricter", "--app", APP)
    assert tried.status == 0
    assert "newly asked: 1 call\n" in tried.out
    row = next(line.split() for line in tried.out.splitlines() if line.startswith("add"))
    assert row == ["add", "1", "1", "allowed", "approved", "(additions)", run, 'name="bread",', "price=3"]
    assert "judged 1 call of 1 run" in tried.out


def test_a_looser_policy_lists_what_is_no_longer_asked_and_ends_with_1(cli: Cli) -> None:
    cli("call", APP, "burn", '{"name": "bread"}')
    tried = cli("policy", "try", f"{__name__}:looser", "--app", APP, "--json")
    assert tried.status == 1
    (group,) = tried.json["noLongerAsked"]
    assert (group["tool"], group["before"], group["after"]) == ("burn", "approved", "allowed")
    assert group["examples"][0]["run"] == cli.runs()[0].run


def test_calls_that_cannot_be_judged_are_said(cli: Cli) -> None:
    cli("call", APP, "burn", '{"name": "bread"}')
    tried = cli("policy", "try", f"{__name__}:looser", "--app", "tests.cli.shop:other")
    assert (tried.status, "judged 0 calls of 0 runs" in tried.out) == (0, True)


def test_a_suggested_policy_is_a_file_with_its_trial_below_and_overwrites_nothing(cli: Cli, tmp_path: Path) -> None:
    cli("call", APP, "add", '{"name": "bread", "price": 3}')
    shown = cli("policy", "suggest", "--app", APP).out
    assert shown.startswith("rules:\n  # ")
    assert "judged 1 call of 1 run" in shown
    file = tmp_path / "policy.yaml"
    assert cli("policy", "suggest", "--app", APP, "--output", str(file)).status == 0
    assert cli("policy", "try", str(file), "--app", APP).status == 0
    assert cli("policy", "suggest", "--app", APP, "--output", str(file)).status == 2


def test_what_is_not_a_policy_is_refused(cli: Cli) -> None:
    assert cli("policy", "try", APP, "--app", APP).status == 2


def test_what_a_shadow_policy_would_have_said_is_told_in_words() -> None:
    noted = ShadowNote(Judgement(), Judgement(2, "high risk", "burn is high-risk", "approvals:decide"))
    note = Note(call="c", name=SHADOW_NOTE, data=msgspec.json.encode(noted).decode())
    assert note_text(note) == "shadow policy: approved (high risk: burn is high-risk); policy in force: allowed"


def test_health_counts_questions_by_tool_and_rule(cli: Cli) -> None:
    cli("call", APP, "burn", '{"name": "bread"}')
    cli("approvals", "deny", cli.questions()[0]["id"], "--app", APP)
    (health,) = cli("approvals", "health", "--app", APP, "--json").json["approvals"]
    assert (health["tool"], health["rule"], health["asked"], health["denied"]) == ("burn", "high risk", 1, 1)
    line = cli("approvals", "health", "--app", APP).out.splitlines()[1]
    assert line.split()[:6] == ["burn", "high", "risk", "1", "0", "1"]


@pytest.mark.parametrize(("text", "since"), [("30d", 1e9 - 2592000), ("12h", 1e9 - 43200), ("90m", 1e9 - 5400)])
def test_a_period_ends_now(text: str, since: float) -> None:
    assert parse_since(text, 1e9) == since


@pytest.mark.parametrize("text", ["", "30", "d", "-3d", "1y", "yesterday", "9" * 40 + "d"])
def test_what_is_no_period_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no period; write 30d"):
        parse_since(text, 1e9)
