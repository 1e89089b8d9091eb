"""Binds the arguments of a call to its payload: once, however often the call is executed."""

from __future__ import annotations

from remit.contracts.artifact import check_artifacts, mentions_artifacts
from remit.contracts.call import Call
from remit.contracts.items import ArgumentsBound
from remit.contracts.resolution import resolve_references


def needs_checks(bound: Call) -> bool:
    """Whether arguments may name something that has to be looked up: an object or an artifact. Most name none."""
    return bool(bound.callee.schema_in.references) or mentions_artifacts(bound.canonical_arguments)


async def check_bound(bound: Call) -> Call:
    """Return a bound call with its references resolved and its artifacts checked for being readable.

    Raises:
        InvalidArgumentsError: the contract does not allow the arguments, or a reference may mean several objects.
        NotFoundError: there is no such artifact or object.
    """
    if bound.callee.schema_in.references:
        bound = await resolve_references(bound)
    await check_artifacts(bound.payload, bound.canonical_arguments)
    return bound


def bind_arguments(call: Call, *, strict: bool = False) -> Call:
    """Return the call with its payload. Computed defaults are recorded, and used again on resume like referents.

    Raises:
        InvalidArgumentsError: the contract does not allow the arguments.
    """
    schema, ledger = call.callee.schema_in, call.ledger
    bound = call.with_payload(schema.bind(call.arguments, strict=strict))
    if not schema.computes_defaults and not schema.references:
        return bound
    recorded = [item for item in ledger.items_for(call.id) if isinstance(item, ArgumentsBound)]
    if recorded:
        try:
            return call.with_payload(schema.load(recorded[-1].arguments))
        except ValueError:  # the contract has changed since
            return bound
    if schema.computes_defaults:
        ledger.add(ArgumentsBound(call=call.id, arguments=bound.canonical_arguments))
    return bound
