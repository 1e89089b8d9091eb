"""Every tool of both applications that is approved about a state compares it where it writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from figures.approved_edits import EDITS
from figures.approved_elsewhere import ELSEWHERE, try_elsewhere
from figures.cms_arguments import NORMAL
from figures.cms_sweep import ANN, open_sweep
from remit import Risk
from remit.tools import Facts
from remit_casefile.app import build as build_casefile
from remit_cms.app import build as build_cms

_WITHOUT_STATE = {"cms_addWebhook", "cms_defineType", "http_post"}
"""High-risk tools whose arguments are all that the approver sees."""
_OF_LESS_RISK = {"drive_upload_file", "sheets_append_values", "sheets_update_values"}
"""Those that are asked about as they let data out, and that name a state too."""


def _is_asked_about(facts: Facts) -> bool:
    return facts.risk is Risk.HIGH or facts.confirm is not None


def test_the_tools_that_are_tried_are_all_that_need_approval(tmp_path: Path) -> None:
    for app, tried in ((build_cms(tmp_path).app, {*EDITS}), (build_casefile(tmp_path).app, {*ELSEWHERE})):
        assert app.operations is not None
        asked = {tool.name for tool in app.operations.callees if _is_asked_about(tool.facts)}
        assert asked == (tried | _WITHOUT_STATE & asked) - _OF_LESS_RISK


@pytest.mark.slow
async def test_each_tool_of_the_cms_compares_what_was_approved_in_its_write(caplog: pytest.LogCaptureFixture) -> None:
    async with open_sweep() as sweep:
        for name in EDITS:
            with sweep.case("approved", name):
                runtime, asked = await sweep.ask(name, sweep.fill(NORMAL[name]))
                (question,) = asked.questions
                row = await runtime.store.find_question(question)
                assert row is not None
                assert row.question.state, name
                await runtime.decide(question, approved=True, by=ANN)
                result = await runtime.resume(asked.run)
                assert (result.status, '"success":true' in result.text) == ("done", True), result.text
    assert [each.getMessage() for each in caplog.records if each.name == "remit.approvals.approved"] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ELSEWHERE)
async def test_each_tool_of_the_casefile_application_refuses_a_state_that_nobody_approved(name: str) -> None:
    outcomes = await try_elsewhere(name, 20)
    assert "asked anew" in outcomes
    assert "stale" not in outcomes
