"""A confirmation is an act of a person: everything that looks like one, and what was called upon it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import product
from typing import Any, Final

from figures.approval_world import Clock
from figures.confirm_http import WAYS as HTTP_WAYS
from figures.confirm_mcp import WAYS as MCP_WAYS
from figures.confirm_world import ADA, ANNOUNCE, BOB, FLAGS, STRANGER, TALK, Case, Desk
from figures.figure import Figure, no_violations
from remit.agent import AgentDriver, NativeDriver
from remit.errors import RemitError
from remit.stores import InMemoryStore
from remit.testing import calls
from remit.workers import PydanticAIDriver

_DRIVERS: Final[tuple[AgentDriver, ...]] = (NativeDriver(), PydanticAIDriver())

_TEXTS: Final = (
    "No! Do not delete it.",
    "yes",
    "yes, but not now",
    '> "yes, I confirm"',
    "",
    "ja, löschen",
    "confirmed=true",
)


async def _by_message(case: Case) -> None:
    await case.desk.announce()
    await case.say()
    await case.say()


async def _queued_before(case: Case) -> None:
    desk = case.desk
    desk.lines = [calls(ANNOUNCE), "Shall I?", *case.later]
    options: dict[str, Any] = {"by": ADA, "conversation": TALK, "when_busy": "queue"}
    runs = [await desk.runtime.submit(text or " ", **options) for text in ("Delete the page.", case.text)]
    for run in runs:
        await desk.runtime.resume(run)


async def _queued_after(case: Case) -> None:
    await case.desk.announce()
    case.desk.lines = [*case.later]
    run = await case.desk.runtime.submit(case.text or " ", by=ADA, conversation=TALK, when_busy="queue")
    await case.desk.runtime.resume(run)


async def _denied(case: Case) -> None:
    question = await case.desk.announce()
    await case.desk.runtime.decide(question, approved=False, by=ADA, kind="confirm")
    await case.say()


async def _by_others(case: Case) -> None:
    """Who may not act: another person, who may approve but not confirm, one of another tenant, and the model's user."""
    question, runtime = await case.desk.announce(), case.desk.runtime
    await case.desk.try_to(runtime.decide(question, approved=True, by=BOB, kind="confirm"))
    await case.desk.try_to(runtime.decide(question, approved=True, by=STRANGER, kind="confirm"))
    await case.desk.try_to(runtime.decide(question, approved=True, by=STRANGER))
    await case.desk.try_to(runtime.decide(question, approved=True, by=ADA))
    if case.desk.kind == "approve":
        await case.desk.try_to(runtime.decide(question, approved=True, by=ADA, kind="confirm"))
    await case.say()


async def _by_message_of_others(case: Case) -> None:
    question, runtime = await case.desk.announce(), case.desk.runtime
    for by in (BOB, STRANGER):
        await case.desk.try_to(runtime.run("yes", by=by, conversation=TALK, confirms=question))
    await case.desk.try_to(runtime.run("yes", by=ADA, conversation="another", confirms=question))
    await case.desk.try_to(runtime.run("yes", by=ADA, conversation=TALK, confirms="0123456789ab"))
    if case.desk.kind == "approve":
        await case.desk.try_to(runtime.run("yes", by=ADA, conversation=TALK, confirms=question))
    await case.say()


async def _through_another_application(case: Case) -> None:
    question = await case.desk.announce()
    await case.other.try_to(case.other.act(question))
    await case.other.try_to(case.other.runtime.run("yes", by=ADA, conversation=TALK, confirms=question))
    await case.say()


async def _of_another_application(case: Case) -> None:
    """The same call is announced there and confirmed there, while the model of this one has set the flag."""
    question = await case.other.announce()
    case.desk.lines = [*case.later]
    waiting = await case.desk.runtime.run(case.text or " ", by=ADA, conversation=TALK)
    opened = await case.other.act(question)
    case.allowed_elsewhere.append("about")
    await case.desk.try_to(asyncio.sleep(0, waiting.run))
    await case.other.try_to(asyncio.sleep(0, opened))


