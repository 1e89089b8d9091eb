"""A decision counts as long as its author has the right to make it: that is looked up when the decision is used."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from remit import Agent, App, Effect, Principal, Risk, Runtime, preset, tool
from remit.app import Env
from remit.approvals.authority import check_deciders
from remit.errors import SealError
from remit.layers import Call, CallService, Reply, layer_fn
from remit.pipeline import Given, Pipeline, Step
from remit.policies import Ask, Decision, Policy, Question, When
from remit.runtime import RunResult
from remit.stores import InMemoryStore, Store
from remit.testing import Scripted, calls
from tests.runtime.kit import Crash

DECIDE = frozenset({"approvals:decide"})
ADA, BOB, CAROL = (Principal(name, permissions=DECIDE) for name in ("ada", "bob", "carol"))
LOSSES = pytest.mark.parametrize(
    ("today", "why"),
    [
        (None, "is unknown now"),
        (Principal("bob"), "lacks the permission approvals:decide now"),
        (Principal("bob", permissions=frozenset({"approvals:decide@cafe/*"})), "lacks the permission approvals:decide"),
    ],
    ids=["gone", "without-right", "right-elsewhere"],
)


class Amount(BaseModel):
    amount: int


class Bank:
    """A tool that needs approval, and a directory that changes."""

    def __init__(self, store: Store, *, effect: Effect = Effect.UNSAFE, with_directory: bool = True) -> None:
        self.paid: list[int] = []
        self.store = store
        self.people: dict[str, Principal | None] = {each.name: each for each in (ADA, BOB, CAROL)}
        self._with_directory = with_directory

        @tool(effect=effect, risk=Risk.HIGH)
        async def pay(amount: int) -> str:
            """Pay."""
            self.paid.append(amount)
            if self.crashes:
                raise Crash
            return f"paid {amount}"

        self.pay = pay
        self.crashes = False

    def find(self, name: str, _tenant: str) -> Principal | None:
        return self.people.get(name)

    def runtime(self, *, env: Env | None = None, policy: Policy | None = None, tools: tuple[Any, ...] = ()) -> Runtime:
        script = Scripted([calls(("pay", {"amount": 3})), "done"] * 3)
        agent = Agent("clerk", instructions="Work.", tools=[self.pay, *tools], model=script)
        layers = preset(env or Env(), policy=policy) if policy else preset(env or Env())
        directory = self.find if self._with_directory else None
        return Runtime(App(name="bank", agents=(agent,)), store=self.store, layers=layers, directory=directory)

    async def ask(self, runtime: Runtime) -> RunResult[Any]:
        result = await runtime.run("go", by=ADA)
        assert (result.status, self.paid) == ("waiting", [])
        return result

    async def question(self, result: RunResult[Any]) -> Question:
        [name] = result.questions
        row = await self.store.find_question(name)
        assert row is not None
        return row.question


@LOSSES
async def test_an_approval_of_someone_who_has_lost_the_right_does_not_serve_and_another_is_asked_for(
    store: Store, today: Principal | None, why: str
) -> None:
    bank = Bank(store)
    runtime = bank.runtime()
    asked = await bank.ask(runtime)
    await runtime.decide(asked.questions[0], approved=True, by=BOB)
    bank.people["bob"] = today
    again = await bank.runtime().resume(asked.run)
    question = await bank.question(again)
    assert (again.status, bank.paid, question.replaces) == ("waiting", [], asked.questions[0])
    assert f"asked again, because bob, who decided, {why}" in question.why
    bank.people["bob"] = BOB
    assert (await bank.runtime().resume(asked.run)).questions == again.questions
    await runtime.decide(question.id, approved=True, by=CAROL)
    assert (await bank.runtime().resume(asked.run)).value() == "done"
    assert bank.paid == [3]
    assert (await runtime.replay(asked.run)).is_identical


async def test_a_denial_stands_whatever_its_author_has_lost(store: Store) -> None:
    bank = Bank(store)
    runtime = bank.runtime()
    asked = await bank.ask(runtime)
    await runtime.decide(asked.questions[0], approved=False, by=BOB)
    bank.people["bob"] = None
    assert (await bank.runtime().resume(asked.run)).status == "done"
    assert bank.paid == []


@LOSSES
async def test_an_edit_of_someone_who_has_lost_the_right_is_asked_about(
    store: Store, today: Principal | None, why: str
) -> None:
    bank = Bank(store)
    runtime = bank.runtime()
    asked = await bank.ask(runtime)
    await runtime.decide(asked.questions[0], approved=True, by=BOB, arguments='{"amount": 9}')
    bank.people["bob"] = today
    again = await bank.runtime().resume(asked.run)
    question = await bank.question(again)
    assert (bank.paid, question.arguments, question.editor) == ([], '{"amount":9}', "bob")
    assert why in question.why
    await runtime.decide(question.id, approved=True, by=CAROL)
    assert (await bank.runtime().resume(asked.run)).value() == "done"
    assert bank.paid == [9]
    assert (await runtime.replay(asked.run)).is_identical


@LOSSES
async def test_a_grant_of_someone_who_has_lost_the_right_does_not_serve(
    store: Store, today: Principal | None, why: str
) -> None:
    bank = Bank(store)
    await bank.runtime().grants.create("pay", by=BOB, principal="ada", count=3, expires_in=100)
    bank.people["bob"] = today
    asked = await bank.ask(bank.runtime())
    assert why not in (await bank.question(asked)).why
    bank.people["bob"] = BOB
    assert (await bank.runtime().run("go", by=ADA)).value() == "done"
    assert bank.paid == [3]


@LOSSES
async def test_an_approval_with_the_calls_of_a_pipeline_does_not_serve_for_those_that_come_after_the_loss(
    store: Store, today: Principal | None, why: str
) -> None:
    bank = Bank(store)

    @tool(effect=Effect.PURE)
    async def look(amount: int) -> int:
        """Look, and learn that the approver has left."""
        bank.people["bob"] = today
        return amount

    takes = {"amount": Given("amount")}
    steps = [Step(name="look", callee=look, takes=takes), Step(name="pay", callee=bank.pay, takes=takes)]
    both = Pipeline("both", Amount, steps, description="Look, then pay.")
    app = App(name="bank", tools=(both, look, bank.pay))
    runtime = Runtime(app, store=store, directory=bank.find)
    asked = await runtime.call(both, ADA, Amount(amount=3))
    await runtime.decide(asked.questions[0], approved=True, by=BOB)
    again = await runtime.resume(asked.run)
    assert (again.status, bank.paid) == ("waiting", [])
    assert why in (await bank.question(again)).why
    await runtime.decide(again.questions[0], approved=True, by=CAROL)
    assert (await runtime.resume(asked.run)).status == "done"
    assert bank.paid == [3]
    assert (await runtime.replay(asked.run)).is_identical


@pytest.mark.parametrize("happened", [True, False])
@LOSSES
async def test_an_answer_about_an_outcome_does_not_serve_if_its_author_has_lost_the_right(
    store: Store, today: Principal | None, why: str, happened: bool
) -> None:
    bank = Bank(store)
    runtime, bank.crashes = bank.runtime(), True
    asked = await bank.ask(runtime)
    await runtime.decide(asked.questions[0], approved=True, by=CAROL, arguments='{"amount": 9}')
    with pytest.raises(Crash):
        await bank.runtime().resume(asked.run)
    bank.crashes = False
    unknown = await bank.runtime().resume(asked.run)
    result = "paid 9" if happened else ""
    await runtime.decide(unknown.questions[0], approved=happened, by=BOB, result=result)
    bank.people["bob"] = today
    again = await bank.runtime().resume(asked.run)
    question = await bank.question(again)
    assert (again.status, bank.paid, question.kind) == ("waiting", [9], "outcome")
    assert f"did it happen?; asked again, because bob, who decided, {why}" in question.why
    assert (question.replaces, question.asker) == (unknown.questions[0], "ada")
    bank.people["bob"] = BOB
    assert (await bank.runtime().resume(asked.run)).questions == again.questions
    await runtime.decide(question.id, approved=happened, by=CAROL, result=result)
    ended = await bank.runtime().resume(asked.run)
    assert ended.status == ("done" if happened else "waiting")  # what did not happen needs an approval of its own
    assert bank.paid == [9]
    assert (await runtime.replay(asked.run)).is_identical


class OwnApprover:
    """Approves everything in this process, in the name of one person."""

    def __init__(self, by: str) -> None:
        self.by = by

    async def decide(self, question: Question, /) -> Decision | None:
        return Decision(question=question.id, approved=True, by=self.by)


@pytest.mark.parametrize(("by", "paid"), [("bob", [3]), ("stranger", []), ("dora", [])])
async def test_an_approver_in_this_process_decides_for_a_person_with_the_right(
    store: Store, by: str, paid: list[int]
) -> None:
    bank = Bank(store)
    bank.people["dora"] = Principal("dora")
    result = await bank.runtime(env=Env(approver=OwnApprover(by))).run("go", by=ADA)
    assert (result.status, bank.paid) == ("done", paid)


async def test_a_confirmation_needs_no_right_but_a_person(store: Store) -> None:
    policy = Policy(When("high", lambda call: call.callee.facts.risk is Risk.HIGH, Ask(reason="r", kind="confirm")))
    bank = Bank(store)
    asked = await bank.ask(bank.runtime(policy=policy))
    await bank.runtime(policy=policy).decide(asked.questions[0], approved=True, by=ADA, kind="confirm")
    bank.people["ada"] = Principal("ada")
    assert (await bank.runtime(policy=policy).resume(asked.run)).value() == "done"
    assert bank.paid == [3]


async def test_without_a_directory_the_permissions_count_with_which_a_person_was_met_last(store: Store) -> None:
    bank = Bank(store, with_directory=False)
    runtime = bank.runtime()
    asked = await bank.ask(runtime)
    await runtime.client(BOB).decide(asked.questions[0], approved=True)
    runtime.client(Principal("bob"))
    again = await runtime.resume(asked.run)
    assert "bob, who decided, lacks the permission" in (await bank.question(again)).why
    await runtime.decide(again.questions[0], approved=True, by=Principal("bob", permissions=DECIDE))
    copied = runtime.layer(pass_on())
    assert (await copied.resume(asked.run)).value() == "done"


async def test_without_a_directory_a_person_of_whom_nothing_is_known_counts_as_when_they_decided(store: Store) -> None:
    bank = Bank(store, with_directory=False)
    runtime = bank.runtime()
    asked = await bank.ask(runtime)
    await runtime.decide(asked.questions[0], approved=True, by=BOB)
    other = bank.runtime()
    other.add_principals(ADA)
    assert (await other.resume(asked.run)).value() == "done"


async def test_the_right_is_looked_up_again_after_the_last_wait_before_the_call() -> None:
    bank = Bank(InMemoryStore())

    @layer_fn
    async def wait_long(call: Call, inner: CallService, /) -> Reply:
        if call.approvals and not waited:
            waited.append(call.id)
            bank.people["bob"] = None
        return await inner(call)

    waited: list[str] = []
    bank.pay = bank.pay.layer(wait_long())
    runtime = bank.runtime()
    asked = await bank.ask(runtime)
    await runtime.decide(asked.questions[0], approved=True, by=BOB)
    again = await bank.runtime().resume(asked.run)
    assert (again.status, bank.paid, len(waited)) == ("waiting", [], 1)
    assert "bob, who decided, is unknown now" in (await bank.question(again)).why


async def test_where_no_layer_could_ask_anew_the_call_is_refused() -> None:
    bank, refusals = Bank(InMemoryStore()), list[str]()

    @layer_fn
    async def forget_approvals(call: Call, inner: CallService, /) -> Reply:
        if call.approvals:
            bank.people["bob"] = None
            try:
                check_deciders(call.replace(approvals=()))
            except SealError as error:
                refusals.append(error.message)
            bank.people["bob"] = BOB
        return await inner(call)

    bank.pay = bank.pay.layer(forget_approvals())
    asked = await bank.ask(bank.runtime())
    await bank.runtime().decide(asked.questions[0], approved=True, by=BOB)
    await bank.runtime().resume(asked.run)
    assert refusals == ["the approval of pay does not count: bob, who decided, is unknown now"]


@layer_fn
async def pass_on(call: Call, inner: CallService, /) -> Reply:
    return await inner(call)
