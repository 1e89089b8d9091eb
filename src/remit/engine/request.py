"""What a new run is to be, and the ids of runs: new ones, and those of requests, the same however often one is sent."""

from __future__ import annotations

import secrets
from typing import Final, NamedTuple

from remit.contracts.arguments import Arguments, Limits, parse
from remit.contracts.items import Opened
from remit.contracts.principal import Principal
from remit.contracts.question import digest
from remit.dispatch.registry import AnyCallee
from remit.errors import IdempotencyError

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"


class Wanted(NamedTuple):
    """A run that somebody asks for.

    ``agent`` makes the call, where one is made directly. ``conversation`` is where it belongs, ``beside`` its runs or
    after the last of them. ``request`` is an idempotency key.
    """

    callee: AnyCallee
    arguments: Arguments
    by: Principal
    agent: str = ""
    conversation: str = ""
    request: str = ""
    beside: bool = False


def new_id() -> str:
    """An id that nothing else has."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(12))


def id_of(request: str, tenant: str, application: str) -> str:
    """The id of the run that a request asks for: its key is its own in each tenant and application."""
    return digest("request", tenant, application, request)


def check_same(request: str, known: Opened, wanted: Opened, limits: Limits) -> None:
    """Refuse a request that asks for something else than it did before, or is somebody else's.

    Raises:
        IdempotencyError: naming it.
    """
    if _asked(known, limits) != _asked(wanted, limits):
        raise IdempotencyError(f"request {request!r} was sent before for something else, or by somebody else")


def _asked(header: Opened, limits: Limits) -> tuple[str, ...]:
    said = parse(header.arguments, limits).identity()
    return (header.principal, header.agent, header.callee, header.conversation, said)
