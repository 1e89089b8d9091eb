"""What the index says that runs have done: the port, and what it returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from msgspec import Struct

from remit.record.items import ModelFailure, ToolOutput
from remit.record.usage import ModelName, TokenCounts

DAY: Final = 86_400
"""Seconds of the days for which stores keep the sums of usage; they begin at midnight UTC."""


class RunSummary(Struct, frozen=True, kw_only=True):
    """What a run has done up to its last stored item; see `RunTotals`.

    ``open_questions`` counts those that can be decided now. ``failure`` is the item that reports the first failure, and
    its time; None if there is none, or it was erased. The title is erased with the header; numbers are not erased.
    """

    title: str = ""
    calls: int = 0
    open_questions: int = 0
    used: Mapping[ModelName, TokenCounts] = {}
    worked: float = 0.0
    waited: float = 0.0
    due: float = 0.0
    failure: tuple[ToolOutput | ModelFailure, float] | None = None


class UsageRow(NamedTuple):
    """What the runs on a target have used of a model."""

    target: str
    name: ModelName
    counts: TokenCounts


class RunSummaries(Protocol):
    """What runs have done. An append to a run changes its summary in the same transaction."""

    async def read_summaries(self, runs: Sequence[str]) -> Mapping[str, RunSummary]:
        """The summaries of those of ``runs`` that are open, by run."""
        ...

    async def read_usage(
        self, *, tenant: str, application: str = "", principal: str = "", since: float, until: float
    ) -> Sequence[UsageRow]:
        """What the models of runs have used that were opened from ``since`` until ``until``, by target and model.

        Runs whose content was erased count too. It must not read each run: a store has many.
        """
        ...
