"""Authorization: the permissions that a callee's facts require, and the callee's visibility."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from remit.call.call import Call, CallLayer, CallService
from remit.call.callee import Callee
from remit.call.classification import EXPERIMENT_PERMISSION, Visibility
from remit.call.contract import Contract
from remit.call.gate import why_closed
from remit.call.reply import Reply
from remit.core import Place
from remit.core.call_checks import check_arguments
from remit.errors import BlockedError, CallError, DeniedError
from remit.record.principal import Principal


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Authorize(CallLayer):
    """Refuses calls whose principal lacks a required permission, and calls that the callee's visibility excludes.

    An internal callee can be called only by the code of other operations, not by a model, a command or an external
    request. An experimental callee requires the permission ``tools:experiment``.
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
            is_by_code = not caller.is_outside and not call.wire_id
            refused = _why_invisible(call.callee, caller.principal, is_by_code=is_by_code)
            refused = refused or _why_denied(call.callee, caller.principal, caller.target)
            if refused is not None:
                raise refused
        return await self._inner(call)


def why_hidden(callee: Callee[..., Any], principal: Principal) -> CallError | None:
    """The error if a callee's visibility or a closed gate refuses all external calls.

    None means that the callee may be shown to models and programs.
    """
    return _why_invisible(callee, principal) or why_closed(callee)


def why_refused(callee: Callee[..., Any], principal: Principal, target: str) -> CallError | None:
    """The error if a callee refuses all external calls by ``principal`` on ``target``, else None.

    A refused callee is not offered. Reasons are a missing permission and those of `why_hidden`.
    """
    return why_hidden(callee, principal) or _why_denied(callee, principal, target)


def _why_invisible(callee: Contract, principal: Principal, *, is_by_code: bool = False) -> BlockedError | None:
    """``is_by_code``: the call is made by the code of another operation."""
    visibility, name = callee.facts.visibility, callee.name
    if visibility is Visibility.INTERNAL and not is_by_code:
        return BlockedError(f"{name} is internal: only other operations can call it")
    if visibility is Visibility.EXPERIMENTAL and not principal.may(EXPERIMENT_PERMISSION):
        return BlockedError(f"{name} is experimental: {principal.name} needs the permission {EXPERIMENT_PERMISSION}")
    return None


def _why_denied(callee: Contract, principal: Principal, target: str) -> DeniedError | None:
    lacking = principal.missing_permissions(callee.facts.permissions)
    if not lacking:
        return None
    suffix = f" for the target {target}" if target else ""
    return DeniedError(f"{principal.name} may not call {callee.name}: missing permission {', '.join(lacking)}{suffix}")
