"""What a new run is to be, and the ids of runs: new ones, and those of requests, the same however often one is sent."""

from __future__ import annotations

import secrets
from typing import Final, NamedTuple

from remit.contracts.arguments import Arguments, Limits, parse_arguments
from remit.contracts.items import RunOpened
from remit.contracts.principal import Principal
from remit.contracts.question import content_digest
from remit.dispatch.registry import AnyCallee
from remit.errors import IdempotencyError

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"


class RunRequest(NamedTuple):
    """A run that somebody asks for.

    ``agent`` makes the call, where one is made directly. ``conversation`` is where it belongs, ``is_direct_call`` its
    runs or after the last of them. ``idempotency_key`` is an idempotency key.
    """

    callee: AnyCallee
    arguments: Arguments
    principal: Principal
    agent: str = ""
    conversation: str = ""
    idempotency_key: str = ""
    is_direct_call: bool = False


def new_id() -> str:
    """An id that nothing else has."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(12))


def derive_run_id(idempotency_key: str, tenant: str, application: str) -> str:
    """The id of the run that a request asks for: its key is its own in each tenant and application."""
    return content_digest("request", tenant, application, idempotency_key)


def check_same_request(idempotency_key: str, recorded_header: RunOpened, new_header: RunOpened, limits: Limits) -> None:
    """Refuse a request that asks for something else than it did before, or is somebody else's.

    Raises:
        IdempotencyError: naming it.
    """
    if _request_identity(recorded_header, limits) != _request_identity(new_header, limits):
        raise IdempotencyError(f"request {idempotency_key!r} was sent before for something else, or by somebody else")


def _request_identity(header: RunOpened, limits: Limits) -> tuple[str, ...]:
    arguments = parse_arguments(header.arguments, limits).identity_text()
    return (header.principal, header.agent, header.callee, header.conversation, arguments)
