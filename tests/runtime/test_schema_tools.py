"""A tool made from a JSON schema is governed as a typed one: asked about, edited, resumed, replayed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit import Ask, Effect, LeafContext, Policy, Runtime, Tool, When
from remit.errors import RequestError
from remit.journal.ports import Store
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import last_reply, runtime_of

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "cents": {"type": "number"}, "note": {"type": "string", "default": ""}},
    "required": ["to", "cents"],
}
PAY = calls(("pay", {"to": "bob", "cents": 500}))
ASK = Policy.only(
    When("money", lambda call: json.loads(call.canonical_arguments).get("cents", 0) > 100, Ask(reason="it is money"))
)


class Till:
    """What was paid, by a tool of a JSON schema."""

    def __init__(self, schema: dict[str, Any] = SCHEMA, gives: object = None) -> None:
        self.paid: list[dict[str, Any]] = []
        self.gives = gives

        async def pay(_ctx: LeafContext, arguments: dict[str, Any]) -> object:
            self.paid.append(arguments)
            return self.gives or {"paid": arguments["cents"]}

        output = {"type": "object", "properties": {"paid": {"type": "number"}}, "required": ["paid"]}
        self.pay = Tool.from_schema("pay", "Pay.", schema, pay, output, effect=Effect.KEYED)


def runtime_with(till: Till, store: Store, *script: Any) -> tuple[Runtime, Scripted]:
    model = Scripted([*(script or (PAY,)), "done"])
    return runtime_of(model, till.pay, store=store, policy=ASK), model


async def test_a_call_waits_for_approval_and_goes_on_in_another_process(store: Store) -> None:
    runtime, _ = runtime_with(Till(), store)
    waiting = await runtime.run("go", by=superuser())
    asked = await store.find_question(waiting.questions[0])
    assert asked is not None
    assert asked.question.arguments == '{"cents":500,"note":"","to":"bob"}'
    await runtime.decide(waiting.questions[0], approved=True, by=superuser())

    till = Till()
    other, model = runtime_with(till, store)
    assert (await other.resume(waiting.run)).value() == "done"
    assert till.paid == [{"to": "bob", "cents": 500, "note": ""}]
    assert last_reply(model) == {"paid": 500}
    assert (await other.replay(waiting.run)).is_identical
    assert (await runtime_with(Till(), store)[0].replay(waiting.run)).is_identical


async def test_edited_arguments_run_as_they_were_written_and_are_checked_by_the_schema(store: Store) -> None:
    till = Till()
    runtime, model = runtime_with(till, store)
    waiting = await runtime.run("go", by=superuser())
    for wrong in ('{"to":"eve"}', '{"to":"eve","cents":1,"x":1}', '{"to":"eve","cents":"1"}'):
        with pytest.raises(RequestError, match="these arguments are not valid for pay"):
            await runtime.decide(waiting.questions[0], approved=True, by=superuser(), arguments=wrong)
    await runtime.decide(waiting.questions[0], approved=True, by=superuser(), arguments='{"to":"eve","cents":1}')
    await runtime.resume(waiting.run)
    assert till.paid == [{"to": "eve", "cents": 1.0, "note": ""}]
    assert last_reply(model)["arguments"] == {"cents": 1.0, "note": "", "to": "eve"}
    assert (await runtime.replay(waiting.run)).is_identical


async def test_an_approval_does_not_hold_for_another_schema(store: Store) -> None:
    runtime, _ = runtime_with(Till(), store)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=True, by=superuser())

    till = Till({**SCHEMA, "properties": {**SCHEMA["properties"], "fee": {"type": "number"}}})
    again = await runtime_with(till, store)[0].resume(waiting.run)
    assert again.status == "waiting"
    assert till.paid == []


async def test_a_model_reads_why_its_arguments_or_the_result_do_not_fit(store: Store) -> None:
    runtime, model = runtime_with(Till(), store, calls(("pay", {"to": 3, "cents": 1, "x": 1})))
    await runtime.run("go", by=superuser())
    assert last_reply(model)["errorCode"] == "VALIDATION_ERROR"
    assert last_reply(model)["error"].startswith(
        "to: Input should be a valid string; x: no such parameter. Parameters:"
    )

    runtime, model = runtime_with(Till(gives=["x"]), store, calls(("pay", {"to": "bob", "cents": 1})))
    await runtime.run("go", by=superuser())
    assert last_reply(model)["errorCode"] == "INVALID_OUTPUT"


async def test_code_calls_it_with_arguments_by_name(store: Store) -> None:
    till = Till()
    runtime, _ = runtime_with(till, store)
    assert (await runtime.call(till.pay, superuser(), to="bob", cents=1)).value() == {"paid": 1.0}
    assert till.paid == [{"to": "bob", "cents": 1.0, "note": ""}]
