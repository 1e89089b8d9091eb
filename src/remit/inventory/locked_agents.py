"""The governance of an agent as plain values for the lock, and the changes between two such records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from remit.agent.agent import Agent
from remit.agent.governed import Accepts, Bounds, Grants, Noticed, Wraps
from remit.agent.limits import AgentLimits
from remit.agent.setting import Setting, settings_of
from remit.schemas.finding import GovernanceChange

_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")


@cache
def locked_settings(kind: type[Agent] = Agent) -> Mapping[str, Setting]:
    """The settings of an agent that a lock holds, by their field. `Governed` says which changes loosen them."""
    return {
        getattr(each.governed, "field", "") or each.name: each
        for each in settings_of(kind)
        if isinstance(each.governed, (Grants, Bounds, Wraps, Accepts, Noticed))
    }


def agents_of(callees: Iterable[object]) -> dict[str, Agent]:
    """The agents among callees, by name."""
    return {each.name: each for each in callees if isinstance(each, Agent)}


def agent_text(agent: Agent) -> str:
    """The instructions of an agent, or the template of its instructions, and the same of its run instructions."""
    instructions, of_run = agent.instructions, agent.run_instructions
    text = instructions if isinstance(instructions, str) else instructions.source
    return f"{text}\0{_ADDRESS.sub('', repr(of_run))}" if of_run else text


def agent_values(agent: Agent) -> dict[str, Any]:
    """The permissions and the limits of an agent. Unset settings that are only noticed are omitted."""
    locked = locked_settings(type(agent))
    values = {field: _locked_value(each, agent) for field, each in locked.items()}
    return {
        field: value
        for field, value in values.items()
        if value is not None or not isinstance(locked[field].governed, Noticed)
    }


def _locked_value(setting: Setting, agent: Agent) -> Any:
    """The value of a setting in a lock."""
    value = getattr(agent, setting.attribute)
    match setting.governed:
        case Grants(read=read):
            names = value if read is None else read(agent)
            return None if names is None else sorted(map(str, names))
        case Wraps(read=read):
            return [_ADDRESS.sub("", repr(each)) for each in read(agent)]
        case Bounds():
            return _limit_values(value)
        case Noticed(show=show):
            return value and _ADDRESS.sub("", show(value))
        case _:
            return value and value.model_dump(mode="json")


def _limit_values(limits: AgentLimits) -> dict[str, Any]:
    """The limits. A limit that old locks lack is omitted at its default."""
    values = limits.model_dump(mode="json")
    if limits.repeats == AgentLimits().repeats:
        del values["repeats"]
    return values


def diff_agent_field(name: str, old: Any, new: Any) -> Iterator[tuple[str, GovernanceChange]] | None:
    """The changes of one value of `agent_values`, each with its direction; None for another field."""
    setting = locked_settings().get(name)
    match None if setting is None else setting.governed:
        case Grants(verb=verb):
            return _diff_granted(verb, old, new)
        case Bounds():
            known = {"repeats": AgentLimits().repeats}
            return _diff_limits(name, known | (old or {}), known | (new or {}))
        case Wraps():
            return _diff_layers(old or [], new or [])
        case Noticed():
            what = f"its {name.replace('_', ' ')} was {old or 'none'}, and is {new or 'none'}"
            return iter([(what, GovernanceChange.NONE)])
        case Accepts():
            return _diff_accepted(name, new)
        case _:
            return None


def _diff_granted(wording: str, old: list[str] | None, new: list[str] | None) -> Iterator[tuple[str, GovernanceChange]]:
    if new is None:
        yield f"it may {wording} anything now", GovernanceChange.LOOSER
    elif old is None:
        yield f"it may {wording} nothing now but: {', '.join(new) or 'none'}", GovernanceChange.TIGHTER
    else:
        yield from ((f"it may {wording} {each} now", GovernanceChange.LOOSER) for each in sorted(set(new) - set(old)))
        for each in sorted(set(old) - set(new)):
            yield f"it may no longer {wording} {each}", GovernanceChange.TIGHTER


def _diff_limits(field: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, GovernanceChange]]:
    for name in sorted({*old, *new}):
        was, value = old.get(name), new.get(name)
        if was != value:
            is_looser = value is None or (was is not None and value > was)
            words = ("none" if each is None else f"{each:g}" for each in (was, value))
            direction = GovernanceChange.LOOSER if is_looser else GovernanceChange.TIGHTER
            yield f"{field}.{name} {' → '.join(words)}", direction


def _diff_layers(old: list[str], new: list[str]) -> Iterator[tuple[str, GovernanceChange]]:
    removed, added = [each for each in old if each not in new], [each for each in new if each not in old]
    yield from ((f"the layer {each} was removed", GovernanceChange.LOOSER) for each in removed)
    yield from ((f"the layer {each} is new", GovernanceChange.TIGHTER) for each in added)
    if not removed and not added:
        yield "its layers are in another order", GovernanceChange.LOOSER


def _diff_accepted(name: str, new: object) -> Iterator[tuple[str, GovernanceChange]]:
    direction = GovernanceChange.TIGHTER if new is None else GovernanceChange.LOOSER
    yield f"it accepts no {name} now" if new is None else f"it accepts other {name} now", direction
