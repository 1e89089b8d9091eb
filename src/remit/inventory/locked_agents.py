"""What governs an agent, as plain values for the lock, and the changes between two such records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from remit.agent.agent import Agent
from remit.agent.definition import AgentDefinition
from remit.agent.limits import AgentLimits
from remit.agent.linking import ADDED_TOOLS
from remit.schemas.finding import GovernanceChange

_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")
_GRANTED: Final = {
    "tools": "call",
    "handoffs": "hand over to",
    "provider_tools": "use the provider's tool",
    "narrowed_permissions": "use the permission",
    "tool_scope": "have others below it call",
    "compatible_models": "use the model",
}
"""The fields that are sets of what an agent may do, and how one of their elements reads. None stands for everything."""
_BEHAVIOUR: Final = ("stop", "compaction", "memory", "tool_search")
"""Fields that say how an agent goes about its work: a change neither loosens nor tightens what it may do."""


def agents_of(callees: Iterable[object]) -> dict[str, Agent]:
    """The agents among callees, by name."""
    return {each.name: each for each in callees if isinstance(each, Agent)}


def agent_text(agent: Agent) -> str:
    """The instructions of an agent, or the template of its instructions, and the same of its run instructions."""
    instructions, of_run = agent.definition.instructions, agent.definition.run_instructions
    text = instructions if isinstance(instructions, str) else instructions.source
    return f"{text}\0{_ADDRESS.sub('', repr(of_run))}" if of_run else text


def agent_values(agent: Agent) -> dict[str, Any]:
    """What an agent may do and what limits it. The model is not part of it: each deployment has its own."""
    definition = agent.definition
    return {
        "tools": sorted(each.name for each in agent.tools if not isinstance(each, ADDED_TOOLS)),
        "handoffs": sorted(definition.handoff_targets),
        "provider_tools": sorted(map(str, definition.provider_tools)),
        "narrowed_permissions": None if definition.permissions is None else sorted(definition.permissions),
        "tool_scope": None if agent.tool_scope is None else sorted(agent.tool_scope),
        "compatible_models": sorted(definition.compatible_models) or None,
        "limits": _limit_values(definition.limits),
        "attachments": definition.attachments and definition.attachments.model_dump(mode="json"),
        "layers": [_ADDRESS.sub("", repr(each)) for each in (*definition.agent_layers, *agent.layers)],
        **{name: value for name, value in _behaviour_values(definition) if value is not None},
    }


def _behaviour_values(definition: AgentDefinition) -> Iterator[tuple[str, str | None]]:
    """When the agent is done, and what it keeps and finds, as texts; None for what old locks do not know."""
    compaction, search = definition.compaction, definition.tool_search
    yield "stop", definition.stop and _ADDRESS.sub("", repr(definition.stop))
    yield "compaction", compaction and f"{compaction.tokens} tokens, {compaction.kept_tokens} kept"
    yield "memory", definition.memory and repr(definition.memory)
    yield "tool_search", search and _ADDRESS.sub("", repr(search))


def _limit_values(limits: AgentLimits) -> dict[str, Any]:
    """The limits; the default of a limit that old locks do not know is left out."""
    values = limits.model_dump(mode="json")
    if limits.repeats == AgentLimits().repeats:
        del values["repeats"]
    return values


def diff_agent_field(name: str, old: Any, new: Any) -> Iterator[tuple[str, GovernanceChange]] | None:
    """The changes of one value of `agent_values`, each with its direction; None for another field."""
    if name in _GRANTED:
        return _diff_granted(_GRANTED[name], old, new)
    if name == "limits":
        known = {"repeats": AgentLimits().repeats}
        return _diff_limits(known | (old or {}), known | (new or {}))
    if name == "layers":
        return _diff_layers(old or [], new or [])
    if name in _BEHAVIOUR:
        return iter(
            [(f"its {name.replace('_', ' ')} was {old or 'none'}, and is {new or 'none'}", GovernanceChange.NONE)]
        )
    return _diff_attachments(new) if name == "attachments" else None


def _diff_granted(wording: str, old: list[str] | None, new: list[str] | None) -> Iterator[tuple[str, GovernanceChange]]:
    if new is None:
        yield f"it may {wording} anything now", GovernanceChange.LOOSER
    elif old is None:
        yield f"it may {wording} nothing now but: {', '.join(new) or 'none'}", GovernanceChange.TIGHTER
    else:
        yield from ((f"it may {wording} {each} now", GovernanceChange.LOOSER) for each in sorted(set(new) - set(old)))
        for each in sorted(set(old) - set(new)):
            yield f"it may no longer {wording} {each}", GovernanceChange.TIGHTER


def _diff_limits(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, GovernanceChange]]:
    for name in sorted({*old, *new}):
        was, value = old.get(name), new.get(name)
        if was != value:
            is_looser = value is None or (was is not None and value > was)
            words = ("none" if each is None else f"{each:g}" for each in (was, value))
            direction = GovernanceChange.LOOSER if is_looser else GovernanceChange.TIGHTER
            yield f"limits.{name} {' → '.join(words)}", direction


def _diff_layers(old: list[str], new: list[str]) -> Iterator[tuple[str, GovernanceChange]]:
    removed, added = [each for each in old if each not in new], [each for each in new if each not in old]
    yield from ((f"the layer {each} was removed", GovernanceChange.LOOSER) for each in removed)
    yield from ((f"the layer {each} is new", GovernanceChange.TIGHTER) for each in added)
    if not removed and not added:
        yield "its layers are in another order", GovernanceChange.LOOSER


def _diff_attachments(new: object) -> Iterator[tuple[str, GovernanceChange]]:
    direction = GovernanceChange.TIGHTER if new is None else GovernanceChange.LOOSER
    yield "it accepts no attachments now" if new is None else "it accepts other attachments now", direction
