"""The terms of a run: the names and values that govern it, so that no process continues it under weaker ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from remit.approvals.policy import BLOCKS, UNKNOWN
from remit.call.call import CallLayer, ConditionalLayer, ModelLayer, viewed_layer
from remit.call.callee import AgentLike, Callee
from remit.call.layers import FunctionLayer
from remit.core import Stack
from remit.core.protocols import implements
from remit.layers.approve import Approve
from remit.layers.budget import Budget
from remit.layers.limit import Concurrency, RateLimit
from remit.layers.timeout import Timeout
from remit.record.arguments import Limits
from remit.record.principal import ANONYMOUS, WILDCARD, Principal
from remit.record.secret import redact_secrets
from remit.schemas.jsontext import compact_json

Numbers = Mapping[str, float | None]
"""Limits by name; None for no limit."""


class RuleTerm(NamedTuple):
    """A policy rule's name, and the strictness of its verdict; see `Policy.rule_strictness`."""

    name: str
    strictness: int


class ScopeTerms(msgspec.Struct, frozen=True, omit_defaults=True):
    """The policies, layer names and limits that govern a run's calls, or the calls of and by one callee.

    The rules in ``policies`` are in order, because the first rule with a verdict decides. An agent is narrowed to
    ``tools`` and ``permissions``; None means no restriction.
    """

    policies: tuple[tuple[RuleTerm, ...], ...] = ()
    layers: tuple[str, ...] = ()
    limits: dict[str, float] = {}
    tools: tuple[str, ...] | None = None
    permissions: tuple[str, ...] | None = None

    @property
    def rules(self) -> list[str]:
        """The names of all rules."""
        return [rule.name for policy in self.policies for rule in policy]


Terms = dict[str, ScopeTerms]
"""The terms of a run under an empty name, and those of reachable agents and tools under their names."""


class PresentTerms(dict[str, ScopeTerms]):
    """The terms of runs in this process, with cached JSON."""

    @cached_property
    def text(self) -> str:
        """The JSON of the terms."""
        return _encode(self)


class GovernedCallee(NamedTuple):
    """A callee and the governance inside it: an agent's limits, and layers around its calls, requests and steps."""

    callee: Callee[..., Any]
    inner_layers: Iterable[object] = ()
    limits: Numbers = MappingProxyType({})


class LostTerm(NamedTuple):
    """A term of a run that the current process lacks: its name, and a sentence that describes it."""

    name: str
    description: str


def describe_terms(
    layers: Stack[CallLayer], limits: Limits | None = None, callees: Iterable[GovernedCallee] = ()
) -> PresentTerms:
    """Describe the terms of runs under these run layers and limits, with the terms of callees."""
    of_run = _describe(layers, {f"Limits.{name}": value for name, value in (asdict(limits) if limits else {}).items()})
    return PresentTerms({"": of_run} | {each.callee.name: _describe_callee(each) for each in callees})


def encode_terms(terms: Terms) -> str:
    """Encode terms as canonical JSON: each scope once, with the names that it governs.

    Callees without terms are omitted.
    """
    return terms.text if isinstance(terms, PresentTerms) else _encode(terms)


def _encode(terms: Terms) -> str:
    names_by_scope: dict[str, list[str]] = {}
    for name in sorted(terms):
        scope = msgspec.json.encode(terms[name], order="sorted").decode()
        if scope != "{}":
            names_by_scope.setdefault(scope, []).append(name)
    pairs = [f"[{compact_json(names)},{scope}]" for scope, names in names_by_scope.items()]
    return f"[{','.join(pairs)}]"


def find_lost(pinned: str, present: Terms, *, caller: str = "") -> list[LostTerm]:
    """Find the terms in ``pinned`` (JSON; empty for none) that ``present`` lacks or loosens.

    A callee that no longer exists neither makes nor receives calls, so its terms do not count as lost. The exception is
    ``caller``, the agent in whose name the run's root call is made.
    """
    if not pinned or pinned == encode_terms(present):
        return []
    pairs = _pair_scopes(pinned, present, caller)
    return [lost for name, (was, now) in pairs.items() for lost in _compare(name, was, now)]


