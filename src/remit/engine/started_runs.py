"""Runs that may do less than their principal, at their start and on every resume.

A run that the body of a call starts has the cage of that call. A run that an API token opens has its permissions.
"""

from __future__ import annotations

from msgspec import structs

from remit.errors import RequestDeniedError
from remit.record.items import OPEN_RUN, RunOpened
from remit.record.principal import Caller, Principal, common_limits
from remit.record.target import permissions_at


def check_started_by(caller: Caller, by: Principal, target: str) -> None:
    """Refuse a run whose principal or target differs from those of the call whose body starts it.

    Raises:
        RequestDeniedError: names both.
    """
    own = caller.principal
    if (by.tenant, by.name) != (own.tenant, own.name):
        raise RequestDeniedError(
            f"run {caller.run} of {own.name!r} may not start a run for {by.name!r}; pass ctx.caller.principal"
        )
    if target not in ("", caller.target):
        has = f"the target {caller.target!r}" if caller.target else "no target"
        raise RequestDeniedError(f"run {caller.run} has {has}, so it may not start a run for {target!r}")


def with_cage(header: RunOpened, caller: Caller) -> RunOpened:
    """The header of a run that a body starts, with the agent, tool scope and narrowed permissions of its caller."""
    scope, allowed = caller.tool_scope, caller.allowed
    return structs.replace(
        header,
        agent=caller.agent,
        target=caller.target,
        started_by=caller.run,
        tool_scope=None if scope is None else tuple(sorted(scope)),
        permissions=None if allowed is None else tuple(sorted(allowed)),
    )


def with_limits(header: RunOpened, principal: Principal) -> RunOpened:
    """The header of a run that ``principal`` opens, also with the limits under which it was authenticated."""
    if principal.allowed is None:
        return header
    limits = common_limits(_limits_of(header), permissions_at(principal.allowed, header.target))
    return structs.replace(header, permissions=None if limits is None else tuple(sorted(limits)))


def with_cage_of(header: RunOpened, announcing: RunOpened) -> RunOpened:
    """The header of a run that executes a call announced by another run, with the limits of both."""
    limits = common_limits(_limits_of(header), _limits_of(announcing))
    return structs.replace(
        header,
        started_by=announcing.started_by,
        tool_scope=announcing.tool_scope,
        permissions=None if limits is None else tuple(sorted(limits)),
    )


def _limits_of(header: RunOpened) -> frozenset[str] | None:
    return None if header.permissions is None else frozenset(header.permissions)


def root_caller(run: str, header: RunOpened, principal: Principal) -> Caller:
    """The caller of the call at the root of a run, in the cage that its header pins."""
    caller = Caller(
        run,
        header.agent,
        "",
        -1 if header.callee == OPEN_RUN else 0,  # the calls of an open run are those from outside
        principal.at(header.target),
        header.conversation,
        header.application,
        tool_scope=None if header.tool_scope is None else frozenset(header.tool_scope),
        target=header.target,
        metadata=header.metadata,
    )
    return caller if header.permissions is None else caller.narrow_to(frozenset(header.permissions))
