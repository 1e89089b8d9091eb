"""What models read in the tasks of the CMS: replies of tools that read, and tools offered before a search."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from statistics import mean, median
from typing import Any, Final, NamedTuple

from figures.figure import Figure, at_least, at_most
from figures.tools import TASKS
from remit import Effect, Principal
from remit.agent import RunInfo
from remit.agent.tool_search import SEARCH_TOOL, SearchTools
from remit.evals.recording import RecordedModel, load_recording, recording_path
from remit.evals.run import run_task
from remit.evals.state import temporary_home
from remit.evals.task import Task, load_tasks
from remit.messages import ChatRequest, Completion
from remit.record.principal import Caller
from remit.tools import Callee
from remit_cms.agent import ALWAYS
from remit_cms.app import app as cms_app

_BYTES_A_TOKEN: Final = 4
_PERSON: Final = Principal("ann", "local-site", frozenset({"*"}))
_CALLER: Final = Caller(principal=_PERSON, run="run", agent="editor", call="call", depth=0)


class Offer(NamedTuple):
    """The tools that the words of a task's messages find ahead, and those that it needs: called, not always shown."""

    offered: set[str]
    needed: set[str]


class ReadingModel:
    """Gives recorded answers, and keeps the history of its last request."""

    def __init__(self, task: Task) -> None:
        self._recorded = RecordedModel(load_recording(recording_path(Path(task.file))))
        self._history: Sequence[str] = ()

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """The recorded answer."""
        self._history = [*request.history]
        return await self._recorded(request)

    def count_tokens(self, reads: set[str]) -> float:
        """The tokens of the replies of these tools in the whole conversation."""
        names: dict[str, str] = {}
        tokens = 0.0
        for text in self._history:
            message = json.loads(text)
            names |= {each["id"]: each["function"]["name"] for each in message.get("tool_calls") or ()}
            if message["role"] == "tool" and names.get(message["tool_call_id"]) in reads:
                tokens += len(str(message["content"]).encode()) / _BYTES_A_TOKEN
        return tokens


def figures(*, short: bool) -> Iterator[Figure]:
    """The tokens that a task reads, and the share of tools offered ahead that it needs."""
    tasks = load_tasks([TASKS])
    yield from judge_reading(tasks[:: 4 if short else 1])
    yield from judge_offers(tasks)


def judge_reading(tasks: Sequence[Task]) -> Iterator[Figure]:
    """The figure of what tasks read, with their recorded answers."""
    reads = _reading_tools()
    read: dict[str, float] = {}
    for task in tasks:
        model = ReadingModel(task)
        asyncio.run(run_task(task, cms_app, model))
        read[task.name] = model.count_tokens(reads)
    counted = sorted(tokens for tokens in read.values() if tokens)
    how = (
        f"replies of tools that read, in {len(counted)} of {len(tasks)} tasks with recorded answers, mean; median "
        f"{median(counted):.0f}, most {counted[-1]:.0f}; {_BYTES_A_TOKEN} bytes a token"
    )
    yield at_most("evals.tokens_read", mean(counted), "tokens", 150, len(counted), how)


def judge_offers(tasks: Sequence[Task]) -> Iterator[Figure]:
    """The figures of the tools that the words of the person find ahead."""
    offers = asyncio.run(_find_offers(tasks))
    offered = sum(len(each.offered) for each in offers)
    needed = sum(len(each.needed) for each in offers)
    hits = sum(len(each.offered & each.needed) for each in offers)
    how = f"of {offered} tools that the words of the person find in {len(tasks)} tasks, those that the task calls"
    yield at_least("tools.ahead_needed", 100 * hits / max(1, offered), "%", 60, offered, how)
    how = f"of {needed} tools that {len(tasks)} tasks call and that are not always shown, those that the words find"
    yield at_least("tools.ahead_found", 100 * hits / max(1, needed), "%", 90, needed, how)


async def _find_offers(tasks: Sequence[Task]) -> list[Offer]:
    about = RunInfo(principal=_PERSON, target="", conversation="", now=datetime(2026, 11, 28, tzinfo=UTC))
    with temporary_home():
        return await _find_in_home(tasks, about)


async def _find_in_home(tasks: Sequence[Task], about: RunInfo) -> list[Offer]:
    (search,) = (tool for tool in _tools() if isinstance(tool, SearchTools))
    offers: list[Offer] = []
    for task in tasks:
        found = [await search.find_ahead(prompt, _CALLER, None, about) for prompt in task.prompt]
        offers.append(Offer({name for each in found for name in each}, _find_called(task) - {SEARCH_TOOL, *ALWAYS}))
    return offers


def find_reads(task: Task) -> set[str]:
    """The tools that read, of those that the recorded answers of a task call."""
    return _find_called(task) & _reading_tools()


def _find_called(task: Task) -> set[str]:
    answers = load_recording(recording_path(Path(task.file))).answers
    return {each["function"]["name"] for answer in answers for each in answer.message.get("tool_calls") or ()}


@cache
def _reading_tools() -> set[str]:
    return {tool.name for tool in _tools() if tool.facts.effect is Effect.PURE} - {SEARCH_TOOL}


def _tools() -> Sequence[Callee[..., Any]]:
    """The tools of the editor, its search among them."""
    return cms_app().agents[0].tools
