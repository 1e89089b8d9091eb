"""`remit run APP` in a real terminal: what only a terminal has, and one conversation from end to end."""

from __future__ import annotations

import pytest

from remit.chat.chat import decode_message
from remit.testing import calls
from tests.cli.kit import APP, Cli, Talk

BURN = calls(("burn", {"name": "bread"}))
ASKS = "y = yes, n = no, l = later: "
YOU = "you> "


def chat() -> Talk:
    return Talk("run", APP, "--conversation", "c")


@pytest.mark.process
def test_a_conversation_with_a_yes_and_a_no_from_end_to_end(cli: Cli) -> None:
    cli.script(calls(("find", {"name": "bread"})), "There is bread.", BURN, "It is burnt.", BURN, "I may not.")
    with chat() as talk:
        assert f"a script, not a model ({cli.script_file})" in talk.until(YOU)
        talk.type("bread?\n")
        shown = talk.until(YOU)
        assert shown.index("→ Find: name bread  safe  find") < shown.index("✓ Found: name bread in")
        assert shown.index("✓ Found: name bread in") < shown.index("There is bread.")
        talk.type("burn it\n")
        shown = talk.until(ASKS)
        for said in ("Burn: name bread?", "high", "rule: high risk", "expires", "name: bread"):
            assert said in shown
        assert cli.book == []
        talk.type("y\n")
        assert "It is burnt." in talk.until(YOU)
        talk.type("again\n")
        talk.until(ASKS)
        talk.type("n\n")
        talk.until("Why not?")
        talk.type("once is enough\n")
        shown = talk.until(YOU)
        assert shown.index("APPROVAL_DENIED: once is enough") < shown.index("I may not.")
        talk.type("\x04")
        assert talk.status() == 0
    assert cli.book == ["burn bread"]


@pytest.mark.process
def test_a_line_typed_before_the_question_was_shown_is_no_answer_to_it(cli: Cli) -> None:
    cli.script(BURN, "The bread is burnt.")
    with chat() as talk:
        talk.until(YOU)
        talk.type("burn it\ny\ny\n")
        talk.until(ASKS)
        talk.type("n\n")
        talk.until("Why not?")
    assert cli.book == []


@pytest.mark.process
def test_ctrl_c_cancels_the_run_and_the_conversation_goes_on_with_a_valid_history(cli: Cli) -> None:
    cli.script(calls(("dawdle", {}), ("find", {"name": "bread"})), "After the stop.")
    with chat() as talk:
        talk.until(YOU)
        talk.type("go\n")
        talk.until("shop: dawdle")
        talk.type("\x03")
        assert "remit: CANCELLED: stopped by Ctrl-C" in talk.until(YOU)
        talk.type("what now?\n")
        assert "After the stop." in talk.until(YOU)
    last, first = cli.runs()
    assert (first.status, last.status) == ("cancelled", "done")
    messages = [decode_message(text) for text in cli.history(last.run)]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "tool", "user", "assistant"]


@pytest.mark.process
def test_ctrl_c_at_the_prompt_says_how_to_leave(cli: Cli) -> None:
    cli.script()
    with chat() as talk:
        talk.until(YOU)
        talk.type("half a mess")
        talk.type("\x03")
        talk.until("Nothing is running. Ctrl-D or /quit leaves.")
        talk.until(YOU)
        talk.type("/quit\n")
        assert talk.status() == 0


@pytest.mark.process
def test_ctrl_c_at_a_question_leaves_it_open(cli: Cli) -> None:
    cli.script(BURN, "The bread is burnt.")
    with chat() as talk:
        talk.until(YOU)
        talk.type("burn it\n")
        talk.until(ASKS)
        talk.type("\x03")
        talk.until("left open")
        talk.until(YOU)
    assert (len(cli.questions()), cli.book) == (1, [])


@pytest.mark.process
def test_a_second_ctrl_c_ends_the_process_at_once_and_the_run_can_be_resumed(cli: Cli) -> None:
    cli.script(calls(("linger", {})), "Never.")
    with chat() as talk:
        talk.until(YOU)
        talk.type("go\n")
        talk.until("shop: linger")
        talk.type("\x03")
        talk.until("shop: still here")
        talk.type("\x03")
        assert talk.status() == 130
    assert cli.runs()[0].status == "running"


@pytest.mark.process
def test_a_terminal_shows_the_seconds_while_one_waits_and_gives_the_cursor_back(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    cli.script(calls(("dawdle", {})))
    with chat() as talk:
        talk.until(YOU)
        talk.type("go\n")
        talk.until_like(r"dawdle [1-9]\d* s")
        talk.type("\x03")
        assert "\x1b[?25h" in talk.until(YOU)
