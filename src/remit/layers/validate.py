"""Validates arguments against the contract and binds them to a payload once, even if a call runs several times.

The layers inside and the body use this payload.
"""

from __future__ import annotations

from dataclasses import dataclass

from remit.call.call import Call, CallLayer, CallService
from remit.call.reply import Reply
from remit.call.resolution import resolve_references
from remit.core import Place
from remit.core.call_checks import check_arguments
from remit.record.artifact import DIGEST_START
from remit.record.items import ArgumentsBound
from remit.record.run_artifacts import check_artifacts


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Validate(CallLayer):
    """Binds the arguments to the payload model.

    ``strict`` refuses coercion, unknown parameters and duplicate keys. Otherwise, binding is as lenient as in the base.
    """

    place = Place.VALIDATE
    strict: bool = True

    def __call__(self, inner: CallService, /) -> CallService:
        """Bind arguments before ``inner``."""
        return _Validate(inner, strict=self.strict).__call__


class _Validate:
    __slots__ = ("_inner", "_strict")

    def __init__(self, inner: CallService, *, strict: bool) -> None:
        self._inner = inner
        self._strict = strict

    async def __call__(self, call: Call, /) -> Reply:
        bound = bind_arguments(call, strict=self._strict)
        return await self._inner(await check_bound(bound) if needs_checks(bound) else bound)


def needs_checks(bound: Call) -> bool:
    """Whether arguments may name an object or artifact that must be looked up. Most do not."""
    return bool(bound.callee.schema_in.references) or DIGEST_START in bound.canonical_arguments


async def check_bound(bound: Call) -> Call:
    """Resolve the references of a bound call, and check that its artifacts are readable.

    Raises:
        InvalidArgumentsError: the contract does not allow the arguments, or a reference may mean several objects.
        NotFoundError: an artifact or object does not exist.
    """
    if bound.callee.schema_in.references:
        bound = await resolve_references(bound)
    await check_artifacts(bound.payload, bound.canonical_arguments)
    return bound


def bind_arguments(call: Call, *, strict: bool = False) -> Call:
    """Return the call with its payload. Computed defaults are recorded and reused on resume, as referents are.

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


async def bind_and_check(call: Call) -> Call:
    """Bind the arguments, then resolve references and check artifacts; see `bind_arguments` and `check_bound`."""
    bound = bind_arguments(call)
    return await check_bound(bound) if needs_checks(bound) else bound
