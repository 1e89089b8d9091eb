"""A conversation: each message starts a run, and open questions are put to the person before anything else."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from remit.cli.chat import Chat
from remit.cli.client import open_client
from remit.cli.tables import make_console
from remit.cli.terminal import Terminal
from remit.testing import calls
from tests.cli.kit import APP, Cli, Talk
from tests.cli.shop import app

BURN = calls(("burn", {"name": "bread"}))
REMOVE = calls(("remove", {"name": "cake"}))
CONFIRMED = calls(("remove", {"name": "cake", "confirmed": True}))
Typed = str | type[KeyboardInterrupt] | type[EOFError] | Callable[[], str]


class Typist:
    """Types one line at each prompt: a text, Ctrl-C or Ctrl-D, or what comes of doing something else first."""

    def __init__(self, *lines: Typed) -> None:
        self._lines = [*lines]

    def __call__(self, prompt: str) -> str:
        sys.stdout.write(prompt)
        line: Typed = self._lines.pop(0) if self._lines else EOFError
        if isinstance(line, type):
            raise line()
        text = line if isinstance(line, str) else line()
        sys.stdout.write(f"{text}\n")
        return text


@pytest.fixture
def converse(cli: Cli, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Talk in the conversation ``c``, and give everything that was shown; it ends by Ctrl-D."""
    assert cli.home.exists()

    def talk(*typed: Typed) -> str:
        with open_client() as desk:
            terminal = Terminal(make_console(), app)
            chat = Chat(desk, desk.runtime(app, terminal), terminal, "c", APP, Typist(*typed), patience=0)
            assert chat.talk() == 0
        shown = capsys.readouterr()
        return shown.out + shown.err

    return talk


def in_order(shown: str, *texts: str) -> bool:
    """Whether ``texts`` are shown, one after the other."""
    for text in texts:
        _, found, shown = shown.partition(text)
        if not found:
            return False
    return True


def test_the_greeting_says_what_one_talks_to_and_how_to_leave(cli: Cli, converse: Callable[..., str]) -> None:
    cli.script()
    shown = converse()
    assert "application   shop" in shown
    assert f"model         a script, not a model ({cli.script_file})" in shown
    assert "conversation  c" in shown
    assert "Ctrl-D or /quit leaves" in shown


@pytest.mark.parametrize("leave", ["/quit", "/exit", " /quit "])
def test_a_word_leaves(cli: Cli, converse: Callable[..., str], leave: str) -> None:
    cli.script("never said")
    assert "never said" not in converse(leave, "hello")


def test_an_empty_line_is_no_message(cli: Cli, converse: Callable[..., str]) -> None:
    cli.script("hello")
    converse("", "   ")
    assert cli.runs() == []


def test_messages_are_answered_in_turn(cli: Cli, converse: Callable[..., str]) -> None:
    cli.script(calls(("find", {"name": "bread"})), "There is bread.", "You are welcome.")
    shown = converse("bread?", "thanks")
    assert in_order(
        shown, "→ Find: name bread  safe  find", "✓ Found: name bread", "There is bread.", "thanks", "You are welcome."
    )


def test_what_is_not_plainly_yes_or_no_is_asked_again(cli: Cli, converse: Callable[..., str]) -> None:
    cli.script(BURN, "The bread is burnt.")
    shown = converse("burn it", "maybe", "yess", "", "Y E S", "1", "true", " YES ")
    assert shown.count("y = yes, n = no, l = later: ") == 7
    assert cli.book == ["burn bread"]


def test_a_no_tells_the_agent_the_reason_and_runs_nothing(cli: Cli, converse: Callable[..., str]) -> None:
    cli.script(BURN, "I may not.")
    shown = converse("burn it", "n", "we need it")
    assert in_order(shown, "Why not?", "denied", "APPROVAL_DENIED: we need it", "I may not.")
    assert cli.book == []


@pytest.mark.parametrize("better", [KeyboardInterrupt, EOFError])
def test_thinking_better_of_a_no_leaves_the_question_open(
    cli: Cli, converse: Callable[..., str], better: type[EOFError]
) -> None:
    cli.script(BURN, "The bread is burnt.")
    assert "left open" in converse("burn it", "n", better)
    assert len(cli.questions()) == 1


def test_what_is_left_open_is_put_again_before_the_next_message_is_sent(cli: Cli, converse: Callable[..., str]) -> None:
    cli.script(BURN, "The bread is burnt.", "Good evening.")
    shown = converse("burn it", "l", "good evening", "yes")
    assert f" --app {APP} or: remit approvals deny " in shown
    assert in_order(shown, "left open", "waits for a decision", "The bread is burnt.", "Good evening.")


