"""A request is the same whenever its sender says the same: in a run of its own and in an open run."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from remit.inventory import Status, handle_request
from tests.inventory import requested
from tests.inventory.requested import ADA, Library, Order, OrderRequest

IN_A_RUN = pytest.mark.parametrize("is_in_run", [False, True], ids=["alone", "in an open run"])


async def options_of(library: Library, block: AsyncExitStack, *, is_in_run: bool) -> dict[str, Any]:
    """How to send requests: as calls of an open run, or as runs."""
    if not is_in_run:
        return {}
    return {"run": await block.enter_async_context(library.runtime.client(ADA).open_run(conversation="desk"))}


def send_tool(**parameters: object) -> dict[str, Any]:
    payload = {"tool_name": "prolong_loan", "parameters": parameters}
    return {"user_id": ADA.name, "operation": "tool_execution", "payload": payload}


@IN_A_RUN
async def test_a_request_in_json_is_the_same_although_a_default_of_it_is_computed(
    tmp_path: Path, *, is_in_run: bool
) -> None:
    library, ident = Library(tmp_path), str(uuid4())
    sent = {"request_id": ident, "user_id": ADA.name, "operation": "order", "payload": {"title": "Dune"}}
    async with AsyncExitStack() as block:
        options = await options_of(library, block, is_in_run=is_in_run)
        first = await library.send(sent, **options)
        assert first[0] == "COMPLETED"
        written = {**sent, "payload": {"title": "Dune", "copies": 1}}
        assert [await library.send(each, **options) for each in (sent, written)] == [first, first]
        for other in ({"title": "Dune", "copies": 2}, {"title": "Dune", "number": ident}):
            assert (await library.send({**sent, "payload": other}, **options))[0] == "IDEMPOTENCY_KEY_REUSED"
    assert [each.number for each in library.loans.ordered] == [first[1]["number"]]


@IN_A_RUN
async def test_an_approved_request_in_json_has_its_outcome_when_it_is_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_in_run: bool
) -> None:
    risky = requested.ENTRIES["loans.yaml"].replace("  order:\n", "  order:\n    risk: high\n")
    monkeypatch.setitem(requested.ENTRIES, "loans.yaml", risky)
    library = Library(tmp_path)
    sent = {"request_id": str(uuid4()), "user_id": ADA.name, "operation": "order", "payload": {"title": "Dune"}}
    async with AsyncExitStack() as block:
        options = await options_of(library, block, is_in_run=is_in_run)
        asked = await handle_request(library.runtime, sent, by=ADA, **options)
        assert (asked.status, len(asked.questions)) == (Status.PENDING, 1)
        await library.runtime.client(ADA).decide(asked.questions[0], approved=True)
        assert (await library.send(sent, **options))[0] == "COMPLETED"
    assert len(library.loans.ordered) == 1


@IN_A_RUN
async def test_a_made_request_is_sent_with_the_defaults_that_it_has(tmp_path: Path, *, is_in_run: bool) -> None:
    library, request = Library(tmp_path), OrderRequest(user_id=ADA.name, payload=Order(title="Dune"))
    async with AsyncExitStack() as block:
        options = await options_of(library, block, is_in_run=is_in_run)
        for form in (request, request.model_dump(), request):
            assert (await library.send(form, **options))[1]["number"] == request.payload.number
    assert library.loans.ordered == [request.payload]


@IN_A_RUN
async def test_a_request_for_a_tool_is_the_same_with_its_defaults_written_out(
    tmp_path: Path, *, is_in_run: bool
) -> None:
    library, ident = Library(tmp_path), str(uuid4())
    async with AsyncExitStack() as block:
        options = await options_of(library, block, is_in_run=is_in_run)
        for parameters in ({"number": 1}, {"times": 2, "number": 1}, {"number": 1.0, "times": 2.0}):
            sent = {**send_tool(**parameters), "request_id": ident}
            assert await library.send(sent, **options) == ("COMPLETED", {"result": "1 2 True"})
        for parameters in ({"number": 1, "times": 3}, {"number": 1.5}, {"number": 1.0, "tims": 2}, {"number": [1.0]}):
            sent = {**send_tool(**parameters), "request_id": ident}
            assert (await library.send(sent, **options))[0] == "IDEMPOTENCY_KEY_REUSED"


async def test_a_request_for_another_session_or_target_than_those_of_its_open_run_is_refused(tmp_path: Path) -> None:
    library, sent = Library(tmp_path), send_tool(number=1)
    client = library.runtime.client(ADA)
    async with client.open_run(conversation="desk", target="shop") as run:
        for more, options in (({}, {}), ({"session_id": "desk"}, {"target": "shop"})):
            assert (await library.send(sent | more, run=run, **options))[0] == "COMPLETED"
        request = {**sent, "request_id": "00000000-0000-0000-0000-000000000001"}
        for more, options, found in (
            ({"session_id": "till"}, {}, "session_id 'till', but its open run has 'desk'; leave out session_id"),
            ({}, {"target": "museum"}, "target 'museum', but its open run has 'shop'; leave out target"),
        ):
            code, message = await library.send(request | more, run=run, **options)
            assert (code, "\n" in message) == ("REQUEST_CONFLICT", False)
            assert message == f"request {request['request_id']} has the {found}, or send the request without run="
    async with client.open_run() as run:
        code, message = await library.send(sent | {"session_id": "till"}, run=run)
        assert (code, "its open run has none" in message) == ("REQUEST_CONFLICT", True)
