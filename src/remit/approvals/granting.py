"""Standing grants: which calls they answer, and how one is written."""

from __future__ import annotations

import json
from typing import Any, cast

from remit.approvals.policy import Ask
from remit.contracts.arguments import Limits, parse
from remit.contracts.call import Call
from remit.contracts.contract import Contract, definition_digest
from remit.contracts.grant import LIKE, Grant, fits
from remit.contracts.question import Decision, Question
from remit.errors import InvalidError
from remit.schemas.jsontext import canonical_text


async def standing_grant(call: Call, ask: Ask, version: str, editor: str = "") -> Grant | None:
    """A grant that answers what a rule asks about a call, if one stands. Nothing of it is used up yet."""
    found = await call.ledger.grants(call.caller.principal.tenant, call.callee.name)
    return next((grant for grant in found if _answers(grant, call, ask, version, editor)), None)


async def used_grant(call: Call, ask: Ask, version: str, editor: str) -> Grant | None:
    """The same, with one of its calls used up for this one."""
    while True:
        grant = await standing_grant(call, ask, version, editor)
        if grant is None or await call.ledger.use(grant.id):
            return grant


def by_grant(question: Question, grant: Grant, now: float) -> Decision:
    """The yes that a person gave beforehand."""
    return Decision(question=question.id, approved=True, by=grant.by, reason=grant.reason, at=now, grant=grant.id)


def _answers(grant: Grant, call: Call, ask: Ask, version: str, editor: str) -> bool:
    """Whether it is for this principal, definition, policy and permission, and the arguments are of its pattern."""
    principal = call.caller.principal
    bound = (principal.tenant, call.callee.name, principal.name, definition_digest(call.callee), version, ask.who)
    if bound != (grant.tenant, grant.tool, grant.principal, grant.definition, grant.policy, grant.who):
        return False
    if ask.four_eyes and grant.by in (principal.name, editor):
        return False
    return fits(grant.arguments, call.canonical)


def check_pattern(callee: Contract, raw: str, limits: Limits) -> str:
    """The pattern of a grant, in canonical form.

    Raises:
        InvalidError: it is no JSON object, names what is no parameter, or says nothing of how a text must be.
    """
    parsed = parse(raw, limits)
    if parsed.value is None or parsed.flaw:
        raise InvalidError(parsed.error or parsed.flaw)
    known = callee.schema_in.json_schema.get("properties", {})
    unknown = sorted(set(parsed.value) - set(known))
    if unknown:
        raise InvalidError(f"{unknown[0]}: no such parameter. Parameters: {', '.join(known) or 'none'}")
    _check_shapes(parsed.value)
    return canonical_text(parsed.value)


def _check_shapes(value: object) -> None:
    if isinstance(value, list):
        for part in cast("list[Any]", value):
            _check_shapes(part)
    elif isinstance(value, dict):
        named = cast("dict[str, Any]", value)
        if LIKE in named and (len(named) > 1 or not isinstance(named[LIKE], str)):
            raise InvalidError(f'{json.dumps(named)}: write {{"{LIKE}": "blog-*"}}, with a text and nothing beside it')
        for part in named.values():
            _check_shapes(part)