def loosen_terms(pinned: str, present: Terms, *, caller: str = "") -> str:
    """The pinned terms as JSON, without those that ``present`` lacks or loosens."""
    pairs = _pair_scopes(pinned, present, caller)
    return encode_terms(_read_terms(pinned) | {name: _loosen(was, now) for name, (was, now) in pairs.items()})


def inherit_terms(pinned: str, present: Terms, *, caller: str = "") -> str:
    """The terms, as JSON, of a run that another run starts: the stricter ones of the present and the other's terms.

    A run that may continue under less, because a person said so, hands nothing of that on.
    """
    if not pinned:
        return encode_terms(present)
    pairs = _pair_scopes(pinned, present, caller)
    lost = {name: was for name, (was, now) in pairs.items() if any(True for _ in _compare(name, was, now))}
    return encode_terms(present | lost)


def _pair_scopes(pinned: str, present: Terms, caller: str) -> dict[str, tuple[ScopeTerms, ScopeTerms]]:
    """Pair the pinned and current terms, by name, of callees that still make calls."""
    pairs = {name: (was, present.get(name)) for name, was in _read_terms(pinned).items()}
    return {
        # An agent that is gone makes no requests, so its own limits do not count as lost.
        name: (was, now or ScopeTerms(limits={each: value for each, value in was.limits.items() if "." not in each}))
        for name, (was, now) in pairs.items()
        if now is not None or name == caller
    }


def _read_terms(pinned: str) -> Terms:
    groups = msgspec.json.decode(pinned, type=list[tuple[list[str], ScopeTerms]]) if pinned else []
    return {name: scope for names, scope in groups for name in names}


def _describe_callee(governed: GovernedCallee) -> ScopeTerms:
    callee, rate = governed.callee, governed.callee.facts.rate
    facts = {"timeout": callee.facts.timeout, "rate": None if rate is None else rate.calls / rate.seconds}
    scope = _describe((*callee.layers, *governed.inner_layers), {**governed.limits, **facts})
    if not implements(callee, AgentLike):
        return scope
    narrowed = {"tools": callee.tool_scope, "permissions": callee.permissions}
    sorted_names = {name: None if each is None else tuple(sorted(each)) for name, each in narrowed.items()}
    return msgspec.structs.replace(scope, **sorted_names)


def _describe(layers: Iterable[object], limits: Numbers) -> ScopeTerms:
    policies, names = list[tuple[RuleTerm, ...]](), list[str]()
    values = [*limits.items()]
    for layer in layers:
        condition, inner = _split_condition(layer)
        name = redact_secrets(inner.name if isinstance(inner, FunctionLayer) else type(inner).__name__) + condition
        names.append(name)
        values += [(f"{name}.{each}", value) for each, value in _limits_of(inner)]
        if isinstance(inner, Approve):
            strictness = inner.policy.rule_strictness
            policies.append(tuple(RuleTerm(redact_secrets(rule) + condition, each) for rule, each in strictness))
    set_values = ((name, float(value)) for name, value in values if value is not None)
    return ScopeTerms(policies=tuple(policies), layers=tuple(names), limits=dict(sorted(set_values, reverse=True)))


def _limits_of(layer: object) -> Iterator[tuple[str, float | None]]:
    """The values of a layer that limit a run, keyed by name."""
    match layer:
        case Approve():
            yield "max_questions", layer.max_questions
        case Budget():
            yield from ((name, getattr(layer, name)) for name in ("calls", "tokens", "depth", "cost", "seconds"))
            yield "windows_per_hour", 3600 / layer.window
            for window in layer.windows:
                yield from ((f"{window.name}: {each}", window.limit) for each in window.terms)
        case Concurrency():
            yield "calls", layer.calls
        case RateLimit():
            yield "calls", layer.calls
            yield "calls_per_second", layer.calls / layer.seconds
        case Timeout():
            yield "seconds", layer.seconds
            if layer.of_all_executions:
                yield "seconds of all executions", layer.seconds
        case _:
            pass


