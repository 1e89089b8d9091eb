"""The cost limit for all prompts of a task, which stops the run like its budget."""

from __future__ import annotations

from typing import Final

from remit.call.call import Call, CallLayer, CallService
from remit.call.reply import Reply
from remit.core import Place
from remit.errors import BudgetError
from remit.record.meter import UsageLimit

_OWNERS: Final = ("the task", "the rest of the task")


class TaskCost(CallLayer):
    """Stops a run whose requests would exceed the rest of the task's ``dollars``.

    ``used``: the cost of the earlier prompts, set by the eval. ``stopped``: why the limit stopped a run.
    """

    place = Place.BUDGET

    def __init__(self, dollars: float) -> None:
        self.dollars = dollars
        self.used = 0.0
        self.stopped = ""

    @property
    def limits_cost(self) -> bool:
        """Always true."""
        return True

    def __call__(self, inner: CallService, /) -> CallService:
        """Bind the requests below each call."""

        async def limit(call: Call, /) -> Reply:
            usage = UsageLimit(_OWNERS[bool(self.used)], "`cost`", is_of_run=True)
            usage = usage._replace(cost=max(0.0, self.dollars - self.used))
            try:
                call.ledger.meter.check_limit(usage, call.id)
                call.ledger.meter.add_limit(call.id, usage)
                return await inner(call)
            except BudgetError as error:
                if error.limit == usage and not call.caller.call:
                    self.stopped = error.message
                raise

        return limit
