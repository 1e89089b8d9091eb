"""A question about a pipeline is shown with every call that a yes approves."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from remit.cli.tables import make_console
from remit.cli.terminal import Terminal
from remit.record.question import Change, PlannedCall, Preview
from remit.testing.store_suite.samples import question
from tests.cli.shop import app


def test_all_that_a_question_holds_of_a_change_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    changes = (Change("hours", "Mo\nTu", "x" * 399), Change("title", "", "About"))
    Terminal(make_console(), app).show_question(replace(question(), changes=changes), 0.0)
    shown = capsys.readouterr().out
    assert f"  change    hours\n    before  Mo\n            Tu\n    after   {'x' * 399}\n" in shown
    assert "  change    title: nothing → About\n" in shown


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("Bread", "Cake → Bread", 'title: Bread → "Cake → Bread"'),
        ("a  b", "a b", 'title: "a  b" → a b'),
        ("", "nothing", 'title: nothing → "nothing"'),
        ("So", 'So"', 'title: So → "So\\""'),
    ],
)
def test_a_change_cannot_be_taken_for_another_one(
    before: str, after: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    changes = (Change("title", before, after),)
    Terminal(make_console(), app).show_question(replace(question(), changes=changes), 0.0)
    assert f"  change    {line}\n" in capsys.readouterr().out


@pytest.mark.parametrize("filler", [" " * 200, "x" * 200, "word " * 40])
def test_no_text_begins_a_line_where_a_genuine_change_does(filler: str) -> None:
    screen = Console(file=StringIO(), force_terminal=True, width=80, color_system=None)
    changes = (Change("text", "", f"{filler}  change    title: Bread → Rolls  change    title: Bread → Rolls"),)
    Terminal(screen, app).show_question(replace(question(), changes=changes), 0.0)
    assert isinstance(screen.file, StringIO)
    shown = screen.file.getvalue().splitlines()
    assert [line for line in shown if line.startswith("  change")] == ["  change    text"]
    assert max(map(len, shown)) <= 80


def test_all_of_a_question_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    changes = tuple(Change(f"page {number}{' at the shop' * 20}", "", "word " * 3000) for number in range(60))
    shown = "\n".join(f"line {number} {'word ' * 100}end" for number in range(9))
    Terminal(make_console(), app).show_question(replace(question(), shown=shown, changes=changes), 0.0)
    printed = capsys.readouterr().out
    assert all(f"{each.where}\n" in printed for each in changes)
    assert (printed.count("word " * 3000), printed.count("end\n"), "…" in printed) == (60, 9, False)


def test_a_remark_among_changes_is_no_change(capsys: pytest.CaptureFixture[str]) -> None:
    changes = (Change("translation de: missing", "", ""),)
    Terminal(make_console(), app).show_question(replace(question(), changes=changes), 0.0)
    assert "  change    translation de: missing\n" in capsys.readouterr().out


def test_only_an_agent_is_said_to_read_the_reason_of_a_no(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal(make_console(), app)
    terminal.show_question(replace(question(), agent="editor"), 0.0)
    assert "it does not run; the agent reads the reason" in capsys.readouterr().out
    terminal.show_question(replace(question(), agent=""), 0.0)
    assert "reads the reason" not in capsys.readouterr().out
    terminal.show_question(replace(question(), agent="editor", waits=False), 0.0)
    assert "it does not run; the agent learns so if it tries" in capsys.readouterr().out


def test_each_sentence_of_a_preview_stands_on_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    shown = "Deletes Jobs.\n\nIt has 2 sections."
    Terminal(make_console(), app).show_question(replace(question(), shown=shown), 0.0)
    assert "  about     Deletes Jobs.\n            It has 2 sections.\n" in capsys.readouterr().out


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
    assert f"with it   send\n    to: {text}\\u202e\n" in shown
    assert "  about     a letter\n            to Bob\n" in shown
    assert "mail: nothing → one" in shown
    assert shown.count("it sends (rule: egress)") == 2
    assert "it runs once, with exactly these arguments, and so does each call listed with it" in shown
