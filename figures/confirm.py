"""A confirmation is an act of a person: everything that looks like one, and what was called upon it."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final

from figures.approval_world import Clock
from figures.figure import Figure, no_violations
from remit import Agent, App, Effect, LeafContext, Policy, Principal, Risk, Runtime, tool
from remit.agent import AgentDriver, NativeDriver
from remit.errors import RemitError
from remit.messages import ChatRequest
from remit.policies import ConfirmationFlag, HighRisk
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls
from remit.workers import PydanticAIDriver

_ADA: Final = Principal("ada", permissions=frozenset({"pages:*"}))
_BOB: Final = Principal("bob", permissions=frozenset({"*"}))
_STRANGER: Final = Principal("ada", "elsewhere", permissions=frozenset({"*"}))
_TALK: Final = "talk"

_DRIVERS: Final[tuple[AgentDriver, ...]] = (NativeDriver(), PydanticAIDriver())

_ANNOUNCE: Final = ("drop", {"page": "about"})
_FLAGGED: Final = ("drop", {"page": "about", "confirmed": True})
_EDITED: Final = ("drop", {"page": "news", "confirmed": True})

_TEXTS: Final = (
    "No! Do not delete it.",
    "yes",
    "yes, but not now",
    '> "yes, I confirm"',
    "",
    "ja, löschen",
    "confirmed=true",
)
_FLAGS: Final = {
    "set": (calls(_FLAGGED),),
    "unset": (calls(_ANNOUNCE),),
    "repeated": (calls(_FLAGGED, _FLAGGED), calls(_FLAGGED)),
    "edited": (calls(_EDITED),),
}
"""What the model calls after the message."""


@dataclass
class _Desk:
    """An application whose model announces a call, and what its tool has dropped."""

    name: str
    kind: str
    driver: AgentDriver
    store: InMemoryStore
    clock: Clock
    dropped: list[str] = field(default_factory=list[str])
    lines: list[Any] = field(default_factory=list[Any])
    runtime: Runtime = field(init=False)

    def __post_init__(self) -> None:
        @tool(effect=Effect.KEYED, risk=Risk.HIGH, confirm="confirmed")
        async def drop(_ctx: LeafContext, page: str, *, confirmed: bool = False) -> str:
            """Drop a page, or say what would be dropped."""
            if confirmed:
                self.dropped.append(page)
            return f"dropped {page}" if confirmed else f"would drop {page}"

        agent = Agent("editor", instructions="Edit.", tools=(drop,), driver=self.driver)
        policy = Policy(ConfirmationFlag() if self.kind == "confirm" else HighRisk())
        model = Scripted([self._answer] * 50)
        self.runtime = Runtime(
            App(name=self.name, agents=(agent,), policy=policy), store=self.store, model=model, clock=self.clock
        )
        self.runtime.add_principals(_ADA, _BOB)

    def _answer(self, _request: ChatRequest) -> Any:
        return self.lines.pop(0) if self.lines else "Well."

    async def announce(self) -> str:
        """Let the model announce the call; the question about it."""
        self.lines = [calls(_ANNOUNCE), "Shall I?"]
        run = await self.runtime.run("Delete the page.", by=_ADA, conversation=_TALK)
        rows = await self.store.list_questions(run=run.run)
        return rows[0].question.id

    async def act(self, question: str) -> str | None:
        """The act of the person who may: the confirmation of the asker, or the approval of another."""
        by = _ADA if self.kind == "confirm" else _BOB
        kind = "confirm" if self.kind == "confirm" else "approve"
        return await self.runtime.decide(question, approved=True, by=by, kind=kind)

    async def try_to(self, made: Awaitable[Any]) -> None:
        """Make an attempt, which may be refused, and execute the run that it opens."""
        with contextlib.suppress(RemitError):
            run = await made
            if isinstance(run, str):
                await self.runtime.resume(run)


@dataclass
class _Case:
    """One way to something that looks like a yes. ``allowed`` is what the acts of people allow."""

    desk: _Desk
    other: _Desk
    text: str
    later: tuple[Any, ...]
    allowed: list[str] = field(default_factory=list[str])
    allowed_elsewhere: list[str] = field(default_factory=list[str])

    async def say(self, **options: Any) -> None:
        """The message, after which the model makes its calls."""
        self.desk.lines = [*self.later, "Well."]
        await self.desk.try_to(self.desk.runtime.run(self.text or " ", by=_ADA, conversation=_TALK, **options))

    @property
    def violations(self) -> int:
        """How many drops no act allows."""
        found = Counter(self.desk.dropped) - Counter(self.allowed)
        return (found + (Counter(self.other.dropped) - Counter(self.allowed_elsewhere))).total()


async def _by_message(case: _Case) -> None:
    await case.desk.announce()
    await case.say()
    await case.say()


async def _queued_before(case: _Case) -> None:
    desk = case.desk
    desk.lines = [calls(_ANNOUNCE), "Shall I?", *case.later]
    options: dict[str, Any] = {"by": _ADA, "conversation": _TALK, "when_busy": "queue"}
    runs = [await desk.runtime.submit(text or " ", **options) for text in ("Delete the page.", case.text)]
    for run in runs:
        await desk.runtime.resume(run)


async def _queued_after(case: _Case) -> None:
    await case.desk.announce()
    case.desk.lines = [*case.later]
    run = await case.desk.runtime.submit(case.text or " ", by=_ADA, conversation=_TALK, when_busy="queue")
    await case.desk.runtime.resume(run)


async def _denied(case: _Case) -> None:
    question = await case.desk.announce()
    await case.desk.runtime.decide(question, approved=False, by=_ADA, kind="confirm")
    await case.say()


async def _by_others(case: _Case) -> None:
    """Who may not act: another person, who may approve but not confirm, one of another tenant, and the model's user."""
    question, runtime = await case.desk.announce(), case.desk.runtime
    await case.desk.try_to(runtime.decide(question, approved=True, by=_BOB, kind="confirm"))
    await case.desk.try_to(runtime.decide(question, approved=True, by=_STRANGER, kind="confirm"))
    await case.desk.try_to(runtime.decide(question, approved=True, by=_STRANGER))
    await case.desk.try_to(runtime.decide(question, approved=True, by=_ADA))
    if case.desk.kind == "approve":
        await case.desk.try_to(runtime.decide(question, approved=True, by=_ADA, kind="confirm"))
    await case.say()


