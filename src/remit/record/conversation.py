"""The items of a conversation, as a call of one of its runs sees them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from remit.record.current_run import CURRENT_RUN
from remit.record.items import Item
from remit.record.ledger import Ledger


async def read_conversation(ledger: Ledger) -> AsyncGenerator[Sequence[Item]]:
    """The items of the ledger's run, then those of each earlier run of its conversation, newest run first.

    An earlier run is read only when it is asked for.
    """
    yield [*ledger.recorded_items()]
    read_prior_runs = CURRENT_RUN.get().read_prior_runs
    if read_prior_runs is not None:
        async for items in read_prior_runs():
            yield items
