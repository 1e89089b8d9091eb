"""Run summaries in the index: the port and its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from msgspec import Struct

from remit.record.items import ModelFailure, ToolOutput
from remit.record.usage import ModelName, TokenCounts

DAY: Final = 86_400
"""The seconds of a day. Stores keep sums of usage per day, from midnight UTC."""


class RunSummary(Struct, frozen=True, kw_only=True):
    """The summary of a run up to its last stored item; see `RunTotals`.

    ``open_questions`` counts the questions that can be decided now. ``failure`` is the item that reports the first
    failure, with its time; None if there is none or it was erased. The title is erased with the header, but numbers are
    kept.
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
    """The usage of a model by the runs on a target."""

    target: str
    name: ModelName
    counts: TokenCounts


class RunSummaries(Protocol):
    """The summaries of runs. An append to a run updates its summary in the same transaction."""

    async def read_summaries(self, runs: Sequence[str]) -> Mapping[str, RunSummary]:
        """The summaries of the opened ones among ``runs``, by run."""
        ...

    async def read_usage(
        self, *, tenant: str, application: str = "", principal: str = "", since: float, until: float
    ) -> Sequence[UsageRow]:
        """The model usage of runs opened from ``since`` until ``until``, by target and model.

        Runs with erased content also count. An implementation must not read every run, because a store has many.
        """
        ...
