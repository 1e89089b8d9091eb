"""Bodies that make calls side by side, in every way that asyncio offers, and a judge outside of the journal."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Final

from remit import App, Context, Effect, LeafContext, Risk, Runtime, Tool, tool
from remit.app import Env
from remit.journal.ports import Store
from remit.policies import Decision, Question
from remit.runtime import RunResult
from remit.testing import superuser
from tests.runtime.kit import find_superuser

ADA, BOB = superuser(name="ada"), superuser(name="bob")
Calls = Sequence[Coroutine[Any, Any, str]]
Together = Callable[[Calls], Awaitable[object]]


async def gathered(calls: Calls) -> object:
    return await asyncio.gather(*calls)


async def in_a_group(calls: Calls) -> object:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(each) for each in calls]
    return [task.result() for task in tasks]


async def waited_for(calls: Calls) -> object:
    tasks = [asyncio.ensure_future(each) for each in calls]
    await asyncio.wait(tasks)
    return [task.result() for task in tasks]


async def gathered_with_exceptions(calls: Calls) -> object:
    return await asyncio.gather(*calls, return_exceptions=True)


async def caught(calls: Calls) -> object:
    try:
        return await asyncio.gather(*calls)
    except BaseException:  # noqa: BLE001 - as careless code does
        return None


async def caught_in_a_group(calls: Calls) -> object:
    try:
        return await in_a_group(calls)
    except BaseException:  # noqa: BLE001 - as careless code does
        return None


async def nested_groups(calls: Calls) -> object:
    return await gathered([in_pairs(calls[:2]), in_pairs(calls[2:])])


async def in_pairs(calls: Calls) -> str:
    return str(await in_a_group(calls))


async def shielded(calls: Calls) -> object:
    return await asyncio.gather(*(asyncio.shield(each) for each in calls))


WAYS: Final[list[Together]] = [
    gathered,
    in_a_group,
    waited_for,
    gathered_with_exceptions,
    caught,
    caught_in_a_group,
    nested_groups,
    shielded,
]
SIBLINGS: Final = ["pure", "idempotent", "keyed", "unsafe", "composed", "asking"]


class Scene:
    """A body that makes two calls that are asked about and, between them, one that runs longer than they do.

    ``effects`` are the texts that the tools wrote. The body then writes "after", which must wait for the answers.
    """

    def __init__(self, together: Together, sibling: str, store: Store, *, depth: int = 1) -> None:
        self.effects: list[str] = []
        self.store = store
        self._asked = asyncio.Event()
        self._together = together
        self._depth = depth
        write = self._writing_tool("write", Effect.KEYED, Risk.SAFE)
        erase = self._writing_tool("erase", Effect.UNSAFE, Risk.HIGH)
        between, *below = self._make_sibling(sibling)

        @tool(effect=Effect.COMPOSED)
        async def work(ctx: Context) -> str:
            """Work on three things at once."""
            await together([ctx.call(erase, "a"), ctx.call(between, "slow"), ctx.call(erase, "b")])
            await ctx.call(write, "after")
            return "done"

        tools: list[Tool[..., Any]] = [work, write, erase, between, *below]
        for number in range(1, depth):
            tools.insert(0, self._wrap(tools[0], number))
        self.body: Tool[..., str] = tools[0]
        self._app = App(name="test", tools=tools, env=Env(approver=self))

    def _wrap(self, inner: Tool[..., str], number: int) -> Tool[..., str]:
        @tool(name=f"outer{number}", effect=Effect.COMPOSED)
        async def outer(ctx: Context) -> str:
            """Work on one thing among others."""
            await self._together([ctx.call(inner)])
            return "done"

        return outer

    def _writing_tool(self, name: str, effect: Effect, risk: Risk, *, is_slow: bool = False) -> Tool[[str], str]:
        @tool(name=name, effect=effect, risk=risk)
        async def write(_ctx: LeafContext, text: str) -> str:
            """Write a text."""
            if is_slow:
                await self._asked.wait()
                for _ in range(50):
                    await asyncio.sleep(0)
            self.effects.append(text)
            return f"wrote {text}"

        return write

    def _make_sibling(self, kind: str) -> list[Tool[..., str]]:
        if kind == "asking":
            return [self._writing_tool("slow", Effect.UNSAFE, Risk.HIGH)]
        leaf = self._writing_tool(
            "slow", Effect.UNSAFE if kind == "composed" else Effect(kind), Risk.SAFE, is_slow=True
        )
        if kind != "composed":
            return [leaf]

        @tool(effect=Effect.COMPOSED)
        async def twice(ctx: Context, text: str) -> str:
            """Write a text, then once more."""
            return await ctx.call(leaf, text) + await ctx.call(leaf, "again")

        return [twice, leaf]

    async def decide(self, question: Question, /) -> Decision | None:
        """Let the slow sibling go on once both questions are asked; the answers come later."""
        if question.arguments == '{"text":"b"}':
            self._asked.set()

    def process(self) -> Runtime:
        """A runtime as in a new process."""
        return Runtime(self._app, store=self.store, directory=find_superuser)

    async def answer_all(self, result: RunResult[Any]) -> RunResult[Any]:
        """Approve all that is asked, and tell the truth about what a crash cut off, each in a process of its own."""
        while result.status == "waiting":
            for question in result.questions:
                row = await self.store.find_question(question)
                assert row is not None
                text = json.loads(row.question.arguments)["text"]
                approved = row.question.kind == "approval" or text in self.effects
                reported = f"wrote {text}" if row.question.kind == "outcome" else ""
                await self.process().decide(question, approved=approved, by=BOB, result=reported)
            result = await self.process().resume(result.run)
        return result
