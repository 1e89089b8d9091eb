"""An application that invites people by a pipeline, and a judge of what it sent."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from remit import App, Effect, LeafContext, Policy, Principal, Risk, Runtime, tool
from remit.call.call import Call
from remit.errors import ConflictError
from remit.journal.ports import QuestionRow
from remit.layers import Gate
from remit.pipeline import From, Given, Item, Pipeline, Step, Then
from remit.policies import Egress, HighRisk
from remit.runtime import RunResult
from remit.testing import superuser
from remit.tools import Preview
from tests.runtime.kit import Clock, Mortal, find_superuser

ADA, BOB, CYD = superuser(name="ada"), superuser(name="bob"), superuser(name="cyd")
HIGH = Policy.only(HighRisk())
ALL = Policy.only(HighRisk(), Egress())


class Invitation(BaseModel):
    """Who is invited, and with what words."""

    people: list[str]
    words: str = "come"


class NotBob(Gate):
    """Refuses letters to Bob."""

    async def check(self, call: Call, /) -> None:
        """Refuse."""
        if '"bob"' in call.canonical_arguments:
            raise ConflictError("not to Bob")


@dataclass
class Office:
    """An application that sends letters, with its journal and the processes that come and go."""

    policy: Policy = HIGH
    risk: Risk = Risk.HIGH
    egress: bool = False
    four_eyes: bool = False
    nested: bool = False
    back: bool = False
    gate: bool = False
    confirm: bool = False
    effect: Effect = Effect.KEYED
    with_state: bool = False
    clock: Clock = field(default_factory=Clock)
    letters: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    answers: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    revision: int = 1
    fails: int = 0

    def __post_init__(self) -> None:
        self.store = Mortal(self.clock)

    @property
    def sent(self) -> list[tuple[str, str]]:
        """The letters that were sent, with their words, in order."""
        return list(self.letters.values())

    def pipeline(self) -> Pipeline[Invitation]:
        """Count the people, invite each, and report to the head."""

        @tool(effect=Effect.PURE)
        async def count(people: list[str]) -> int:
            """Count people."""
            return len(people)

        @tool(effect=self.effect, risk=self.risk, egress=self.egress, confirm="confirmed" if self.confirm else None)
        async def send(ctx: LeafContext, to: str, words: str, confirmed: bool = False) -> str:
            """Send a letter."""
            if self.fails:
                self.fails -= 1
                raise ConflictError("the post office is closed")
            self.letters.setdefault(ctx.key, (to, words))
            return to

        async def preview(_ctx: LeafContext, payload: Any) -> Preview:
            return Preview(f"a letter to {payload.to}", state=f"r{self.revision}")

        tools = send.with_preview(preview) if self.with_state else send
        tools = tools.layer(NotBob()) if self.gate else tools
        takes = {"to": Item(), "words": Given("words"), "confirmed": True}
        on_failure = "count" if self.back else Then.STOP
        invite = Step(name="invite", callee=tools, each=Given("people"), takes=takes, on_failure=on_failure)
        if self.nested:
            inner = Pipeline("invite_all", Invitation, [invite], description="Invite.")
            invite = Step(name="invite", callee=inner, takes={"people": Given("people"), "words": Given("words")})
        steps = [
            Step(name="count", callee=count, takes={"people": Given("people")}),
            invite,
            Step(name="end", callee=count, takes={"people": []})
            if self.nested
            else Step(name="report", callee=tools, takes={"to": "head", "words": From("invite", 0), "confirmed": True}),
        ]
        return Pipeline("party", Invitation, steps, description="Invite people.")

    def process(self, policy: Policy | None = None) -> Runtime:
        """A new process over the same journal."""
        made = self.pipeline()
        tools = {each.name: each for step in made.steps for each in (step.callee, *getattr(step.callee, "callees", ()))}
        app = App(name="office", tools=(made, *tools.values()), policy=policy or self.policy)
        self.made = made
        return Runtime(app, store=self.store, clock=self.clock, directory=find_superuser)

    async def start(self, *people: str, words: str = "come") -> RunResult[Any]:
        """Start the pipeline as Ada."""
        runtime = self.process()
        return await runtime.call(self.made, ADA, Invitation(people=list(people), words=words))

    async def open_rows(self) -> list[QuestionRow]:
        """The open questions."""
        return [row for row in await self.store.list_questions() if row.status == "open"]

    async def answer(self, *, by: Principal = BOB, approved: bool = True, arguments: str = "") -> list[QuestionRow]:
        """Answer all open questions, and note what they showed."""
        rows, runtime = await self.open_rows(), self.process()
        for row in rows:
            await runtime.decide(row.question.id, approved=approved, by=by, arguments=arguments)
            if approved:
                self.answers.update(_list_shown_calls(row, arguments))
        return rows

    async def resume(self, run: str, policy: Policy | None = None) -> RunResult[Any]:
        """Another process goes on."""
        return await self.process(policy).resume(run)

    def check(self) -> None:
        """Judge: every letter was shown to an approver with exactly its arguments, and was sent once for each yes."""
        assert not Counter(self.sent) - self.answers


def _list_shown_calls(row: QuestionRow, arguments: str) -> list[tuple[str, str]]:
    question = row.question
    shown = [(each.tool, each.arguments) for each in question.plan]
    letters = [(question.tool, arguments or question.arguments), *shown]
    values = [json.loads(text) for name, text in letters if name == "send"]
    return [(each["to"], each["words"]) for each in values]