def test_a_message_is_not_sent_while_the_question_stays_open(cli: Cli, converse: Callable[..., str]) -> None:
    cli.script(BURN, "The bread is burnt.", "Good evening.")
    shown = converse("burn it", "later", "good evening", "later")
    assert "Good evening." not in shown
    assert (len(cli.runs()), len(cli.questions())) == (1, 1)


def test_each_of_several_questions_is_put_and_one_left_open_keeps_the_run_waiting(
    cli: Cli, converse: Callable[..., str]
) -> None:
    cli.script(calls(("burn", {"name": "bread"}), ("burn", {"name": "cake"})), "Burnt.")
    shown = converse("burn both", "y", "l")
    assert in_order(shown, "approved", "left open", "continues once that is decided")
    assert (len(cli.book), len(cli.questions())) == (1, 1)
    assert "Burnt." in converse("y")
    assert sorted(cli.book) == ["burn bread", "burn cake"]


def test_a_decision_made_elsewhere_meanwhile_counts(cli: Cli, converse: Callable[..., str]) -> None:
    def elsewhere() -> str:
        assert cli("approvals", "approve", cli.questions()[0]["id"], "--app", APP).status == 0
        return ""

    cli.script(BURN, "The bread is burnt.")
    shown = converse("burn it", "n", elsewhere)
    assert "is already approved by" in shown
    assert "The bread is burnt." in shown
    assert cli.book == ["burn bread"]


def test_a_question_that_was_decided_elsewhere_is_not_left_open(cli: Cli, converse: Callable[..., str]) -> None:
    def elsewhere() -> str:
        assert cli("approvals", "approve", cli.questions()[0]["id"], "--app", APP).status == 0
        return "l"

    cli.script(BURN, "The bread is burnt.")
    shown = converse("burn it", elsewhere)
    assert "already decided: approved by" in shown
    assert "left open" not in shown
    assert cli.book == ["burn bread"]


def test_questions_that_were_decided_elsewhere_are_not_asked(cli: Cli, converse: Callable[..., str]) -> None:
    def elsewhere() -> str:
        for each in cli.questions():
            cli("approvals", "approve", each["id"], "--app", APP)
        return "l"

    cli.script(calls(("burn", {"name": "bread"}), ("burn", {"name": "cake"})), "Burnt.")
    shown = converse("burn both", elsewhere)
    assert shown.count("y = yes, n = no, l = later") == 1
    assert "Burnt." in shown
    assert sorted(cli.book) == ["burn bread", "burn cake"]


def test_who_may_not_decide_is_told_so_once(cli: Cli, converse: Callable[..., str]) -> None:
    cli("runs")
    config = cli.home / "config.toml"
    config.write_text(config.read_text().replace('["*"]', '["shop:*"]'))
    cli.script(BURN, "The bread is burnt.")
    shown = converse("burn it", "y")
    assert shown.count("missing permission approvals:decide") == 1
    assert (len(cli.questions()), cli.book) == (1, [])


def test_an_announced_call_is_put_after_the_answer_and_made_after_a_yes(cli: Cli, converse: Callable[..., str]) -> None:
    cli.script(REMOVE, "Shall I?", "The cake is gone.")
    shown = converse("remove the cake", "y")
    assert in_order(shown, "Shall I?", "confirmed: yes", "approved", "✓ Removed: name cake", "The cake is gone.")
    assert cli.book == ["remove cake"]


def test_an_announced_call_of_an_earlier_session_is_put_when_the_conversation_is_opened(
    cli: Cli, converse: Callable[..., str]
) -> None:
    cli.script(REMOVE, "Shall I?", "The cake is gone.")
    cli("run", APP, "--ask", "remove the cake", "--conversation", "c")
    assert in_order(converse("y"), "confirmed: yes", "approved", "✓ Removed: name cake", "The cake is gone.")
    assert cli.book == ["remove cake"]


def test_an_announced_call_that_is_denied_sends_nothing(cli: Cli, converse: Callable[..., str]) -> None:
    cli.script(REMOVE, "Shall I?")
    assert in_order(converse("remove the cake", "n", ""), "Shall I?", "denied")
    assert (len(cli.runs()), cli.book) == (1, [])


def test_a_call_announced_twice_in_a_run_is_never_shown_as_done(cli: Cli, converse: Callable[..., str]) -> None:
    cli.script(REMOVE, REMOVE, "Shall I?")
    shown = converse("remove the cake", "l")
    assert shown.count("? Asked whether to remove: name cake") == 1
    assert "✓" not in shown


