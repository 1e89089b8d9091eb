"""The settings of an MCP server."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from pydantic import NonNegativeFloat, NonNegativeInt

from remit.core.call_checks import check_arguments
from remit.errors import SetupError
from remit.mcp.state_signer import KEY_BYTES


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class McpSettings:
    """The settings of an MCP server.

    Args:
        key: signs what clients give back: the state of a call that waits, and sessions. All processes of a server need
            the same key. By default a random one, so that another process refuses what this one has signed.
        hold_seconds: how long a call that waits for a person is held, again and again for as often as the client can
            be asked to repeat it. Clients give up after a time of their own, often 60 seconds.
        ask_seconds: how long it is held before the client is asked to ask its own person.
        list_above: with more tools than this, the list has the search tool in place of those that are not always shown.
    """

    key: bytes = field(default_factory=lambda: secrets.token_bytes(KEY_BYTES), repr=False)
    hold_seconds: NonNegativeFloat = 20.0
    ask_seconds: NonNegativeFloat = 1.0
    list_above: NonNegativeInt = 20

    def __post_init__(self) -> None:
        if len(self.key) < KEY_BYTES:
            raise SetupError(f"McpSettings: key has {len(self.key)} bytes; give at least {KEY_BYTES} random ones")
