"""`remit run APP` in a terminal: a conversation, with its questions put to the person."""

from __future__ import annotations

import pytest

from remit.contracts.chat import read
from remit.testing import calls
from tests.cli.kit import APP, Cli, Talk

BURN = calls(("burn", {"name": "bread"}))
REMOVE = calls(("remove", {"name": "cake"}))
CONFIRMED = calls(("remove", {"name": "cake", "confirmed": True}))
ASKS = "y = yes, n = no, l = later: "
YOU = "you> "


def chat(*more: str) -> Talk:
    return Talk("run", APP, "--conversation", "c", *more)


def test_the_greeting_says_what_one_talks_to_and_how_to_leave(cli: Cli) -> None:
    cli.script()
    with chat() as talk:
        shown = talk.until(YOU)
        talk.type("/quit\n")
        assert talk.status() == 0
    assert "application   shop" in shown
    assert f"a script, not a model ({cli.script_file})" in shown
    assert "conversation  c" in shown
    assert "Ctrl-D or /quit leaves" in shown


def test_messages_of_one_conversation_are_answered_in_turn_and_ctrl_d_leaves(cli: Cli) -> None:
    cli.script(calls(("find", {"name": "bread"})), "There is bread.", "You are welcome.")
    with chat() as talk:
        talk.until(YOU)
        talk.type("bread?\n")
        shown = talk.until(YOU)
        assert shown.index('→ find safe name="bread"') < shown.index("✓ find done") < shown.index("There is bread.")
        talk.type("thanks\n")
        assert "You are welcome." in talk.until(YOU)
        talk.type("\x04")
        assert talk.status() == 0


def test_a_yes_runs_exactly_what_was_shown(cli: Cli) -> None:
    cli.script(BURN, "The bread is burnt.")
    with chat() as talk:
        talk.until(YOU)
        talk.type("burn it\n")
        shown = talk.until(ASKS)
        for said in ("burn wants to run; may it?", "high", "rule: high risk", "expires", '"name": "bread"'):
            assert said in shown
        assert cli.book == []
        talk.type("y\n")
        assert "The bread is burnt." in talk.until(YOU)
    assert cli.book == ["burn bread"]


def test_a_no_tells_the_agent_the_reason_and_runs_nothing(cli: Cli) -> None:
    cli.script(BURN, "I may not.")
    with chat() as talk:
        talk.until(YOU)
        talk.type("burn it\n")
        talk.until(ASKS)
        talk.type("n\n")
        talk.until("Why not?")
        talk.type("we need it\n")
        shown = talk.until(YOU)
    assert "APPROVAL_DENIED: we need it" in shown
    assert "I may not." in shown
    assert cli.book == []


def test_what_is_not_plainly_yes_or_no_is_asked_again(cli: Cli) -> None:
    cli.script(BURN, "The bread is burnt.")
    with chat() as talk:
        talk.until(YOU)
        talk.type("burn it\n")
        talk.until(ASKS)
        for typed in ("maybe", "yess", "", "Y E S", "1", "true"):
            talk.type(f"{typed}\n")
            talk.until(ASKS)
        assert cli.book == []
        talk.type(" YES \n")
        assert "The bread is burnt." in talk.until(YOU)


def test_a_line_typed_before_the_question_was_shown_is_no_answer_to_it(cli: Cli) -> None:
    cli.script(BURN, "The bread is burnt.")
    with chat() as talk:
        talk.until(YOU)
        talk.type("burn it\ny\ny\n")
        talk.until(ASKS)
        talk.type("n\n")
        talk.until("Why not?")
    assert cli.book == []


def test_what_is_left_open_is_put_again_before_the_next_message_is_sent(cli: Cli) -> None:
    cli.script(BURN, "The bread is burnt.", "Good evening.")
    with chat() as talk:
        talk.until(YOU)
        talk.type("burn it\n")
        talk.until(ASKS)
        talk.type("l\n")
        shown = talk.until(YOU)
        assert f"decide it later with: remit approvals approve {cli.questions()[0]['id']} --app {APP}" in shown
        talk.type("good evening\n")
        assert "waits for a decision" in talk.until(ASKS)
        talk.type("yes\n")
        shown = talk.until(YOU)
        assert shown.index("The bread is burnt.") < shown.index("Good evening.")


def test_a_decision_made_in_another_process_meanwhile_counts(cli: Cli) -> None:
    cli.script(BURN, "The bread is burnt.")
    with chat() as talk:
        talk.until(YOU)
        talk.type("burn it\n")
        talk.until(ASKS)
        assert cli.process("approvals", "approve", cli.questions()[0]["id"], "--app", APP).status == 0
        talk.type("n\n")
        talk.until("Why not?")
        talk.type("\n")
        shown = talk.until(YOU)
    assert "is taken by" in shown
    assert "The bread is burnt." in shown
    assert cli.book == ["burn bread"]


