"""Methods are called by their own requests or by key, with or without a tool, and every error is a FAILED response."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from remit import Agent, App, Block, Context, Effect, Policy, Runtime, Stack, When, tool
from remit.errors import (
    ContractError,
    IdempotencyError,
    InvalidOutputError,
    RequestNotFoundError,
    SetupError,
)
from remit.inventory import (
    InventoryError,
    Request,
    Status,
    ToolResponse,
    handle_request,
    run_checklist,
)
from remit.items import RunOpened
from remit.layers import Call, CallService, Redact, Reply, Validate, layer_fn
from remit.testing import superuser
from remit.tools import Arguments
from tests.inventory.requested import ADA, DeskRequest, Library, Loan, Order, OrderRequest, RenewRequest, RenewResponse
from tests.runtime.kit import items_of


def deep(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path)


async def test_the_request_of_a_method_is_answered_with_the_response_of_the_method(library: Library) -> None:
    request = RenewRequest(user_id="ada", session_id="s1", payload=Loan(number=1), metadata={"trace": "t1"})
    response = await handle_request(library.runtime, request, by=ADA)
    assert type(response) is RenewResponse
    assert response.model_dump(mode="json") == {
        "request_id": str(request.request_id),
        "status": "COMPLETED",
        "payload": {"number": 1},
        "error": None,
        "questions": [],
        "metadata": {"trace": "t1"},
    }
    (seen,) = library.loans.seen
    assert (seen.user_id, seen.session_id, seen.metadata) == ("ada", "s1", {"trace": "t1"})
    (row,) = await library.runtime.store.list_runs()
    header = (await items_of(library.runtime.store, row.run))[0]
    assert isinstance(header, RunOpened)
    assert (header.callee, header.metadata) == ("renew_loan", '{"trace":"t1"}')
    assert await handle_request(library.runtime, request, by=ADA) == response
    assert len(library.loans.seen) == 1


async def test_a_derived_request_and_json_are_answered_alike(library: Library) -> None:
    method = library.operations.methods["library.loans.count"]
    request = method.request(user_id="ada", payload=method.payload.model_validate({"prefix": "a"}))
    assert await library.send(request, method="library.loans.count") == ("COMPLETED", ["a"])
    sent = {**request.model_dump(mode="json"), "request_id": str(uuid4())}
    assert await library.send(sent, method="library.loans.count") == ("COMPLETED", ["a"])
    renewed = {"user_id": "ada", "operation": "renew", "payload": {"number": 2}}
    assert await library.send(renewed) == ("COMPLETED", {"number": 2})


async def test_a_method_without_a_tool_is_called_by_key_under_its_own_policies(library: Library) -> None:
    count = Arguments('{"prefix":"a"}', {"prefix": "a"})
    result = await library.runtime.call_by_name("library.loans.count", count, by=ADA)
    assert result.value() == ["a"]
    assert (await library.runtime.replay(result.run)).is_identical
    denied = await library.runtime.call_by_name("library.loans.count", count, by=superuser("books:read", name="bob"))
    assert "missing permission books:lend" in denied.text
    assert "count" not in str(library.operations.callees)


async def test_a_method_of_high_risk_waits_for_an_approver_and_its_response_is_pending(library: Library) -> None:
    request = {"request_id": str(uuid4()), "user_id": "ada", "operation": "burn", "payload": {"number": 7}}
    pending = await handle_request(library.runtime, request, by=ADA)
    assert (pending.status, pending.payload) == (Status.PENDING, None)
    await library.runtime.decide(pending.questions[0], approved=True, by=superuser(name="bob"))
    assert await library.send(request) == ("COMPLETED", "burned 7")


@pytest.mark.parametrize("name", ["library.loans.count", "library.loans.renew"])
async def test_code_of_the_application_calls_a_method_by_key(tmp_path: Path, name: str) -> None:
    arguments = {"prefix": "a"} if name.endswith("count") else {"number": 3}

    @tool(effect=Effect.COMPOSED)
    async def ask(ctx: Context) -> str:
        """Ask a method."""
        return str(await ctx.call(name, arguments))

    runtime = Library(tmp_path, ask).runtime
    assert (await runtime.call(ask, ADA)).value() in {"['a']", "number=3"}


async def test_every_error_of_a_request_is_a_failed_response(library: Library) -> None:
    renew: dict[str, Any] = {"user_id": "ada", "operation": "renew", "payload": {"number": 1}}
    assert await library.send({**renew, "payload": {"number": 13}}) == ("NOT_FOUND", "there is no loan 13")
    code, message = await library.send({**renew, "payload": {}})
    assert (code, message) == ("BAD_REQUEST", "the request does not fit RenewRequest: payload.number: Field required")
    code, message = await library.send({**renew, "user_id": "bob"})
    assert (code, message.partition(" names ")[2]) == ("REQUEST_DENIED", "the user 'bob', but 'ada' sends it")
    again = {**renew, "request_id": str(UUID(int=7))}
    assert (await library.send(again))[0] == "COMPLETED"
    assert (await library.send({**again, "payload": {"number": 2}}))[0] == "IDEMPOTENCY_KEY_REUSED"
    unknown = {"user_id": "ada", "operation": "tool_execution", "payload": {"tool_name": "nope"}}
    assert (await library.send(unknown))[0] == "REQUEST_NOT_FOUND"
    code, message = await library.send(renew, method="nope")
    assert code == "REQUEST_NOT_FOUND"
    assert message.startswith("the inventory has no method 'nope'; available: library.loans.burn, library.loans.count")
    count: dict[str, Any] = {"user_id": "ada", "operation": "count", "payload": {}}
    several = "write method='library.loans.count' or 'library.shop.count'"
    assert await library.send(count) == ("BAD_REQUEST", f"several methods have the operation 'count'; {several}")
    assert await library.send(count, method="library.shop.count") == ("COMPLETED", 3)
    inspect = {"user_id": "ada", "operation": "inspect", "payload": {"number": 1}}
    assert await library.send(inspect) == (
        "BAD_REQUEST",
        "the method library.loans.inspect is called by its tools (inspect_loan); send a ToolRequest for one of them",
    )
    huge = {**renew, "metadata": {"x": "y" * 5000}}
    assert await library.send(huge) == ("BAD_REQUEST", "metadata is too long; give at most 4,000 characters")


async def test_a_method_that_says_itself_that_it_is_pending_is(library: Library) -> None:
    for number, payload in ((14, Loan(number=14)), (15, None)):
        request = RenewRequest(user_id="ada", payload=Loan(number=number), metadata={"a": 1})
        response = await handle_request(library.runtime, request, by=ADA)
        assert response == RenewResponse.pending(request, payload=payload)
        assert type(response) is RenewResponse
        called = {"tool_name": "renew_loan", "parameters": {"number": number}}
        of_tool = await handle_request(library.runtime, {"user_id": "ada", "payload": called}, by=ADA)
        assert (type(of_tool), of_tool.status) == (ToolResponse, Status.PENDING)
        assert (of_tool.payload and of_tool.payload.result) == (payload and payload.model_dump())


async def test_the_value_of_a_pending_call_says_that_there_is_none_yet(library: Library) -> None:
    called = await library.runtime.call_by_name("renew_loan", {"number": 14}, by=ADA)
    for result in (called, await library.runtime.resume(called.run)):
        with pytest.raises(InvalidOutputError, match="renew_loan has no result yet: it answered PENDING"):
            result.value()


async def test_a_tool_that_returns_what_looks_pending_has_completed(tmp_path: Path) -> None:
    @tool(effect=Effect.PURE)
    async def report() -> dict[str, str | None]:
        """Report on something else."""
        return {"status": "PENDING", "request_id": "x", "payload": None}

    library = Library(tmp_path, report)
    sent = {"user_id": "ada", "payload": {"tool_name": "report"}}
    assert (await library.send(sent))[0] == "COMPLETED"


async def test_a_text_that_ended_the_run_is_the_result_of_a_tool_of_numbers(tmp_path: Path) -> None:
    @layer_fn
    async def close(call: Call, inner: CallService) -> Reply:
        return Reply.final("closed") if call.callee.name == "count_seats" else await inner(call)

    @tool(effect=Effect.PURE)
    async def count_seats() -> int:
        """Count the seats."""
        return 3

    library = Library(tmp_path, count_seats.layer(close()))
    sent = {"user_id": "ada", "payload": {"tool_name": "count_seats"}}
    assert await library.send(sent) == ("COMPLETED", {"result": "closed"})


async def test_a_method_with_several_tools_is_called_by_key_if_they_are_governed_alike(library: Library) -> None:
    prolong = {"user_id": "ada", "operation": "prolong", "payload": {"number": 1, "times": 3}}
    assert await library.send(prolong) == ("COMPLETED", "1 3 True")
    (row,) = await library.runtime.store.list_runs()
    assert row.callee == "prolong_loan"
    code, message = await library.send({"user_id": "ada", "operation": "reserve", "payload": {"number": 1}})
    assert code == "BAD_REQUEST"
    assert message.startswith("the method library.loans.reserve is called by its tools (reserve_loan, reserve_slowly);")


async def test_an_unreadable_request_of_a_known_method_fails_as_that_method_does(library: Library) -> None:
    sent = {"user_id": "ada", "operation": "renew", "payload": {}, "metadata": {"trace": "t1"}}
    for known in ({"operation": "renew"}, {"operation": "x"}):
        failed = await handle_request(library.runtime, {**sent, **known}, by=ADA, method="library.loans.renew")
        assert (type(failed), failed.metadata) == (RenewResponse, {"trace": "t1"})
    failed = await handle_request(library.runtime, {**sent, "metadata": [object()]}, by=ADA)
    assert (type(failed), failed.metadata, failed.status) == (RenewResponse, {}, Status.FAILED)
    failed = await handle_request(library.runtime, {**sent, "operation": "count"}, by=ADA)  # of two methods
    assert (type(failed), failed.metadata) == (ToolResponse, {"trace": "t1"})
    wrong = OrderRequest(user_id="ada", payload=Order())
    assert type(await handle_request(library.runtime, wrong, by=ADA, method="library.loans.renew")) is RenewResponse


async def test_a_mistyped_key_or_operation_names_the_near_one(library: Library) -> None:
    renew = {"user_id": "ada", "operation": "renew", "payload": {"number": 1}}
    _, message = await library.send(renew, method="library.loans.renw")
    assert message == "the inventory has no method 'library.loans.renw'; did you mean library.loans.renew?"
    wrong = Request[Loan](user_id="ada", operation="renw", payload=Loan(number=1))
    assert (await library.send(wrong))[1] == "no method has the operation 'renw'; did you mean renew?"
    with pytest.raises(
        RequestNotFoundError, match=r"no tool or agent 'library\.shop\.cont'; similar: library\.shop\.count"
    ):
        await library.runtime.call_by_name("library.shop.cont", {}, by=ADA)


async def test_a_failed_response_has_the_id_and_the_metadata_of_its_request(library: Library) -> None:
    wrong = OrderRequest(user_id="ada", payload=Order(), metadata={"a": 1})
    response = await handle_request(library.runtime, wrong, by=ADA, method="library.loans.renew")
    assert (response.request_id, response.metadata) == (wrong.request_id, {"a": 1})
    assert response.error is not None
    assert response.error.message == "OrderRequest is not a RenewRequest; give one, or its JSON as a dict"
    for sent, ident in (({"request_id": str(UUID(int=7))}, UUID(int=7)), ({"request_id": 7}, None)):
        failed = await handle_request(library.runtime, sent, by=ADA)
        assert failed.status is Status.FAILED
        assert ident in {failed.request_id, None}


async def test_without_an_inventory_a_request_of_a_method_fails() -> None:
    runtime = Runtime(App(name="bare"))
    response = await handle_request(runtime, OrderRequest(user_id="ada", payload=Order()), by=ADA)
    assert response.error is not None
    assert response.error.message == "no method has the operation 'order'; write method=…, its key"


async def test_an_application_may_add_fields_to_requests_for_tools(tmp_path: Path) -> None:
    library = Library(tmp_path, tool_request=DeskRequest)
    sent: dict[str, Any] = {"user_id": "ada", "payload": {"tool_name": "renew_loan", "parameters": {}, "desk": 4}}
    assert await library.send(sent) == ("COMPLETED", {"result": {"number": 4}})
    assert await library.send(DeskRequest.model_validate(sent)) == ("COMPLETED", {"result": {"number": 4}})
    with pytest.raises(SetupError, match=r"Operations: tool_request is .*; give a class derived from ToolRequest"):
        Library(tmp_path, tool_request=OrderRequest)


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        ({"parameters": {"number": 4}, "desk": 4}, ("COMPLETED", {"result": {"number": 4}})),
        ({"parameters": {"number": 5}}, ("COMPLETED", {"result": {"number": 5}})),
        (
            {"parameters": {"number": 5}, "desk": 4},
            ("BAD_REQUEST", "the request says number = 4, but its parameters say 5; give it once"),
        ),
    ],
)
async def test_a_field_of_a_request_and_the_parameter_of_its_name_say_one_thing(
    tmp_path: Path, fields: dict[str, Any], answer: tuple[str, Any]
) -> None:
    library = Library(tmp_path, tool_request=DeskRequest)
    assert await library.send({"user_id": "ada", "payload": {"tool_name": "renew_loan", **fields}}) == answer


async def test_a_request_that_comes_again_in_another_form_is_the_same(library: Library) -> None:
    request = OrderRequest(user_id="ada", payload=Order(title="Dune"))
    for form in (request, request, json.loads(request.model_dump_json()), request.model_dump()):
        status, payload = await library.send(form)
        assert (status, payload["number"]) == ("COMPLETED", request.payload.number)
    assert library.loans.ordered == [request.payload]
    other = request.model_copy(update={"payload": Order(title="Dune", number=request.payload.number, copies=2)})
    assert (await library.send(other))[0] == "IDEMPOTENCY_KEY_REUSED"


async def test_a_key_stands_for_arguments_whether_or_not_they_say_the_defaults(library: Library) -> None:
    for parameters in ({"number": 1}, {"number": 1, "times": 2}, {"times": 2, "number": 1}):
        result = await library.runtime.call_by_name("prolong_loan", parameters, by=ADA, idempotency_key="k")
        assert result.text == "1 2 True"
    for wrong in ({"number": 1, "times": 3}, {"number": 1, "tims": 2}):
        with pytest.raises(IdempotencyError, match="the idempotency key 'k' was used for another request"):
            await library.runtime.call_by_name("prolong_loan", wrong, by=ADA, idempotency_key="k")


@pytest.mark.parametrize("number", [1, 14])
async def test_a_payload_from_which_a_layer_took_what_it_needs_fails_in_one_line(library: Library, number: int) -> None:
    library.runtime = library.runtime.layer(Redact(fields=["number"]))
    code, message = await library.send(RenewRequest(user_id="ada", payload=Loan(number=number)))
    assert (code, "[redacted]" in message or "number: Input should be" in message) == ("INVALID_OUTPUT", True)
    assert "\n" not in message


async def test_a_tool_that_the_application_does_not_offer_is_not_called_by_the_key_of_its_method(
    library: Library,
) -> None:
    runtime = Runtime(App(name="library", operations=library.operations))
    with pytest.raises(RequestNotFoundError, match=r"has no tool or agent 'library.loans.renew'"):
        await runtime.call_by_name("library.loans.renew", Arguments('{"number":1}', {"number": 1}), by=ADA)


def test_the_checks_look_at_methods_without_tools_too(library: Library) -> None:
    bare = Stack(Validate())
    found = {
        (each.code, each.what)
        for point in run_checklist(library.operations, library.operations.callees, bare)
        for each in point.findings
    }
    assert ("unenforced", "library.loans.burn is high-risk, but no layer around its calls enforces it") in found
    with pytest.raises(InventoryError, match=r"library\.loans\.burn is high-risk"):
        library.make_runtime(policy=Policy.only())
    named = When("no burning", tools="library.loans.burn", verdict=Block(reason="fire"))
    assert "library.loans.burn" not in repr(library.make_runtime(policy=Policy(named)))


def test_the_key_of_a_method_is_no_name_for_models(library: Library) -> None:
    program = library.operations.programs["library.loans.count"].tool

    with pytest.raises(ContractError, match=r"'library\.loans\.count' is not a tool name"):
        Runtime(App(name="library", agents=(Agent("a", instructions="x", tools=[program]),)))


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        ({"number": "1"}, "number: Input should be a valid integer"),
        ({"number": True}, "number: Input should be a valid integer"),
        ({"number": 1.0}, "number: Input should be a valid integer"),
        ({"number": 1, "numbr": 2}, "numbr: no such parameter. "),
        ({"number": "\ud800"}, "a text contains lone surrogates"),
        ({"number": float("nan")}, "NaN is not a JSON number"),
        ({"number": deep(5000)}, "recursion"),
    ],
)
async def test_a_request_in_json_is_read_as_strictly_as_arguments_are(
    library: Library, payload: dict[str, Any], said: str
) -> None:
    for operation, given in (
        ("renew", payload),
        ("tool_execution", {"tool_name": "renew_loan", "parameters": payload}),
    ):
        sent = {"user_id": "ada", "operation": operation, "payload": given}
        response = await handle_request(library.runtime, sent, by=ADA)
        assert response.error is not None
        assert said in response.error.message
    assert library.loans.seen == []


async def test_the_id_and_the_fields_of_a_request_are_read_strictly(library: Library) -> None:
    for fields in ({"request_id": "0" * 32}, {"session_id": 5}, {"sesion_id": "x"}):
        sent = {"user_id": "ada", "operation": "renew", "payload": {"number": 1}, **fields}
        code, _ = await library.send(sent)
        assert code == "BAD_REQUEST"


@pytest.mark.parametrize("value", ["\ud800", "a\x00", float("nan"), float("inf"), deep(70)])
async def test_metadata_that_cannot_be_kept_fails_the_request_and_is_not_repeated(
    library: Library, value: object
) -> None:
    request = RenewRequest.model_construct(
        request_id=uuid4(), session_id=None, user_id="ada", payload=Loan(number=1), metadata={"a": value}
    )
    sent = {"user_id": "ada", "operation": "renew", "payload": {"number": 1}, "metadata": {"a": value}}
    for each in (request, sent):
        response = await handle_request(library.runtime, each, by=ADA)
        assert (response.status, response.metadata) == (Status.FAILED, {})
        assert json.loads(response.model_dump_json())["error"]["code"] == "BAD_REQUEST"
    assert library.loans.seen == []


async def test_a_failed_response_of_a_method_keeps_its_code_and_its_details(library: Library) -> None:
    for number, code in ((16, "LOAN_LOCKED"), (17, "NOT_FOUND")):
        request = RenewRequest(user_id="ada", payload=Loan(number=number))
        response = await handle_request(library.runtime, request, by=ADA)
        expected = {"code": code, "message": "it is locked", "details": {"until": "May"}}
        assert response.error is not None
        assert response.error.model_dump() == expected
        again = await handle_request(library.runtime, request, by=ADA)  # as the journal has it
        assert again == response


async def test_a_method_that_returns_no_response_says_so(library: Library) -> None:
    request = RenewRequest(user_id="ada", payload=Loan(number=18))
    response = await handle_request(library.runtime, request, by=ADA)
    assert response.error is not None
    assert response.error.code == "INVALID_OUTPUT"
    assert response.error.message == "renew returned None, which is not a RenewResponse"


async def test_a_request_that_was_made_without_checks_fails_by_its_payload(library: Library) -> None:
    payload: Any = {"number": 1}
    request = RenewRequest.model_construct(
        request_id=uuid4(), session_id=None, user_id="ada", payload=payload, metadata={}
    )
    assert await library.send(request) == ("VALIDATION_ERROR", "give a Loan, not a dict")
