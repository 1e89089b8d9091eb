"""Resolves the references of a call to objects, with the application's resolver for each kind."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from types import MappingProxyType
from typing import Any, Final, cast

from pydantic import BaseModel

from remit.call.call import Call
from remit.call.callee import LeafContext
from remit.call.contract import Contract
from remit.call.facts import Effect
from remit.call.gate import has_begun
from remit.call.observing import ObservingContext, observe
from remit.call.redact import redact_error
from remit.call.reference import Candidate, Referent, Unresolved, describe_candidate, find_references
from remit.core.call_checks import check_awaitable, check_callback
from remit.core.checks import as_tuple_of, check_name
from remit.errors import CallError, InternalError, InvalidArgumentsError, NotFoundError, SetupError
from remit.record.current_run import CURRENT_RUN
from remit.record.items import ArgumentsBound, QuestionItem
from remit.record.principal import Principal
from remit.record.secret import redact_secrets
from remit.schemas.suggestions import find_similar

_MAX_NAMED: Final = 10
"""The maximum number of candidates that an error names."""
_MAX_NAME: Final = 200
_MANY: Final = 1000
"""The number of candidates above which the choice runs in a thread, so that other runs continue."""

Resolver = Callable[[LeafContext, str], Awaitable[Iterable[Candidate]]]
"""Finds the objects that a text may denote, and similar ones to suggest: ``await resolver(ctx, text)``."""

CheckTarget = Callable[[str, Principal], Awaitable[None]]
"""Refuses a target unknown to a principal: ``await check_target("bakery/main", principal)``."""

ListTargets = Callable[[Principal], Awaitable[Iterable[str]]]
"""Lists the targets that a principal can choose, the default one first: ``await list_targets(principal)``."""


def check_resolvers(what: str, resolvers: Mapping[str, Resolver]) -> Mapping[str, Resolver]:
    """Return the resolvers by kind, if they are functions.

    Raises:
        SetupError: one is not a function of a context and a text.
    """
    for kind, resolver in resolvers.items():
        check_name(f"a kind in {what}", kind)
        check_callback(f"{what}: {kind}", resolver, "ctx", "text", is_async=True)
    return MappingProxyType(dict(resolvers))


def check_kinds(callees: Iterable[Contract], resolvers: Mapping[str, Resolver]) -> None:
    """Refuse a callee with a reference of a kind that has no resolver, before any call is made.

    Raises:
        SetupError: names the callee and the kind.
    """
    for callee in callees:
        for kind in sorted(callee.schema_in.references - resolvers.keys()):
            raise SetupError(
                f"{callee.name} refers to a {kind}, and the application has no resolver for that; register one: "
                f"App(references={{{kind!r}: …}})"
            )


async def resolve_references(call: Call, *, edited: bool | None = None) -> Call:
    """Resolve the references of a validated call, and record their objects.

    A call that was asked about or has started keeps the recorded objects, as does a replay. Any other re-executed call
    receives their present revisions. ``edited`` says whether the arguments come from an edit, whose editor may have
    written any name and revision, instead of the record; None if the call was just bound.

    Raises:
        NotFoundError: there is no such object. InvalidArgumentsError: a reference may mean several.
    """
    if not call.callee.schema_in.references or call.ledger.execution.is_replaying:
        return call
    items = call.ledger.items_for(call.id)
    # A composed body leaves no record of its start, and must make the same calls when it is executed again.
    settling = (QuestionItem, ArgumentsBound) if call.callee.facts.effect is Effect.COMPOSED else QuestionItem
    is_settled = edited is False or (edited is None and any(isinstance(item, settling) for item in items))
    resolved = await find_referents(call, unresolved_only=is_settled or has_begun(items))
    recorded = next((item.arguments for item in reversed(items) if isinstance(item, ArgumentsBound)), "")
    if resolved is not call and (edited or resolved.canonical_arguments != recorded):
        call.ledger.add(ArgumentsBound(call=call.id, arguments=resolved.canonical_arguments))
    return resolved


async def find_referents(call: Call, *, unresolved_only: bool = False) -> Call:
    """Return the call with the objects that its references mean now. Referents are found by their ids.

    Raises:
        NotFoundError: there is no such object. InvalidArgumentsError: a reference may mean several.
    """
    found: dict[tuple[str, str], Referent] = {}
    for each in find_references(call.payload):
        key = (each.kind, str(each))
        if key not in found and not (unresolved_only and isinstance(each, Referent)):
            try:
                found[key] = await _find_referent(call, each)
            except CallError as error:  # it may name candidates, including data that an inner `Redact` layer removes
                safe = redact_error(error, call.redactions)
                if safe is error:
                    raise
                raise safe from None
    if not found:
        return call
    payload = _replace_values(call.payload, found)
    left = next((each for each in find_references(payload) if isinstance(each, Unresolved)), None)
    if left is not None:
        raise InvalidArgumentsError(
            f"{str(left)!r} is in a part of the arguments where a {left.kind} cannot be inserted"
        )
    return call.with_payload(payload)


async def _find_referent(call: Call, reference: Referent | Unresolved) -> Referent:
    kind, said = reference.kind, str(reference)
    if not said.strip():
        raise InvalidArgumentsError(f"an empty text does not name a {kind}; give an id or a name")
    resolver = CURRENT_RUN.get().resolvers.get(kind)
    if resolver is None:
        raise InternalError(f"{call.callee.name} refers to a {kind}, and no resolver for that is registered")

    async def find() -> tuple[Candidate, ...]:
        found = await check_awaitable(resolver(ObservingContext(call), said))
        return as_tuple_of(Candidate, "a resolver", f"of {kind}", found, "give a Candidate(…)")

    what = f"the resolver of references to a {kind}"
    candidates = await observe(what, find, deadline=call.deadline)
    if len(candidates) > _MANY:
        return await asyncio.to_thread(_make_referent, reference, candidates, what)
    return _make_referent(reference, candidates, what)


def _make_referent(reference: Referent | Unresolved, found: Sequence[Candidate], what: str) -> Referent:
    kind, said, candidates = reference.kind, str(reference), tuple(dict.fromkeys(found))
    [(most_common, count)] = Counter(each.id for each in candidates).most_common(1) or [("", 0)]
    if count > 1:
        raise InternalError(f"{what} failed: it returned {count} different candidates with the id {most_common!r}")
    if isinstance(reference, Referent):
        candidates = tuple(each for each in candidates if each.id == said)
    chosen = _choose(kind, said, candidates)
    text = reference.said if isinstance(reference, Referent) else said
    return Referent(chosen.id, kind, redact_secrets(chosen.name)[:_MAX_NAME], chosen.revision, text, chosen.noun)


def _choose(kind: str, said: str, candidates: Sequence[Candidate]) -> Candidate:
    """Choose the candidate with that id, or else the only one with that name or alias, at last ignoring case."""
    folded = said.strip().casefold()
    matches = (
        [each for each in candidates if each.id == said]
        or [each for each in candidates if said in (each.name, *each.aliases)]
        or [each for each in candidates if folded in {name.casefold() for name in (each.name, *each.aliases)}]
    )
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise InvalidArgumentsError(
            f"{said!r} may mean {len(matches)} objects of the kind {kind}: {_list(matches)}; each has an id of its own"
        )
    by_name = {name.casefold(): each for each in reversed(candidates) for name in (*each.aliases, each.name)}
    near = dict.fromkeys(by_name[name] for name in find_similar(folded, by_name, count=_MAX_NAMED, cutoff=0.4))
    similar = f"; similar: {_list(near)}" if near else ""
    raise NotFoundError(f"there is no {kind} {said!r}{similar}")


def _list(candidates: Iterable[Candidate]) -> str:
    """List candidates for an error. If two share a name, each is shown with its first unique alias."""
    listed = list(candidates)
    more = f", and {len(listed) - _MAX_NAMED} more" if len(listed) > _MAX_NAMED else ""
    names, aliases = Counter(each.name for each in listed), Counter(name for each in listed for name in {*each.aliases})
    told = [
        describe_candidate(
            each, next((name for name in each.aliases if aliases[name] == 1), "") if names[each.name] > 1 else ""
        )
        for each in listed[:_MAX_NAMED]
    ]
    return redact_secrets(", ".join(told)) + more


def describe_referents(payload: BaseModel | None, *, named_only: bool) -> list[str]:
    """The resolved references of a payload, one per line, for the approver.

    With ``named_only``, references that were given as the id or the exact name of their object are omitted.
    """
    referents = (each for each in find_references(payload) if isinstance(each, Referent))
    return list(
        dict.fromkeys(each.describe() for each in referents if not (named_only and each.said in (each, each.name)))
    )


def _replace_values(value: Any, found: Mapping[tuple[str, str], Referent]) -> Any:
    """Copy the parts of a payload that contain references, with referents in their place."""
    if isinstance(value, (Referent, Unresolved)):
        return found.get((value.kind, str(value)), value)
    if isinstance(value, BaseModel):
        changed = _replace_parts(dict(value), found)
        return value.model_copy(update=changed) if changed else value
    if isinstance(value, dict):
        parts = cast("dict[Any, Any]", value)
        return parts | _replace_parts(parts, found)
    if isinstance(value, (list, tuple, set, frozenset)):
        values = cast("list[Any]", value)
        changed = _replace_parts(dict(enumerate(values)), found)
        make = getattr(type(values), "_make", type(values))  # the type of a NamedTuple
        return make(changed.get(place, each) for place, each in enumerate(values)) if changed else values
    if is_dataclass(value) and not isinstance(value, type):
        changed = _replace_parts({each.name: getattr(value, each.name) for each in fields(value)}, found)
        return replace(value, **changed) if changed else value
    return value


def _replace_parts(parts: Mapping[Any, Any], found: Mapping[tuple[str, str], Referent]) -> dict[Any, Any]:
    """Replace the parts that change."""
    changed = {name: _replace_values(each, found) for name, each in parts.items()}
    return {name: each for name, each in changed.items() if each is not parts[name]}
