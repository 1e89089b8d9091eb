"""What models read in the tasks of the CMS: replies of tools that read, and tools offered before a search."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import Final

from figures.figure import Figure, at_least, at_most
from figures.tools import TASKS
from remit import Effect
from remit.agent.tool_search import SEARCH_TOOL, names_found
from remit.evals.recording import RecordedModel, load_recording, recording_path
from remit.evals.run import run_task
from remit.evals.task import Task, load_tasks
from remit.messages import ChatRequest, Completion
from remit_cms.agent import ALWAYS
from remit_cms.app import app as cms_app

_BYTES_A_TOKEN: Final = 4


@dataclass(kw_only=True)
class Reading:
    """What one task had a model read: tokens of replies by tool, tools offered ahead, and tools that it called."""

    task: str
    tokens: dict[str, float] = field(default_factory=dict[str, float])
    offered: set[str] = field(default_factory=set[str])
    called: set[str] = field(default_factory=set[str])

    @property
    def tokens_read(self) -> float:
        """The tokens of the replies of tools that only read."""
        return sum(self.tokens.values())


class ReadingModel:
    """Gives recorded answers, and keeps what its requests hold."""

    def __init__(self, task: Task, reads: frozenset[str]) -> None:
        self._recorded = RecordedModel(load_recording(recording_path(Path(task.file))))
        self._reads = reads
        self.reading = Reading(task=task.name)
        self._history: Sequence[str] = ()

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """The recorded answer."""
        self._history = [*request.history]
        answer = await self._recorded(request)
        self.reading.called |= {each.name for each in answer.tool_calls}
        ahead = [text for text in self._history if text.startswith('{"role":"user"') and "<found_tools>" in text[:80]]
        self.reading.offered |= set(names_found(ahead))
        return answer

    def finish(self) -> Reading:
        """What was read in the whole conversation."""
        names: dict[str, str] = {}
        for text in self._history:
            message = json.loads(text)
            names |= {each["id"]: each["function"]["name"] for each in message.get("tool_calls") or ()}
            name = names.get(message.get("tool_call_id", ""), "")
            if message["role"] == "tool" and name in self._reads:
                size = len(str(message["content"]).encode()) / _BYTES_A_TOKEN
                self.reading.tokens[name] = self.reading.tokens.get(name, 0.0) + size
        return self.reading


def measure(tasks: Sequence[Task]) -> list[Reading]:
    """Play the recorded answers of tasks back."""
    (editor, *_) = cms_app().agents
    pure = {tool.name for tool in editor.tools if tool.facts.effect is Effect.PURE}
    reads = frozenset(pure - {SEARCH_TOOL})
    readings: list[Reading] = []
    for task in tasks:
        model = ReadingModel(task, reads)
        asyncio.run(run_task(task, cms_app, model))
        readings.append(model.finish())
    return readings


def figures(*, short: bool) -> Iterator[Figure]:
    """The tokens that a task reads, and the share of tools offered ahead that it needs."""
    readings = measure(load_tasks([TASKS])[:: 4 if short else 1])
    yield from judge(readings)


def judge(readings: Sequence[Reading]) -> Iterator[Figure]:
    """The figures of some readings."""
    reading = [each.tokens_read for each in readings if each.tokens]
    most = max(readings, key=lambda each: each.tokens_read)
    how = (
        f"replies of tools that read, in {len(reading)} of {len(readings)} tasks with recorded answers, mean; median "
        f"{median(reading):.0f}, most {most.tokens_read:.0f} ({most.task}); {_BYTES_A_TOKEN} bytes a token"
    )
    yield at_most("evals.tokens_read", mean(reading), "tokens", 150, len(reading), how)
    offered = [(each.task, name, name in each.called) for each in readings for name in each.offered]
    needed = [(each.task, name) for each in readings for name in each.called - {*ALWAYS, SEARCH_TOOL}]
    useful = sum(is_called for _, _, is_called in offered)
    found = sum(name in each.offered for each in readings for name in each.called - {*ALWAYS, SEARCH_TOOL})
    share = f"of {len(offered)} tools offered ahead in {len(readings)} tasks, by the words of the person"
    yield at_least("tools.ahead_needed", 100 * useful / max(1, len(offered)), "%", 40, len(offered), f"called, {share}")
    missed = f"tools that a task calls and that are not always shown, offered ahead; {len(needed) - found} were not"
    yield at_least("tools.ahead_found", 100 * found / max(1, len(needed)), "%", 90, len(needed), missed)
