"""Authorization: what the callee's facts require of the principal, and to whom they make the callee visible."""

from __future__ import annotations

from dataclasses import dataclass

from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.classification import EXPERIMENT_PERMISSION, Visibility
from remit.contracts.reply import Reply
from remit.core import Place
from remit.core.call_checks import check_arguments
from remit.errors import BlockedError, DeniedError


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Authorize(CallLayer):
    """Refuses calls whose principal lacks a required permission, and calls that the callee's visibility excludes.

    An internal callee is called by the code of other operations only: not by a model, a command or a request from
    outside. An experimental one needs the permission ``tools:experiment``.
    """

    place = Place.AUTHORIZE

    def __call__(self, inner: CallService, /) -> CallService:
        """Check permissions and visibility before ``inner``."""
        return _Authorize(inner).__call__


class _Authorize:
    __slots__ = ("_inner",)

    def __init__(self, inner: CallService) -> None:
        self._inner = inner

    async def __call__(self, call: Call, /) -> Reply:
        facts = call.callee.facts
        if facts.visibility is not Visibility.PUBLIC:
            _check_visibility(call, facts.visibility)
        required = facts.permissions
        if required:
            principal = call.caller.principal
            lacking = principal.missing_permissions(required)
            if lacking:
                target = f" for the target {call.caller.target}" if call.caller.target else ""
                raise DeniedError(
                    f"{principal.name} may not call {call.callee.name}: missing permission {', '.join(lacking)}{target}"
                )
        return await self._inner(call)


def _check_visibility(call: Call, visibility: Visibility) -> None:
    caller, name = call.caller, call.callee.name
    if visibility is Visibility.INTERNAL and (call.wire_id or not caller.call):
        raise BlockedError(f"{name} is internal: only other operations call it")
    if visibility is Visibility.EXPERIMENTAL and not caller.principal.may(EXPERIMENT_PERMISSION):
        raise BlockedError(
            f"{name} is experimental: {caller.principal.name} needs the permission {EXPERIMENT_PERMISSION}"
        )