def test_an_announced_call_that_is_left_open_is_not_put_again_after_every_answer(
    cli: Cli, converse: Callable[..., str]
) -> None:
    cli.script(REMOVE, "Shall I?", "Hello.")
    shown = converse("remove the cake", "l", "hello")
    assert (
        shown.count("? Remove: name cake?") + shown.count("\nRemove: name cake?") == 2
    )  # announced while it runs, put once
    assert "? Asked whether to remove: name cake\n" in shown.replace("\r", "")
    assert "✓" not in shown
    assert len(cli.questions()) == 1


def test_a_conversation_goes_on_where_it_was_left_waiting(cli: Cli, converse: Callable[..., str]) -> None:
    cli.script(BURN, "The bread is burnt.")
    assert cli("run", APP, "--ask", "burn it", "--conversation", "c").status == 3
    assert in_order(converse("y"), "waits for a decision", "approved", "The bread is burnt.")


def test_a_run_that_was_decided_but_not_driven_on_goes_on(cli: Cli, converse: Callable[..., str]) -> None:
    cli.script(BURN, "The bread is burnt.")
    cli("run", APP, "--ask", "burn it", "--conversation", "c")
    run = cli.runs()[0].run
    cli.journal(lambda store: store.acquire(run, "somebody", 600))
    cli("approvals", "approve", cli.questions()[0]["id"], "--app", APP, "--wait", "0")
    cli.journal(lambda store: store.release(run, 2))
    assert "The bread is burnt." in converse()


def cut_off(cli: Cli, once: str) -> None:
    """The last run of the conversation was cut off as soon as it showed ``once``."""
    with Talk("run", APP, "--conversation", "c", "--ask", "go") as talk:
        talk.until(once)
    run = cli.runs()[0].run
    cli.journal(lambda store: store.release(run, 1))


@pytest.mark.process
def test_a_run_that_was_cut_off_goes_on_when_its_conversation_is_opened(
    cli: Cli, converse: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.script(calls(("dawdle", {})), "Done at last.")
    cut_off(cli, "shop: dawdle")
    monkeypatch.setenv("HURRY", "1")
    assert in_order(converse(), "was interrupted", "Done at last.")


@pytest.mark.process
def test_an_outcome_that_nobody_knows_is_put_with_what_yes_and_no_mean(cli: Cli, converse: Callable[..., str]) -> None:
    cli.script(calls(("post", {"letter": "hello"})), "It is posted.")
    cut_off(cli, "shop: post hello")
    shown = converse("y", '{"posted": "hello"}')
    choices = "y = yes, it happened, n = no, and the call will be made again, l = later: "
    assert in_order(shown, "did it happen?", choices, "What was the result?", "it happened", "It is posted.")
    assert cli.book == ["post hello"]


@pytest.mark.process
def test_an_outcome_that_did_not_happen_is_called_again(
    cli: Cli, converse: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.script(calls(("post", {"letter": "hello"})), "It is posted.")
    cut_off(cli, "shop: post hello")
    monkeypatch.setenv("HURRY", "1")
    assert in_order(converse("n"), "it did not happen; the call is made again", "It is posted.")
    assert cli.book == ["post hello", "post hello"]


def test_a_run_that_fails_is_said_and_the_conversation_goes_on(cli: Cli, converse: Callable[..., str]) -> None:
    cli.script()
    assert converse("hello", "hello?").count("remit: MODEL_ERROR: the script has 0 answers") == 2


@pytest.mark.process
def test_a_conversation_that_another_process_drives_is_said_and_can_be_left(
    cli: Cli, converse: Callable[..., str]
) -> None:
    cli.script(calls(("dawdle", {})), "Done.")
    cut_off(cli, "shop: dawdle")
    run = cli.runs()[0].run
    cli.journal(lambda store: store.acquire(run, "somebody", 600))
    assert f"remit: LEASE_HELD: run {run} is being executed by somebody" in converse("hello")


def test_a_deferred_question_about_an_announced_call_is_said_after_each_message_and_at_the_end(
    cli: Cli, converse: Callable[..., str]
) -> None:
    cli.script(calls(("remove", {"name": "cake"})), "Shall I?", "Good evening.")
    shown = converse("remove the cake", "l", "good evening")
    question = cli.questions()[0]["id"]
    assert shown.count(f"question {question} is left open; decide later with: remit approvals approve {question}") == 3
    assert cli.book == []


def test_a_decision_is_shown_once(cli: Cli, converse: Callable[..., str]) -> None:
    cli.script(BURN, "The bread is burnt.")
    shown = converse("burn it", "yes")
    assert shown.count("approved") == 1
