"""Tools found ahead: the tools that match the words of a message, listed in a separate message before it."""

from __future__ import annotations

from remit.agent.first_messages import record_message
from remit.agent.model import AnyModel
from remit.agent.run_instructions import describe_run
from remit.agent.tool_search import SearchTools, describe_found
from remit.call.callee import Frame
from remit.record.arguments import content_digest
from remit.record.items import Message
from remit.record.ledger import Ledger
from remit.record.principal import Caller


async def record_found_tools(
    frame: Frame, search: SearchTools, caller: Caller, model: AnyModel | None, message: str, *, is_decided: bool
) -> list[str]:
    """The message about the tools that ``message`` finds; none if all of them are always shown.

    Only tools that ``caller`` may call are found, for ``model``. See `record_message` for ``is_decided``.
    """

    async def make_text() -> str:
        return describe_found(await search.find_ahead(message, caller, model, describe_run(frame)))

    return await record_message(frame, _message_id(frame.id), "found_tools", make_text, is_decided=is_decided)


def find_found_tools(ledger: Ledger, agent: str) -> str:
    """The message about tools found ahead that the agent's call with this id recorded; empty without one."""
    return next((item.text for item in ledger.items_for(_message_id(agent)) if isinstance(item, Message)), "")


def _message_id(agent: str) -> str:
    return content_digest("found tools", agent)
