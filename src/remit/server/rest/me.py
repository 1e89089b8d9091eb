"""The signed-in person."""

from __future__ import annotations

from typing import Final

from remit.server.documents.me import Me
from remit.server.rest.operation import NoQuery, Operation, Sent


async def read_me(sent: Sent[NoQuery, None]) -> Me:
    """Who is signed in, what they can do, and the application."""
    identity = await sent.serving.identify(sent.request)
    targets, place = await sent.client.targets(), await sent.client.place()
    return Me.of(identity, sent.serving.runtime.app, targets, place)


OPERATIONS: Final = (Operation(method="GET", path="/api/me", handle=read_me, answer=Me),)
