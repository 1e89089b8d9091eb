"""Authorization: the permissions that a callee's facts require, and the callee's visibility."""

from __future__ import annotations

from collections.abc import Callable
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
from remit.record.current_run import CURRENT_RUN
from remit.record.principal import Principal, check_found_principal


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Authorize(CallLayer):
    """Refuses calls whose principal lacks a required permission, and calls that the callee's visibility excludes.

    If the runtime has a directory, the principal must hold the permissions at each call, not only when the run began to
    execute. A replay only compares.

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
            look_up = CURRENT_RUN.get().look_up
            if refused is None and look_up is not None and not call.ledger.execution.is_replaying:
                refused = _why_denied_now(call, look_up, is_by_code=is_by_code)
            if refused is not None:
                raise refused
        return await self._inner(call)


def _why_denied_now(
    call: Call, look_up: Callable[[str, str], Principal | None], *, is_by_code: bool
) -> CallError | None:
    """The error if permissions of the principal were taken away since the run began to execute."""
    name, tenant, target = call.caller.principal.name, call.caller.principal.tenant, call.caller.target
    found = check_found_principal(look_up(name, tenant), name, tenant)
    if found is None:
        return DeniedError(f"{name} may not call {call.callee.name}: {name} is unknown now")
    refused = _why_invisible(call.callee, found.at(target), is_by_code=is_by_code)
    return refused or _why_denied(call.callee, found.at(target), target)


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