def test_an_announced_call_is_put_after_the_answer_and_a_yes_is_sent_as_a_message(cli: Cli) -> None:
    cli.script(REMOVE, "Shall I?", CONFIRMED, "The cake is gone.")
    with chat() as talk:
        talk.until(YOU)
        talk.type("remove the cake\n")
        shown = talk.until(ASKS)
        assert shown.index("Shall I?") < shown.index('"confirmed": true')
        talk.type("y\n")
        shown = talk.until("The cake is gone.")
        assert "you> Yes, I confirm: go ahead.   (sent for you)" in shown
        talk.until(YOU)
    assert cli.book == ["remove cake"]


def test_an_announced_call_that_is_denied_sends_nothing(cli: Cli) -> None:
    cli.script(REMOVE, "Shall I?")
    with chat() as talk:
        talk.until(YOU)
        talk.type("remove the cake\n")
        talk.until(ASKS)
        talk.type("n\n")
        talk.until("Why not?")
        talk.type("\n")
        assert "denied" in talk.until(YOU)
    assert (len(cli.runs()), cli.book) == (1, [])


def test_an_announced_call_that_is_left_open_is_not_put_again_after_every_answer(cli: Cli) -> None:
    cli.script(REMOVE, "Shall I?", "Hello.")
    with chat() as talk:
        talk.until(YOU)
        talk.type("remove the cake\n")
        talk.until(ASKS)
        talk.type("l\n")
        talk.until(YOU)
        talk.type("hello\n")
        assert ASKS not in talk.until(YOU)
    assert len(cli.questions()) == 1


def test_a_conversation_goes_on_where_it_was_left_waiting(cli: Cli) -> None:
    cli.script(BURN, "The bread is burnt.")
    assert cli("run", APP, "--ask", "burn it", "--conversation", "c").status == 3
    with chat() as talk:
        assert "waits for a decision" in talk.until(ASKS)
        talk.type("y\n")
        assert "The bread is burnt." in talk.until(YOU)


def test_a_run_that_was_cut_off_goes_on_when_its_conversation_is_opened(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.script(calls(("dawdle", {})), "Done at last.")
    with chat() as talk:
        talk.until(YOU)
        talk.type("go\n")
        talk.until("shop: dawdle")
    run = cli.runs()[0].run
    cli.journal(lambda store: store.release(run, 1))
    monkeypatch.setenv("HURRY", "1")
    with chat() as talk:
        shown = talk.until(YOU)
    assert "was cut off" in shown
    assert "Done at last." in shown


def test_a_run_that_fails_is_said_and_the_conversation_goes_on(cli: Cli) -> None:
    cli.script()
    with chat() as talk:
        talk.until(YOU)
        talk.type("hello\n")
        assert "remit: MODEL_GARBAGE: the script has 0 lines" in talk.until(YOU)
        talk.type("/quit\n")
        assert talk.status() == 0


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
    messages = [read(text) for text in cli.history(last.run)]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "tool", "user", "assistant"]


def test_ctrl_c_at_the_prompt_says_how_to_leave(cli: Cli) -> None:
    cli.script()
    with chat() as talk:
        talk.until(YOU)
        talk.type("half a mess\x03")
        talk.until("Nothing is under way. Ctrl-D or /quit leaves.")
        talk.until(YOU)
        talk.type("/quit\n")
        assert talk.status() == 0


def test_ctrl_c_at_a_question_leaves_it_open(cli: Cli) -> None:
    cli.script(BURN, "The bread is burnt.")
    with chat() as talk:
        talk.until(YOU)
        talk.type("burn it\n")
        talk.until(ASKS)
        talk.type("\x03")
        assert "left open" in talk.until(YOU)
    assert (len(cli.questions()), cli.book) == (1, [])


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


def test_an_outcome_that_nobody_knows_is_put_with_what_yes_and_no_mean(cli: Cli) -> None:
    cli.script(calls(("post", {"letter": "hello"})), "It is posted.")
    with chat() as talk:
        talk.until(YOU)
        talk.type("post it\n")
        talk.until("shop: post hello")
    run = cli.runs()[0].run
    cli.journal(lambda store: store.release(run, 1))
    with chat() as talk:
        assert "did it happen?" in talk.until("y = yes, it happened, n = no, call it again, l = later: ")
        talk.type("y\n")
        talk.until("What did it give?")
        talk.type('{"posted": "hello"}\n')
        assert "It is posted." in talk.until(YOU)
    assert cli.book == ["post hello"]


def test_a_terminal_shows_the_seconds_while_one_waits_and_gives_the_cursor_back(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    cli.script(calls(("dawdle", {})))
    with chat() as talk:
        talk.until(YOU)
        talk.type("go\n")
        talk.until("dawdle 1 s")
        talk.type("\x03")
        assert "\x1b[?25h" in talk.until(YOU)
