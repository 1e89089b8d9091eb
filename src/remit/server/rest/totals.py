"""The usage of a period, and the rules as they are."""

from __future__ import annotations

import math
from typing import Final

from remit.server.documents.document import Asked
from remit.server.documents.policy import PolicyDocument
from remit.server.documents.runs import Seconds
from remit.server.documents.usage import UsageDocument
from remit.server.rest.operation import NoQuery, Operation, Sent


class UsageQuery(Asked):
    """The period in which the runs were opened."""

    since: Seconds = 0.0
    until: Seconds | None = None


async def read_usage(sent: Sent[UsageQuery, None]) -> UsageDocument:
    """The tokens and the cost of the runs that one sees."""
    asked = sent.query
    until = math.inf if asked.until is None else asked.until
    return UsageDocument.of(await sent.client.usage(since=asked.since, until=until))


async def read_policy(sent: Sent[NoQuery, None]) -> PolicyDocument:
    """The rules under which calls are made."""
    return PolicyDocument.of(sent.serving.runtime)


OPERATIONS: Final = (
    Operation(method="GET", path="/api/usage", handle=read_usage, answer=UsageDocument, query=UsageQuery),
    Operation(method="GET", path="/api/policy", handle=read_policy, answer=PolicyDocument),
)
