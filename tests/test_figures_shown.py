"""The figure about what was shown and what left has a case of every tool that sends something out."""

from __future__ import annotations

import pytest

from figures import shown, shown_google

NAMES = {
    "drive_upload_file",
    "gmail_send_message",
    "http_get",
    "http_post",
    "sheets_append_values",
    "sheets_update_values",
    "web_deepResearch",
    "web_fetchContent",
    "web_quickSearch",
}


def test_every_tool_that_an_inventory_says_sends_something_out_has_a_case() -> None:
    assert shown.list_sending_tools() == NAMES | shown.NOT_SHOWN
    assert shown.list_unmeasured_tools() == set()


def test_a_tool_that_refuses_most_of_its_calls_is_found() -> None:
    calls = {"all": {"asked": 4, "left": 4}, "half": {"asked": 4, "left": 2}, "few": {"asked": 4, "left": 1}}
    assert shown.list_silent_tools(calls) == ["few"]


@pytest.mark.parametrize(
    ("text", "preview", "holds"),
    [
        ("", "", True),
        ("a\nb\n", "a\nb", True),
        ("a\rb\u2028c", "a\nb\nc", True),
        ("a\nb\nc", "a\nb\n(1 more lines)", True),
        ("a" * 300, "aaa…", True),
        ("a\u202eb", "a\\u202eb", True),
        ("a\nb\nc", "a\nb…", True),
        ("a\nb", "a", False),
        ("a\nb\nc", "a\n(1 more lines)", False),
        ("\n\na", "a", False),
        ("a" * 300, "aaa", False),
        ("a", "b", False),
        ("a", "", False),
        ("\n", "", True),
        ("", "a", False),
    ],
)
def test_a_preview_shows_how_a_text_begins(text: str, preview: str, holds: bool) -> None:
    assert shown_google.begins_with(text, preview) == holds


def test_a_tool_that_sends_something_out_and_has_no_case_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    cases: list[tuple[str, dict[str, object]]] = [("web_quickSearch", {})]
    monkeypatch.setattr(shown, "iter_search_cases", lambda: iter(cases))
    assert shown.list_unmeasured_tools() == {"web_deepResearch"}
