"""A site with pages, whose tools name a page by a reference."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from remit import Agent, App, Effect, LeafContext, Risk, Runtime, Stack, tool
from remit.journal.ports import Store
from remit.layers import CallLayer
from remit.policies import Question
from remit.runtime import RunResult
from remit.testing import Scripted, calls, superuser
from remit.tools import Candidate, Reference, Referent
from tests.runtime.kit import AnyTool, find_superuser

ADA, BOB = superuser(name="ada"), superuser(name="bob")
PageRef = Annotated[str, Reference("page")]


DROP = calls(("drop", {"page": "home"}))


HOME = {"id": "7", "name": "Home", "revision": "3"}


class Site:
    """Pages, what became of them, and what the resolver was asked."""

    def __init__(self, *, effect: Effect = Effect.KEYED, risk: Risk = Risk.HIGH, confirm: bool = False) -> None:
        self.pages = {
            "7": Candidate("7", "Home", "3", ("home", "start")),
            "8": Candidate("8", "About us", "1", ("about",)),
            "9": Candidate("9", "Team", "5", ("team", "start")),
        }
        self.asked: list[str] = []
        self.dropped: list[tuple[str, str]] = []
        self.script: tuple[Any, ...] = ()

        async def drop(_ctx: LeafContext, page: PageRef) -> str:
            """Drop a page."""
            assert isinstance(page, Referent)
            self.dropped.append((page, page.revision))
            return f"dropped {page}"

        async def confirmed_drop(ctx: LeafContext, page: PageRef, confirmed: bool = False) -> str:
            """Drop a page, or say what would be dropped."""
            return await drop(ctx, page) if confirmed else f"would drop {page}"

        decorate = tool(name="drop", effect=effect, risk=risk, confirm="confirmed" if confirm else None)
        self.drop: AnyTool = decorate(confirmed_drop if confirm else drop)

    async def find(self, ctx: LeafContext, text: str) -> Iterable[Candidate]:
        self.asked.append(f"{text} for {ctx.caller.principal.name} of {ctx.caller.principal.tenant}")
        return self.pages.values()

    def revise(self, page: str, revision: str) -> None:
        old = self.pages[page]
        self.pages[page] = Candidate(old.id, old.name, revision, old.aliases)

    def process(self, *more: Any, store: Store, **options: Any) -> Runtime:
        """Another process, whose model goes on with ``more``."""
        return self.runtime(*self.script, *more, store=store, **options)

    def runtime(self, *script: Any, store: Store, layers: Stack[CallLayer] | None = None, **more: Any) -> Runtime:
        """A process of its own over the store."""
        self.script = script
        tools, policy = more.pop("tools", (self.drop,)), more.pop("policy", None)
        return Runtime(
            App(
                name="test",
                agents=(Agent("test", instructions="Work.", tools=tools),),
                references={"page": self.find},
                policy=policy,
            ),
            store=store,
            model=Scripted(list(script)),
            directory=find_superuser,
            layers=layers,
            **more,
        )


async def open_question(store: Store) -> Question:
    (row,) = [row for row in await store.list_questions() if row.status == "open"]
    return row.question


async def decide(runtime: Runtime, store: Store, **more: Any) -> RunResult[Any]:
    """Approve the open question as bob, and resume its run."""
    question = await open_question(store)
    await runtime.decide(question.id, approved=True, by=BOB, **more)
    return await runtime.resume(question.run)
