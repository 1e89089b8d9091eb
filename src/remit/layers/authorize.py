"""Authorization: the permissions that a callee's facts require, and who may call it at all."""

from __future__ import annotations

from dataclasses import dataclass

from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.classification import EXPERIMENT_PERMISSION, Visibility
from remit.contracts.contract import Contract
from remit.contracts.principal import Principal
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
        facts, caller = call.callee.facts, call.caller
        if facts.permissions or facts.visibility is not Visibility.PUBLIC:
            is_by_code = bool(caller.call) and not call.wire_id
            refused = why_refused(call.callee, caller.principal, caller.target, is_by_code=is_by_code)
            if refused is not None:
                raise refused
        return await self._inner(call)


def why_hidden(callee: Contract, principal: Principal, *, is_by_code: bool = False) -> BlockedError | None:
    """The error with which a callee's visibility refuses a call; None if it does not.

    ``is_by_code``: made by the code of another operation.
    """
    visibility, name = callee.facts.visibility, callee.name
    if visibility is Visibility.INTERNAL and not is_by_code:
        return BlockedError(f"{name} is internal: only other operations can call it")
    if visibility is Visibility.EXPERIMENTAL and not principal.may(EXPERIMENT_PERMISSION):
        return BlockedError(f"{name} is experimental: {principal.name} needs the permission {EXPERIMENT_PERMISSION}")
    return None


def why_refused(
    callee: Contract, principal: Principal, target: str, *, is_by_code: bool = False
) -> BlockedError | DeniedError | None:
    """The error with which a callee's facts refuse a call of ``principal`` on ``target``; None if they allow it.

    ``is_by_code``: made by the code of another operation.
    """
    hidden = why_hidden(callee, principal, is_by_code=is_by_code)
    if hidden is not None:
        return hidden
    lacking = principal.missing_permissions(callee.facts.permissions)
    if lacking:
        suffix = f" for the target {target}" if target else ""
        return DeniedError(
            f"{principal.name} may not call {callee.name}: missing permission {', '.join(lacking)}{suffix}"
        )
    return None
