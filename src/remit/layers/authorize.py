"""Permission: the principal must hold what the callee's facts ask."""

from __future__ import annotations

from dataclasses import dataclass

from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.reply import Reply
from remit.core import Place
from remit.errors import DeniedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Authorize(CallLayer):
    """Refuses calls whose principal lacks a permission that the callee's facts name."""

    place = Place.AUTHORIZE

    def __call__(self, inner: CallService, /) -> CallService:
        """The service that checks before ``inner``."""
        return _Authorize(inner).__call__


class _Authorize:
    __slots__ = ("_inner",)

    def __init__(self, inner: CallService) -> None:
        self._inner = inner

    async def __call__(self, call: Call, /) -> Reply:
        required = call.callee.facts.permissions
        if required:
            principal = call.caller.principal
            lacking = principal.missing_permissions(required)
            if lacking:
                raise DeniedError(
                    f"{principal.name} may not call {call.callee.name}: it needs the permission {', '.join(lacking)}"
                )
        return await self._inner(call)