def _split_condition(layer: object) -> tuple[str, object]:
    """Split a layer into its condition, as text that is empty for all calls, and the layer itself."""
    text = ""
    while isinstance(layer, ConditionalLayer):
        text += f" for {', '.join(sorted(layer.tools | layer.agents)) or 'some tools'}"
        layer = layer.layer
    if not isinstance(layer, CallLayer):
        text += " of models" if isinstance(layer, ModelLayer) else " of steps"
    return text, viewed_layer(layer)


def _compare(callee: str, pinned: ScopeTerms, present: ScopeTerms) -> Iterator[LostTerm]:
    prefix, of_callee = (f"{callee}: ", f" of {callee}") if callee else ("", "")
    for name, problem in _find_lost_rules(pinned, present):
        yield LostTerm(prefix + name, f"the rule {name!r}{of_callee}{problem}")
    for name in Counter(pinned.layers) - Counter(present.layers):
        yield LostTerm(prefix + name, f"the layer {name!r}{of_callee}")
    for name, was in pinned.limits.items():
        now = present.limits.get(name, math.inf)
        if now > was:
            yield LostTerm(prefix + name, f"the limit {name} of {was:g}{of_callee}, now {now:g}")
    may = Principal(ANONYMOUS, permissions=frozenset(pinned.permissions or ())).may
    scopes = (("tools", pinned.tools, present.tools), ("permissions", pinned.permissions, present.permissions))
    for name, was, now in scopes:
        added = [] if was is None else [WILDCARD] if now is None else [each for each in now if each not in was]
        if name == "permissions":
            added = [each for each in added if not may(each)]
        if added:
            yield LostTerm(prefix + name, f"the {name}{of_callee} without {', '.join(added)}")


def _find_lost_rules(pinned: ScopeTerms, present: ScopeTerms) -> Iterator[tuple[str, str]]:
    """Find rules that are missing, laxer, or now preceded by a laxer one, each with the reason."""
    missing = Counter(pinned.rules) - Counter(present.rules)
    yield from ((name, "") for name in missing)
    for policy in pinned.policies:
        for place, rule in enumerate(policy):
            before = {each.name for each in policy[: place + 1]}
            for other in () if rule.name in missing else present.policies:
                if rule.name in (names := [each.name for each in other]):
                    at = names.index(rule.name)
                    if UNKNOWN < other[at].strictness < rule.strictness:
                        yield rule.name, ", which is laxer now"
                    elif first := [each for each in other[:at] if each.name not in before and _is_laxer(each, rule)]:
                        yield rule.name, f" before {first[0].name!r}"


def _is_laxer(rule: RuleTerm, than: RuleTerm) -> bool:
    """Whether a rule may let a call pass that the other would stop. Verdicts of custom code are unknown."""
    strictest = BLOCKS if than.strictness == UNKNOWN else than.strictness
    return rule.strictness < strictest


def _loosen(pinned: ScopeTerms, present: ScopeTerms) -> ScopeTerms:
    lost = {name for name, _ in _find_lost_rules(pinned, present)}
    policies = (tuple(rule for rule in policy if rule.name not in lost) for policy in pinned.policies)
    limits = {name: max(was, present.limits.get(name, math.inf)) for name, was in pinned.limits.items()}
    return ScopeTerms(
        policies=tuple(each for each in policies if each),
        layers=tuple((Counter(pinned.layers) & Counter(present.layers)).elements()),
        limits={name: value for name, value in limits.items() if value < math.inf},
        tools=_unite(pinned.tools, present.tools),
        permissions=_unite(pinned.permissions, present.permissions),
    )


def _unite(was: tuple[str, ...] | None, now: tuple[str, ...] | None) -> tuple[str, ...] | None:
    return None if was is None or now is None else tuple(sorted({*was, *now}))
