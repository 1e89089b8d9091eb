"""The figure about what was shown and what left has a case of every tool that sends something out."""

from __future__ import annotations

import pytest

from figures import shown

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
    assert shown.list_sending_tools() == NAMES
    assert shown.list_unmeasured_tools() == set()


def test_a_tool_that_sends_something_out_and_has_no_case_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    cases: list[tuple[str, dict[str, object]]] = [("web_quickSearch", {})]
    monkeypatch.setattr(shown, "iter_search_cases", lambda: iter(cases))
    assert shown.list_unmeasured_tools() == {"web_deepResearch"}
