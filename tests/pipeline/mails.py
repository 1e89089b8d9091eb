"""Tools about mail to make pipelines of, and a way to run one."""

from __future__ import annotations

from typing import Any, cast

from pydantic import BaseModel, Field

from remit import Agent, App, Effect, LeafContext, Risk, Runtime, Stack, Tool, tool
from remit.errors import CallError, NotFoundError
from remit.layers import CallLayer
from remit.pipeline import From, Given, Item, Pipeline, PipelineResult, Step, Text
from remit.runtime import RunResult
from remit.testing import Scripted, superuser
from remit.tools import Callee

Mails = Pipeline["File"]


class File(BaseModel):
    """What to file, and where."""

    query: str
    casefile: str = "cf_1"
    limit: int = Field(default=2, ge=1)
    tags: list[str] = Field(default_factory=list[str])


class Head(BaseModel):
    """The head of a mail."""

    id: str
    thread: str | None = None


class Heads(BaseModel):
    """What a search found."""

    messages: list[Head]
    total: int


class Mail(BaseModel):
    """A mail."""

    id: str
    text: str


class Store(BaseModel):
    """What to store."""

    casefile: str
    mails: list[Mail]


class Stored(BaseModel):
    """How many were stored."""

    stored: int


class Mailbox:
    """A mailbox and a casefile. ``failing`` has errors for a tool, which it raises one after another."""

    def __init__(self, *mails: str) -> None:
        self.mails = mails or ("m1", "m2")
        self.done: list[str] = []
        self.keys: dict[str, list[str]] = {}
        self.failing: dict[str, list[type[Exception]]] = {}

    def did(self, name: str, said: str, ctx: LeafContext) -> None:
        """Write down what was done, or fail."""
        self.keys.setdefault(name, []).append(ctx.key)
        errors = self.failing.get(name)
        if errors:
            raise errors.pop(0)(f"{name} did not work")
        self.done.append(said)

    def search(self) -> Tool[..., Heads]:
        """Search."""

        @tool(effect=Effect.PURE, permissions={"mail:read"})
        async def search(ctx: LeafContext, query: str, limit: int = 10) -> Heads:
            """Search the mail."""
            self.did("search", f"search {query}", ctx)
            found = [Head(id=each) for each in self.mails[:limit]]
            return Heads(messages=found, total=len(self.mails))

        return search

    def read(self) -> Tool[..., Mail]:
        """Read."""

        @tool(effect=Effect.PURE, permissions={"mail:read"})
        async def read(ctx: LeafContext, mail_id: str) -> Mail:
            """Read a mail."""
            self.did("read", f"read {mail_id}", ctx)
            if mail_id not in self.mails:
                raise NotFoundError(f"there is no mail {mail_id}")
            return Mail(id=mail_id, text=f"the text of {mail_id}")

        return read

    def store(self, effect: Effect = Effect.KEYED, risk: Risk = Risk.MODERATE) -> Tool[..., Stored]:
        """Store."""

        @tool(effect=effect, risk=risk, permissions={"casefiles:write"})
        async def store(ctx: LeafContext, asked: Store) -> Stored:
            """Store mails in a casefile."""
            self.did("store", f"store {len(asked.mails)} in {asked.casefile}", ctx)
            return Stored(stored=len(asked.mails))

        return store

    def note(self, effect: Effect = Effect.KEYED) -> Tool[..., str]:
        """Note."""

        @tool(effect=effect, permissions={"casefiles:write"})
        async def note(ctx: LeafContext, casefile: str, text: str) -> str:
            """Write a note."""
            self.did("note", f"note {text!r}", ctx)
            return f"noted in {casefile}"

        return note

    def steps(self, **changed: Any) -> dict[str, Step]:
        """The four steps of filing, by name; ``changed`` has other arguments of the steps."""
        given: dict[str, dict[str, Any]] = {
            "search": {"callee": self.search(), "takes": {"query": Given("query"), "limit": Given("limit")}},
            "read": {
                "callee": self.read(),
                "each": From("search", "messages"),
                "takes": {"mail_id": Item("id")},
            },
            "store": {"callee": self.store(), "takes": {"casefile": Given("casefile"), "mails": From("read")}},
            "note": {
                "callee": self.note(),
                "takes": {
                    "casefile": Given("casefile"),
                    "text": Text("{n} of {query}", n=From("store", "stored"), query=Given("query")),
                },
            },
        }
        return {name: Step(name=name, **{**each, **changed.get(name, {})}) for name, each in given.items()}

    def filing(self, **changed: Any) -> Mails:
        """The pipeline that files mail."""
        return pipeline(*self.steps(**changed).values(), keep={"stored": From("store", "stored")})


def pipeline(*steps: Step, **knobs: Any) -> Mails:
    """A pipeline of steps."""
    return Pipeline("file_mail", File, steps, description="File mail in a casefile.", **knobs)


async def ran(
    made: Mails, *, layers: Stack[CallLayer] | None = None, payload: File | None = None
) -> RunResult[PipelineResult]:
    """A run of the pipeline, called from Python."""
    runtime = runtime_of(made, layers=layers)
    return await runtime.call(made, superuser(), payload or File(query="from:ada"))


async def outcome(made: Mails, payload: File | None = None) -> PipelineResult:
    """What a pipeline gives without any layer around it."""
    return (await ran(made, layers=Stack[CallLayer](), payload=payload)).value()


def steps_of(made: Pipeline[Any]) -> dict[str, Callee[..., Any]]:
    """The callees of all steps by their names, those of pipelines among them too."""
    callees = {step.callee.name: step.callee for step in made.steps}
    for step in list(callees.values()):
        if isinstance(step, Pipeline):
            callees |= steps_of(cast("Pipeline[Any]", step))
    return callees


def runtime_of(made: Mails, *, script: Any = ("done",), **knobs: Any) -> Runtime:
    """A runtime that has the pipeline and its steps."""
    tools = steps_of(made)
    agent = Agent("agent", instructions="Work.", tools=[made, *tools.values()])
    return Runtime(App(name="test", agents=(agent,)), model=Scripted(script), **knobs)


def raising(error: type[CallError], times: int = 1) -> list[type[Exception]]:
    """So many errors."""
    return [error] * times
