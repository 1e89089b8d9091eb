"""Finds and uses grants that cover a call, and parses their patterns."""

from __future__ import annotations

import json
from typing import Any, cast

from remit.approvals.authority import is_granted
from remit.approvals.policy import Ask
from remit.call.call import Call
from remit.call.contract import Contract, definition_digest
from remit.errors import InvalidArgumentsError
from remit.record.arguments import Limits, parse_arguments
from remit.record.grant import LIKE_KEY, Grant, matches_pattern
from remit.record.question import Decision, Question
from remit.schemas.jsontext import canonical_text


async def find_usable_grant(call: Call, ask: Ask, version: str, editor: str = "") -> Grant | None:
    """Find a grant that covers the call, without using it up."""
    return next(iter(await _list_usable_grants(call, ask, version, editor)), None)


async def consume_grant(call: Call, ask: Ask, version: str, editor: str) -> Grant | None:
    """Find a grant that covers the call and use up one of its calls."""
    for grant in await _list_usable_grants(call, ask, version, editor):
        is_used = await call.ledger.decisions.use_grant(grant.id)
        if is_used:  # otherwise it was used up meanwhile, or has expired by the store's clock
            return grant
    return None


async def _list_usable_grants(call: Call, ask: Ask, version: str, editor: str) -> list[Grant]:
    """The grants that cover the call and whose grantors still have the permission to give them."""
    grants = await call.ledger.decisions.usable_grants(call.caller.principal.tenant, call.callee.name)
    return [grant for grant in grants if is_granted(grant) and _grant_covers(grant, call, ask, version, editor)]


def decide_by_grant(question: Question, grant: Grant, now: float) -> Decision:
    """Make a grant's decision on a question."""
    return Decision(question=question.id, approved=True, by=grant.by, reason=grant.reason, at=now, grant=grant.id)


def _grant_covers(grant: Grant, call: Call, ask: Ask, version: str, editor: str) -> bool:
    """Whether a grant matches the principal, target, definition, policy, permission and arguments."""
    principal = call.caller.principal
    binding = (principal.tenant, call.caller.target, call.callee.name, principal.name, version, ask.who)
    if binding != (grant.tenant, grant.target, grant.tool, grant.principal, grant.policy, grant.who):
        return False
    if grant.definition != definition_digest(call.callee):
        return False
    if ask.four_eyes and grant.by in (principal.name, editor):
        return False
    return matches_pattern(grant.arguments, call.canonical_arguments)


def parse_pattern(callee: Contract, raw: str, limits: Limits) -> str:
    """Parse the pattern of a grant into canonical form.

    Raises:
        InvalidArgumentsError: it is not a JSON object, names an unknown parameter, or has a malformed `LIKE_KEY`.
    """
    parsed = parse_arguments(raw, limits)
    if parsed.value is None or parsed.strict_error:
        raise InvalidArgumentsError(parsed.error or parsed.strict_error)
    parameters = callee.schema_in.json_schema.get("properties", {})
    unknown = sorted(set(parsed.value) - set(parameters))
    if unknown:
        raise InvalidArgumentsError(f"{unknown[0]}: no such parameter. Parameters: {', '.join(parameters) or 'none'}")
    _check_like_patterns(parsed.value)
    return canonical_text(parsed.value)


def _check_like_patterns(value: object) -> None:
    if isinstance(value, list):
        for part in cast("list[Any]", value):
            _check_like_patterns(part)
    elif isinstance(value, dict):
        mapping = cast("dict[str, Any]", value)
        if LIKE_KEY in mapping and (len(mapping) > 1 or not isinstance(mapping[LIKE_KEY], str)):
            raise InvalidArgumentsError(
                f'{json.dumps(mapping)}: write {{"{LIKE_KEY}": "blog-*"}}, with text and no other key'
            )
        for part in mapping.values():
            _check_like_patterns(part)
