"""Reports which part of a request is too long for its model, and what to do about it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, cast

from remit.agent.compaction import LongRequest
from remit.agent.tool_search import SEARCH_TOOL
from remit.chat.chat import ToolDefinitions, decode_message
from remit.chat.compacted_history import group_messages
from remit.record.estimate import estimate_tokens
from remit.schemas.jsontext import compact_json

_TOO_LONG: Final = "the conversation no longer fits in the model's context; begin a new one"
_LEAST: Final = 1_000
"""The tokens of the shortest request that a model would refuse."""
_SHOWN: Final = 3
"""How many of the largest tools are named."""


def explain_too_long(agent: str, request: LongRequest, fixed: ToolDefinitions, window: int | None) -> str:
    """Why a request of ``agent`` does not fit into its model's ``window`` (None if unknown), and the line to write.

    A new conversation helps only if the messages of the old one are too long. ``fixed`` are the definitions
    that every conversation has. The request has at most one more definition, which was found in this conversation.
    """
    groups = group_messages(request.messages)
    newest = _find_newest(groups)
    sizes = [_count(group) for group in newest]
    instructions, definitions = _count(request.system), _count_tools(fixed)
    found = _count_tools(request.chat.tools) - definitions
    always, largest = instructions + definitions, max(sizes, default=0)
    total = always + found + sum(map(_count, groups))
    if window is None and total < _LEAST:  # too short for a meaningful estimate
        return _TOO_LONG
    most = total // 2 if window is None else window * 3 // 4
    if always > most:
        return _explain_fixed(agent, fixed, instructions, definitions, window)
    if found > most - always:
        name = next(each for each in request.chat.tools.names if each not in fixed.names)
        return f"agent {agent}: the definition of {name} takes about {found:,} tokens{_of(window)}; shorten it"
    if largest > most - always:
        longest = newest[sizes.index(largest)]
        if decode_message(longest[-1])["role"] == "tool":
            return f"the last results of tools take about {largest:,} tokens{_of(window)}; have the tools return less"
        return f"the message takes about {largest:,} tokens{_of(window)}; send a shorter one, or a file that tools read"
    return _TOO_LONG


def _explain_fixed(agent: str, fixed: ToolDefinitions, instructions: int, definitions: int, window: int | None) -> str:
    """Why not even a new conversation fits."""
    what = f"{instructions:,} tokens of instructions and {definitions:,} of definitions of tools"
    problem = f"agent {agent}: about {what} are too many for its model{_of(window)}, so no conversation fits"
    if instructions > definitions:
        return f"{problem}; shorten the instructions"
    named = _name_largest(fixed)
    if SEARCH_TOOL in fixed.names:
        return f"{problem}; the largest are {named}: shorten them, or name fewer in ToolSearch(always=…)"
    line = f"Agent({agent!r}, …, tool_search=ToolSearch(above=0))"
    return f"{problem}; the largest are {named}: have the model search them, {line}"


def _name_largest(tools: ToolDefinitions) -> str:
    listed = cast("list[dict[str, Any]]", json.loads(tools.text))
    sizes = {str(each["function"]["name"]): _count([compact_json(each)]) for each in listed}
    return ", ".join(f"{name} ({sizes[name]:,})" for name in sorted(sizes, key=lambda name: -sizes[name])[:_SHOWN])


def _find_newest(groups: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """The groups from the last message of the user on."""
    users = [number for number, group in enumerate(groups) if decode_message(group[0])["role"] == "user"]
    return groups[users[-1] :] if users else groups


def _of(window: int | None) -> str:
    return "" if window is None else f" of {window:,} tokens"


def _count_tools(tools: ToolDefinitions) -> int:
    return _count([tools.text]) if len(tools) else 0


def _count(texts: Sequence[str]) -> int:
    return estimate_tokens(texts, "")
