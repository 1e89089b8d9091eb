"""Which tools have changed since a run called them is told by the definitions of its attempts."""

from __future__ import annotations

from remit import Effect, tool
from remit.call.contract import definition_digest
from remit.record.items import AttemptStarted
from remit.views.changed_tools import find_changed_tools


@tool(effect=Effect.PURE)
async def look(where: str) -> str:
    """Look."""
    return where


def started(callee: str, definition: str) -> AttemptStarted:
    return AttemptStarted(call=callee, parent="", callee=callee, attempt=1, definition=definition)


def test_a_tool_has_changed_if_an_attempt_names_another_definition() -> None:
    today = definition_digest(look)
    tools = {"look": look}
    assert find_changed_tools([started("look", today)], tools.get) == ()
    assert find_changed_tools([started("look", "another"), started("look", today)], tools.get) == ("look",)


def test_a_tool_that_is_gone_and_an_attempt_without_a_definition_say_nothing() -> None:
    assert find_changed_tools([started("gone", "another"), started("look", "")], {"look": look}.get) == ()
