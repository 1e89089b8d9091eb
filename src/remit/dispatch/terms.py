"""The terms of a run: what governs it, by name and value, so that no process continues it under less."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final, NamedTuple

import msgspec

from remit.contracts.arguments import Limits
from remit.contracts.call import CallLayer, ConditionalLayer, viewed_layer
from remit.contracts.callee import AgentLike, Callee
from remit.contracts.layers import FunctionLayer
from remit.contracts.principal import WILDCARD, Principal
from remit.core import Stack
from remit.layers.approve import Approve
from remit.layers.budget import Budget
from remit.layers.limit import Concurrency, RateLimit
from remit.layers.timeout import Timeout

Numbers = Mapping[str, float | None]
"""Limits by name; None for no limit."""


class ScopeTerms(msgspec.Struct, frozen=True, omit_defaults=True):
    """What governs the calls of a run, or those of and by one callee: names of rules and layers, and values of limits.

    ``tools`` and ``permissions`` are those to which an agent is narrowed; None for no restriction.
    """

    rules: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    limits: dict[str, float] = {}
    tools: tuple[str, ...] | None = None
    permissions: tuple[str, ...] | None = None


Terms = dict[str, ScopeTerms]
"""The terms of a run under an empty name, and those of the agents and tools that it can reach under theirs."""


class LostTerm(NamedTuple):
    """A term under which a run was opened, and which a process lacks: its name, and what it is in a sentence."""

    name: str
    description: str


_VALUES: Final[Mapping[type, tuple[str, ...]]] = {
    Approve: ("max_questions",),
    Budget: ("calls", "tokens", "depth", "cost", "seconds"),
    Concurrency: ("calls",),
    RateLimit: ("calls",),
    Timeout: ("seconds",),
}
"""The values of a layer that limit a run."""


def describe_terms(
    layers: Stack[CallLayer], limits: Limits | None = None, callees: Iterable[tuple[Callee[..., Any], Numbers]] = ()
) -> Terms:
    """The terms of runs under these run layers and limits, with callees and the limits of those that are agents."""
    of_run = _describe(layers, {f"Limits.{name}": value for name, value in (asdict(limits) if limits else {}).items()})
    return {"": of_run} | {each.name: _describe_callee(each, own) for each, own in callees}


def encode_terms(terms: Terms) -> str:
    """The terms as JSON, equal for equal terms. Callees without any are left out."""
    return msgspec.json.encode(
        {name: each for name, each in terms.items() if each != _NO_TERMS}, order="sorted"
    ).decode()


def find_lost(pinned: str, present: Terms) -> list[LostTerm]:
    """The terms among ``pinned`` (JSON; empty for none) that ``present`` lacks or exceeds.

    Callees that there are no longer neither make calls nor are called, so theirs are not missed.
    """
    if not pinned or pinned == encode_terms(present):
        return []
    scopes = msgspec.json.decode(pinned, type=Terms)
    return [lost for name, each in scopes.items() if name in present for lost in _compare(name, each, present[name])]


_NO_TERMS: Final = ScopeTerms()


def _describe_callee(callee: Callee[..., Any], limits: Numbers) -> ScopeTerms:
    limits = {**limits, "timeout": callee.facts.timeout}
    if not isinstance(callee, AgentLike):
        return _describe(callee.layers, limits)
    scope = _describe(Stack(callee.layers, callee.call_layers), limits)
    narrowed = {"tools": callee.tool_scope, "permissions": callee.permissions}
    sorted_names = {name: None if each is None else tuple(sorted(each)) for name, each in narrowed.items()}
    return msgspec.structs.replace(scope, **sorted_names)


def _describe(layers: Iterable[CallLayer], limits: Numbers) -> ScopeTerms:
    rules, names = list[str](), list[str]()
    values = [*limits.items()]
    for layer in layers:
        condition, inner = _split_condition(layer)
        name = inner.name if isinstance(inner, FunctionLayer) else type(inner).__name__
        names.append(name + condition)
        values += [(f"{name}{condition}.{each}", getattr(inner, each)) for each in _VALUES.get(type(inner), ())]
        if isinstance(inner, Approve):
            rules += [f"{each}{condition}" for each in inner.policy.names]
    set_values = ((name, value) for name, value in values if value is not None)
    return ScopeTerms(rules=tuple(rules), layers=tuple(names), limits=dict(sorted(set_values, reverse=True)))


def _split_condition(layer: CallLayer) -> tuple[str, object]:
    """For which calls a layer stands, as text that is empty for all, and the layer itself."""
    text = ""
    while isinstance(layer, ConditionalLayer):
        text += f" for {', '.join(sorted(layer.tools | layer.agents)) or 'some tools'}"
        layer = layer.layer
    return text, viewed_layer(layer)


def _compare(callee: str, pinned: ScopeTerms, present: ScopeTerms) -> Iterator[LostTerm]:
    prefix, of_callee = (f"{callee}: ", f" of {callee}") if callee else ("", "")
    for kind, was, now in (("rule", pinned.rules, present.rules), ("layer", pinned.layers, present.layers)):
        for name in Counter(was) - Counter(now):
            yield LostTerm(prefix + name, f"the {kind} {name!r}{of_callee}")
    for name, was in pinned.limits.items():
        now = present.limits.get(name, math.inf)
        if now > was:
            yield LostTerm(prefix + name, f"the limit {name} of {was:g}{of_callee}, now {now:g}")
    may = Principal("", permissions=frozenset(pinned.permissions or ())).may
    scopes = (("tools", pinned.tools, present.tools), ("permissions", pinned.permissions, present.permissions))
    for name, was, now in scopes:
        added = [] if was is None else [WILDCARD] if now is None else [each for each in now if each not in was]
        if name == "permissions":
            added = [each for each in added if not may(each)]
        if added:
            yield LostTerm(prefix + name, f"the {name}{of_callee} without {', '.join(added)}")
