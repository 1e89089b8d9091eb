"""Under four eyes, two people stand behind exactly what runs: random deciders, edits, policies, grants and crashes.

A check of its own reads the journal at the moment in which a body begins.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from figures.approval_world import Clock
from figures.figure import Figure, no_violations
from remit import Agent, App, Ask, Effect, LeafContext, Policy, Principal, Runtime, When, tool
from remit.app import Env
from remit.errors import RemitError
from remit.items import AttemptEnded, DecisionItem, Item, QuestionItem
from remit.layers import Approve
from remit.policies import Decision, Question
from remit.record.arguments import content_digest
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.tools import Preview

PEOPLE: Final = tuple(superuser(name=name) for name in ("ada", "bob", "cleo"))
"""The first starts the run."""

_TEXTS: Final = ("all", "most", "some")


class Crash(BaseException):
    """The process died here."""


@dataclass
class _World:
    """One tool whose body checks who stands behind it, and the state that its preview names."""

    rng: random.Random
    store: InMemoryStore
    policies: tuple[Policy, ...]
    effect: Effect
    names_state: bool
    crashes: int
    revision: int = 1
    attempts: int = 0
    executions: int = 0
    violations: int = 0
    paths: Counter[str] = field(default_factory=Counter[str])

    async def erase(self, ctx: LeafContext, text: str) -> str:
        """The body."""
        items = [position.item for position in await self.store.read(ctx.run) if position.item.call == ctx.key]
        attempts = sum(item.kind == "started" for item in items)
        if attempts > self.attempts:  # a keyed call that begins again after a crash is the same use of its approvals
            self.attempts = attempts
            self.executions += 1
            arguments = f'{{"text":"{text}"}}'
            rules = [rule.name for policy in self.policies for rule in policy.rules]
            state = str(self.revision) if self.names_state else ""
            self.violations += any(not _has_two_people(items, rule, arguments, state) for rule in rules)
        if self.crashes:
            self.crashes -= 1
            self.paths["crash"] += 1
            raise Crash
        return "erased"

    def make_runtime(self) -> Runtime:
        """A new process over the same journal."""

        async def preview(_ctx: LeafContext, payload: Any) -> Preview:
            return Preview(payload.text, state=str(self.revision) if self.names_state else "")

        async def body(ctx: LeafContext, text: str) -> str:
            """Erase a text."""
            return await self.erase(ctx, text)

        erase = tool(name="erase", effect=self.effect)(body).with_preview(preview)
        for policy in self.policies[1:]:
            erase = erase.layer(Approve(Env(), policy=policy))
        agent = Agent("agent", instructions="Work.", tools=[erase])
        return Runtime(
            App(name="eyes", agents=(agent,), policy=self.policies[0]),
            store=self.store,
            model=Scripted([calls(("erase", {"text": "all"})), "done", "done"]),
            directory=lambda name, tenant: superuser(name=name, tenant=tenant),
        )


def _since_refuted(items: list[Item]) -> list[Item]:
    """The items after the last attempt that is known not to have happened, of which no approval is left."""
    void = max((index for index, item in enumerate(items) if isinstance(item, AttemptEnded) and item.void), default=-1)
    refuted = max(
        (
            index
            for index, item in enumerate(items[: void + 1])
            if isinstance(item, DecisionItem) and not Decision.from_json(item.body).approved
        ),
        default=-1,
    )
    return items[refuted + 1 :]


def _has_two_people(items: list[Item], rule: str, arguments: str, state: str) -> bool:
    """Whether one person requested exactly these arguments, and another approved them in this state, under a rule."""
    asked = {
        question.id: question
        for item in _since_refuted(items)
        if isinstance(item, QuestionItem) and (question := Question.from_json(item.body)).rule == rule
    }
    decisions = [Decision.from_json(item.body) for item in items if isinstance(item, DecisionItem)]
    for decision in decisions:
        question = asked.get(decision.question)
        if question is None or not decision.approved or decision.arguments or question.arguments != arguments:
            continue
        requester = question.editor if question.edits else question.asker
        is_current = bool(decision.grant) or question.state == (content_digest(state) if state else "")
        if is_current and decision.by not in (requester, question.asker):
            return True
    return False


def figures(*, short: bool) -> Iterator[Figure]:
    """Executions under four eyes with fewer than two people behind exactly what ran."""
    paths, executions, violations = Counter[str](), 0, 0
    schedules = 60 if short else 4000
    for seed in range(schedules):
        world = asyncio.run(_run_schedule(seed))
        executions, violations = executions + world.executions, violations + world.violations
        paths += world.paths
    counts = ", ".join(f"{name} {count:,}" for name, count in sorted(paths.items()))
    how = f"executions in {schedules:,} random schedules of three people; on their way: {counts}"
    yield no_violations("four_eyes.single", violations, executions, how)


async def _run_schedule(seed: int) -> _World:
    rng = random.Random(seed)
    clock = Clock()
    names = ("first", "second")[: rng.choice((1, 1, 2))]
    world = _World(
        rng,
        InMemoryStore(clock),
        tuple(_four_eyes(name) for name in names),
        rng.choice((Effect.KEYED, Effect.UNSAFE)),
        names_state=rng.random() < 0.6,
        crashes=rng.choice((0, 0, 1)),
    )
    world.paths["second policy"] += len(names) == 2
    runtime = world.make_runtime()
    if rng.random() < 0.3 and len(names) == 1:
        with contextlib.suppress(RemitError):
            await runtime.grants.create("erase", by=rng.choice(PEOPLE), principal="ada", count=1, expires_in=60)
            world.paths["grant"] += 1
    run = await _execute(runtime, world, "")
    for _ in range(12):
        (row,) = await world.store.list_runs()
        if row.status not in ("waiting", "running"):
            break
        await _decide_open(runtime, world)
        if rng.random() < 0.25:
            world.revision += 1
            world.paths["state changed"] += 1
        runtime = world.make_runtime()
        run = await _execute(runtime, world, run or row.run)
    return world


def _four_eyes(name: str) -> Policy:
    return Policy.only(When(name, lambda call: call.callee.name == "erase", Ask(reason=name, four_eyes=True)))


async def _execute(runtime: Runtime, world: _World, run: str) -> str:
    """Execute a run until it rests, fails or its process dies; its id, if it has one by then."""
    result: RunResult[Any] | None = None
    with contextlib.suppress(RemitError, Crash):
        result = await (runtime.resume(run) if run else runtime.run("go", by=PEOPLE[0]))
    return run or (result.run if result is not None else (await world.store.list_runs())[0].run)


async def _decide_open(runtime: Runtime, world: _World) -> None:
    """Each open question is put to a random person, whose decision may be refused."""
    rng = world.rng
    for row in await world.store.list_questions():
        person: Principal = rng.choice(PEOPLE)
        is_outcome = row.question.kind == "outcome"
        edit = not is_outcome and rng.random() < 0.3
        arguments = f'{{"text":"{rng.choice(_TEXTS)}"}}' if edit else ""
        approved = (not is_outcome and rng.random() < 0.95) or edit
        with contextlib.suppress(RemitError):
            await runtime.decide(row.question.id, approved=approved, by=person, arguments=arguments)
            world.paths["outcome" if is_outcome else "edit" if edit else "yes"] += 1
