"""A tree of workers is killed while it waits, decided and finished by others, and replayed; a changed one differs."""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import os
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from figures.worker_tree import DONE, PERSON, Code, DescribedEntry, LongEntry, LongPrompt, effect_writer, make_runtime
from remit.journal.sql.store import SqlStore
from remit.record.items import Message, Mismatch, ToolOutput
from remit.stores import InMemoryStore

MATES: Final = 3
"""How often the inner worker is called, each time with a question: two at once, and then one."""


def _unchanged(code: Code) -> Code:
    return code


CHANGES: Final[dict[str, Callable[[Code], Code]]] = {
    "a word of the agent's instructions": lambda code: replace(code, instructions="You keep the book."),
    "a space in the outer prompt": lambda code: replace(code, lead="You lead.  {% include 'tone' %}"),
    "a text that the outer prompt includes": lambda code: replace(code, tone="Be quick."),
    "a word of the inner prompt": lambda code: replace(code, mate="You note what you are told: {{ prompt }}"),
    "what the inner worker is for": lambda code: replace(code, mate_description="Enters some amounts."),
    "the input schema": lambda code: replace(code, input_model=LongPrompt),
    "the output schema": lambda code: replace(code, output=LongEntry),
    "a word of the output schema": lambda code: replace(code, output=DescribedEntry),
    "a tool's description": lambda code: replace(code, tool_description="Add an amount to the book."),
    "a default in a tool's schema": lambda code: replace(code, default=2),
    "one more parameter": lambda code: replace(code, extra_parameter=True),
    "an argument passed on": lambda code: replace(code, passed_on=6),
    "the order of nested calls": lambda code: replace(code, order=(2, 1)),
    "one nested call less": lambda code: replace(code, order=(1,)),
    "one nested call more": lambda code: replace(code, order=(1, 2, 3)),
    "the order of tools": lambda code: replace(code, tools=(1, 0)),
    "a tool less": lambda code: replace(code, tools=(0,)),
    "a composed result": lambda code: replace(code, result="done"),
    "a tool of the provider": lambda code: replace(code, provider_tool="web_search"),
    "the clock in the prompt": _unchanged,
}


async def find_missed_changes() -> list[str]:
    """Differences that a replay did not find, and an unchanged replay that finds one."""
    ticks, missed = itertools.count(), list[str]()
    for name, change in {"nothing": _unchanged, **CHANGES}.items():
        clock = (lambda: f" It is {next(ticks)} o'clock.") if "clock" in name else (lambda: "")
        before, store = Code(prompt_suffix=clock), InMemoryStore()
        run = await _run_to_end(before, store)
        report = await make_runtime(change(before), store, _ignore_effect, asks=False).replay(run)
        if report.is_identical is not (name == "nothing"):
            missed.append(f"{name}: {report.difference or 'not found'}")
    return missed


def check_killed_run() -> list[str]:
    """What is wrong with a run that each time waits in a process which is killed, and is decided in another."""
    with tempfile.TemporaryDirectory(prefix="remit-tree-") as name:
        home = Path(name)
        wrong: list[str] = []
        status, waits = _child(_begin, home), 0
        while status == -signal.SIGKILL:
            waits += 1
            if asyncio.run(_has_early_effect(home)):
                wrong.append("something was erased before it was approved")
            _child(_decide, home)
            status = _child(_resume, home)
        if (status, waits) != (0, 2):
            return [*wrong, f"it waited {waits} times, and its last process ended with {status}"]
        return wrong + asyncio.run(_judge(home))


async def _run_to_end(code: Code, store: InMemoryStore) -> str:
    """A run that came to its end, all of its questions approved."""
    made = make_runtime(code, store, _ignore_effect)
    result = await made.run("go", by=PERSON)
    while result.status == "waiting":
        for question in result.questions:
            await made.decide(question, approved=True, by=PERSON)
        result = await made.resume(result.run)
    if result.value() != DONE:
        raise RuntimeError("the tree did not come to its end")
    return result.run


def _child(work: Callable[[Path], Coroutine[Any, Any, None]], home: Path) -> int:
    process = multiprocessing.get_context("fork").Process(target=lambda: asyncio.run(work(home)))
    process.start()
    process.join()
    return process.exitcode if process.exitcode is not None else -1


async def _begin(home: Path) -> None:
    await make_runtime(Code(), SqlStore.at(home / "journal.db"), effect_writer(home)).run("go", by=PERSON)
    os.kill(os.getpid(), signal.SIGKILL)


async def _decide(home: Path) -> None:
    store = SqlStore.at(home / "journal.db")
    for row in await store.list_questions():
        await make_runtime(Code(), store, effect_writer(home), asks=False).decide(
            row.question.id, approved=True, by=PERSON
        )
    await store.close()


async def _resume(home: Path) -> None:
    store = SqlStore.at(home / "journal.db")
    (row,) = await store.list_runs()
    result = await make_runtime(Code(), store, effect_writer(home)).resume(row.run)
    if result.status == "waiting":
        os.kill(os.getpid(), signal.SIGKILL)
    await store.close()


async def _has_early_effect(home: Path) -> bool:
    """Whether more was erased than approved."""
    store = SqlStore.at(home / "journal.db")
    rows = await store.list_questions(only_open=False)
    await store.close()
    approved = sum(row.status != "open" for row in rows)
    return _count_effects(home)["erase"] > approved


def _count_effects(home: Path) -> Counter[str]:
    log = home / "effects.log"
    return Counter(line.split()[0] for line in log.read_text().splitlines()) if log.exists() else Counter()


async def _judge(home: Path) -> list[str]:
    store = SqlStore.at(home / "journal.db")
    (row,) = await store.list_runs()
    items = [position.item for position in await store.read(row.run)]
    report = await make_runtime(Code(), store, _ignore_effect, asks=False).replay(row.run)
    await store.close()
    wrong = [] if report.is_identical else [f"its replay differs: {report.difference}"]
    wrong += ["a request was made otherwise than before" for item in items if isinstance(item, Mismatch)]
    ends = Counter(item.call for item in items if isinstance(item, ToolOutput))
    wrong += [f"a call has {count} ends" for count in ends.values() if count > 1]
    if _count_effects(home) != {"book": 2 * MATES, "erase": MATES}:
        wrong.append(f"it did {dict(_count_effects(home))}")
    replies = sum(isinstance(item, Message) and bool(item.request) for item in items)
    if replies != 2 + 3 + 2 * MATES:  # of the agent, the lead, and each mate
        wrong.append(f"{replies} answers of models are recorded")
    return wrong


def _ignore_effect(_name: str, _key: str) -> None:
    """What happens is of no matter."""
