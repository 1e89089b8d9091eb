"""Validation of arguments against the contract. The resulting payload is used by everything further in."""

from __future__ import annotations

from dataclasses import dataclass

from remit.contracts.binding import bind_arguments, check_bound, needs_checks
from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.reply import Reply
from remit.core import Place
from remit.core.call_checks import check_arguments
from remit.core.checks import check_flag


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Validate(CallLayer):
    """Binds the arguments to the payload model.

    ``strict`` refuses coercion, unknown parameters and duplicate keys; otherwise binding is as lenient as in the base.
    """

    place = Place.VALIDATE
    strict: bool = True

    def __post_init__(self) -> None:
        check_flag("Validate: strict", self.strict)

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
