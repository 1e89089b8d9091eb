"""A question about a pipeline is shown with every call that a yes approves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from remit.cli.tables import make_console
from remit.cli.terminal import Terminal
from remit.contracts.question import Change, PlannedCall, Preview
from remit.testing.store_suite.samples import question
from tests.cli.shop import app


def test_all_that_a_question_holds_of_a_change_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    changes = (Change("hours", "Mo\nTu", "x" * 399), Change("title", "", "About"))
    Terminal(make_console(), app).show_question(replace(question(), changes=changes), 0.0)
    shown = capsys.readouterr().out
    assert f"  change    hours\n    before  Mo\n            Tu\n    after   {'x' * 399}\n" in shown
    assert "  change    title: nothing → About\n" in shown


def test_only_an_agent_is_said_to_read_the_reason_of_a_no(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal(make_console(), app)
    terminal.show_question(replace(question(), agent="editor"), 0.0)
    assert "it does not run; the agent reads the reason" in capsys.readouterr().out
    terminal.show_question(replace(question(), agent=""), 0.0)
    assert "reads the reason" not in capsys.readouterr().out


def test_each_planned_call_is_shown_with_its_exact_arguments_and_its_preview(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = "x" * 2000
    preview = Preview("a letter\nto Bob", (Change("mail", "", "one"),))
    planned = PlannedCall(
        call="c",
        match="m",
        tool="send",
        arguments=f'{{"to":"{text}\u202e"}}',
        rule="egress",
        reason="it sends",
        preview=preview,
    )
    bare = replace(planned, arguments="{}", preview=Preview(""))
    Terminal(make_console(), app).show_question(replace(question(), plan=(planned, bare)), 0.0)
    shown = capsys.readouterr().out
    assert f'with it   send {{"to":"{text}\\u202e"}}' in shown
    assert "a letter to Bob" in shown
    assert "mail: nothing → one" in shown
    assert shown.count("it sends (rule: egress)") == 2
    assert "it runs once, with exactly these arguments, and so does each call listed with it" in shown