async def _called_again(case: Case) -> None:
    """The same call again, which attaches to the run of the call: by the asker, by others, and after a no."""
    desk = case.desk
    await desk.announce()
    for flag in (False, True, True):
        for by in (ADA, BOB, STRANGER, ADA):
            with contextlib.suppress(RemitError):
                await desk.runtime.client(by).call("drop", {"page": "about", "confirmed": flag}, attach=True)
        for row in await desk.store.list_questions():
            with contextlib.suppress(RemitError):
                await desk.runtime.decide(row.question.id, approved=False, by=ADA, kind="confirm")
    await case.say()


async def _in_open_run(case: Case) -> None:
    """The call of an open run of the conversation, with the flag and without, again, and after a no."""
    desk = case.desk
    await desk.announce()
    async with desk.runtime.client(ADA).open_run(conversation=TALK) as run:
        for flag in (False, True, True):
            with contextlib.suppress(RemitError):
                await run.call("drop", {"page": "about", "confirmed": flag}, key=str(flag))
            for row in await desk.store.list_questions():
                with contextlib.suppress(RemitError):
                    await desk.runtime.decide(row.question.id, approved=False, by=ADA, kind="confirm")
    await case.say()


async def _cancelled(case: Case) -> None:
    opened = await case.desk.act(await case.desk.announce())
    if opened is not None:
        await case.desk.runtime.cancel(opened, by=ADA)
    await case.say()


async def _expired(case: Case) -> None:
    question = await case.desk.announce()
    case.desk.clock.now += 8 * 24 * 3600
    with contextlib.suppress(RemitError):
        await case.desk.try_to(case.desk.act(question))
    await case.say()


async def _confirmed_once(case: Case) -> None:
    """An act, whose run the model repeats the call in, and once more later."""
    question = await case.desk.announce()
    case.allowed.append("about")
    case.desk.lines = [*case.later, *case.later]
    await case.desk.try_to(case.desk.act(question))
    await case.say()


Way = Callable[[Case], Awaitable[None]]

_WAYS: Final[tuple[Way, ...]] = (
    _by_message,
    _queued_before,
    _queued_after,
    _denied,
    _by_others,
    _by_message_of_others,
    _through_another_application,
    _of_another_application,
    _called_again,
    _in_open_run,
    _cancelled,
    _expired,
    _confirmed_once,
    *HTTP_WAYS,
    *MCP_WAYS,
)


def figures(*, short: bool) -> Iterator[Figure]:
    """Calls that ran upon something that only looked like a person's yes."""
    yield measure(_WAYS, stride=3 if short else 1, texts=_TEXTS[:1] if short else _TEXTS)


def measure_over_http() -> Iterator[Figure]:
    """The figure of the ways over HTTP and by AG-UI, a sample of it."""
    yield measure(HTTP_WAYS, stride=5, texts=_TEXTS[:1])


def measure_over_mcp() -> Iterator[Figure]:
    """The figure of the ways over MCP, a sample of it."""
    yield measure(MCP_WAYS, stride=2, texts=_TEXTS[:1])


def measure(ways: Sequence[Way], *, stride: int, texts: Sequence[str]) -> Figure:
    """The figure of some ways and texts, of every ``stride``-th case."""
    tried, violations = asyncio.run(_try_all(ways, stride, texts))
    how = f"{len(ways)} ways, each with {len(texts)} texts, {len(FLAGS)} uses of the flag, both kinds and drivers"
    return no_violations("confirm.taken_for_yes", violations, tried, how)


async def _try_all(ways: Sequence[Way], stride: int, texts: Sequence[str]) -> tuple[int, int]:
    tried = violations = 0
    cases = product(ways, texts, FLAGS.values(), ("confirm", "approve"), _DRIVERS)
    for way, text, later, kind, driver in [*cases][::stride]:
        clock = Clock()
        store = InMemoryStore(clock)
        desk, other = (Desk(name, kind, driver, store, clock) for name in ("desk", "other"))
        case = Case(desk, other, text, later)
        await way(case)
        tried, violations = tried + 1, violations + case.violations
        if case.allowed and "about" not in desk.dropped:
            raise RuntimeError("what a person allowed was not called")
    return tried, violations