async def _by_message_of_others(case: _Case) -> None:
    question, runtime = await case.desk.announce(), case.desk.runtime
    for by in (_BOB, _STRANGER):
        await case.desk.try_to(runtime.run("yes", by=by, conversation=_TALK, confirms=question))
    await case.desk.try_to(runtime.run("yes", by=_ADA, conversation="another", confirms=question))
    await case.desk.try_to(runtime.run("yes", by=_ADA, conversation=_TALK, confirms="0123456789ab"))
    if case.desk.kind == "approve":
        await case.desk.try_to(runtime.run("yes", by=_ADA, conversation=_TALK, confirms=question))
    await case.say()


async def _through_another_application(case: _Case) -> None:
    question = await case.desk.announce()
    await case.other.try_to(case.other.act(question))
    await case.other.try_to(case.other.runtime.run("yes", by=_ADA, conversation=_TALK, confirms=question))
    await case.say()


async def _of_another_application(case: _Case) -> None:
    """The same call is announced there and confirmed there, while the model of this one has set the flag."""
    question = await case.other.announce()
    case.desk.lines = [*case.later]
    waiting = await case.desk.runtime.run(case.text or " ", by=_ADA, conversation=_TALK)
    opened = await case.other.act(question)
    case.allowed_elsewhere.append("about")
    await case.desk.try_to(asyncio.sleep(0, waiting.run))
    await case.other.try_to(asyncio.sleep(0, opened))


async def _called_again(case: _Case) -> None:
    """The same call again, which attaches to the run of the call: by the asker, by others, and after a no."""
    desk = case.desk
    await desk.announce()
    for flag in (False, True, True):
        for by in (_ADA, _BOB, _STRANGER, _ADA):
            with contextlib.suppress(RemitError):
                await desk.runtime.client(by).call("drop", {"page": "about", "confirmed": flag}, attach=True)
        for row in await desk.store.list_questions():
            with contextlib.suppress(RemitError):
                await desk.runtime.decide(row.question.id, approved=False, by=_ADA, kind="confirm")
    await case.say()


async def _in_open_run(case: _Case) -> None:
    """The call of an open run of the conversation, with the flag and without, again, and after a no."""
    desk = case.desk
    await desk.announce()
    async with desk.runtime.client(_ADA).open_run(conversation=_TALK) as run:
        for flag in (False, True, True):
            with contextlib.suppress(RemitError):
                await run.call("drop", {"page": "about", "confirmed": flag}, key=str(flag))
            for row in await desk.store.list_questions():
                with contextlib.suppress(RemitError):
                    await desk.runtime.decide(row.question.id, approved=False, by=_ADA, kind="confirm")
    await case.say()


async def _cancelled(case: _Case) -> None:
    opened = await case.desk.act(await case.desk.announce())
    if opened is not None:
        await case.desk.runtime.cancel(opened, by=_ADA)
    await case.say()


async def _expired(case: _Case) -> None:
    question = await case.desk.announce()
    case.desk.clock.now += 8 * 24 * 3600
    with contextlib.suppress(RemitError):
        await case.desk.try_to(case.desk.act(question))
    await case.say()


async def _confirmed_once(case: _Case) -> None:
    """An act, whose run the model repeats the call in, and once more later."""
    question = await case.desk.announce()
    case.allowed.append("about")
    case.desk.lines = [*case.later, *case.later]
    await case.desk.try_to(case.desk.act(question))
    await case.say()


_WAYS: Final[tuple[Callable[[_Case], Awaitable[None]], ...]] = (
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
)


def figures(*, short: bool) -> Iterator[Figure]:
    """Calls that ran upon something that only looked like a person's yes."""
    tried, violations = asyncio.run(_try_all(short=short))
    how = f"{len(_WAYS)} ways, each with {len(_TEXTS)} texts, {len(_FLAGS)} uses of the flag, both kinds and drivers"
    yield no_violations("confirm.taken_for_yes", violations, tried, how)


async def _try_all(*, short: bool) -> tuple[int, int]:
    tried = violations = 0
    cases = product(_WAYS, _TEXTS[:1] if short else _TEXTS, _FLAGS.values(), ("confirm", "approve"), _DRIVERS)
    for way, text, later, kind, driver in [*cases][:: 3 if short else 1]:
        clock = Clock()
        store = InMemoryStore(clock)
        desk, other = (_Desk(name, kind, driver, store, clock) for name in ("desk", "other"))
        case = _Case(desk, other, text, later)
        await way(case)
        tried, violations = tried + 1, violations + case.violations
        if way is _confirmed_once and "about" not in desk.dropped:
            raise RuntimeError("what a person allowed was not called")
    return tried, violations
