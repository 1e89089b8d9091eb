"""Authorization: the principal must hold the permissions that the callee's facts require."""

from __future__ import annotations

from dataclasses import dataclass

from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.reply import Reply
from remit.core import Place
from remit.core.call_checks import check_arguments
from remit.errors import DeniedError


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Authorize(CallLayer):
    """Refuses calls whose principal lacks a required permission."""

    place = Place.AUTHORIZE

    def __call__(self, inner: CallService, /) -> CallService:
        """Check permissions before ``inner``."""
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
                target = f" for the target {call.caller.target}" if call.caller.target else ""
                raise DeniedError(
                    f"{principal.name} may not call {call.callee.name}: missing permission {', '.join(lacking)}{target}"
                )
        return await self._inner(call)
