"""Tools of an OpenAPI document: what they send, and what the answers of a server mean."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from remit.call.facts import Effect, Risk
from remit.errors import ContractError, ExternalError, InvalidArgumentsError, RateLimitedError, SetupError, ToolFailed
from remit.openapi import OpenApi
from tests.openapi.kit import CREDENTIALS, SECRETS, SHOP, TOKEN, Shop, shop


@pytest.fixture
async def server() -> AsyncIterator[Shop]:
    async with shop() as running:
        yield running


async def test_arguments_go_where_the_document_says(server: Shop) -> None:
    found = await server.call("orders_get", {"order": "a/b ?", "fields": ["x", "y,z"], "X-Trace": "t"}, effect="pure")
    assert found == {"ok": True}
    (request,) = server.requests
    assert request.startswith("GET /orders/a%2Fb%20%3F?fields=x,y%2Cz HTTP/1.1\r\n")
    assert f"authorization: Bearer {TOKEN}\r\n" in request
    assert "x-trace: t\r\n" in request


async def test_the_fields_of_a_body_are_arguments(server: Shop) -> None:
    await server.call("orders_create", {"title": "dune", "note": None}, effect="idempotent")
    head, _, body = server.requests[0].partition("\r\n\r\n")
    assert head.startswith("POST /orders HTTP/1.1")
    assert "content-type: application/json" in head
    assert body == '{"title":"dune","note":null}'


async def test_what_only_the_server_sets_is_no_argument(server: Shop) -> None:
    with pytest.raises(InvalidArgumentsError, match="id: no such parameter"):
        await server.call("orders_create", {"id": "1", "title": "dune"}, effect="idempotent")
    assert server.requests == []


@pytest.mark.parametrize("order", ["..", ".", ""])
async def test_an_argument_cannot_lead_to_another_path(server: Shop, order: str) -> None:
    with pytest.raises(InvalidArgumentsError, match="cannot be a part of the path"):
        await server.call("orders_get", {"order": order}, effect="pure")
    assert server.requests == []


async def test_an_operation_that_needs_no_credentials_gets_none(server: Shop) -> None:
    await server.call("open-hours", {}, effect="pure")
    assert "authorization" not in server.requests[0].lower()


async def test_a_request_that_the_server_refuses_is_an_answer_on_record(server: Shop) -> None:
    server.answer = (422, "application/json", '{"message": "no such book"}')
    with pytest.raises(ToolFailed, match=r"the server answers 422: .*no such book"):
        await server.call("orders_create", {"title": "x"})
    assert len(server.requests) == 1


async def test_a_server_that_wants_the_request_later_is_a_rate_limit(server: Shop) -> None:
    server.answer = (429, "text/plain", "later")
    with pytest.raises(RateLimitedError):
        await server.call("orders_create", {"title": "x"})


@pytest.mark.parametrize("answer", [(500, "text/plain", "broken"), None])
async def test_an_unsafe_call_whose_answer_is_lost_is_asked_about_and_not_sent_again(
    server: Shop, answer: tuple[int, str, str] | None
) -> None:
    server.answer = answer
    result = await server.client("orders_create").call("orders_create", {"title": "x"})
    assert result.status == "waiting"
    assert len(server.requests) == 1


async def test_an_answer_that_is_lost_of_a_pure_call_is_an_error_alone(server: Shop) -> None:
    server.answer = (503, "text/plain", "busy")
    with pytest.raises(ExternalError, match="failed with 503: busy"):
        await server.call("orders_get", {"order": "1"}, effect="pure")


async def test_what_is_no_json_is_text_and_files_are_described(server: Shop) -> None:
    server.answer = (200, "text/plain", "open from 8")
    assert await server.call("open-hours", {}, effect="pure") == "open from 8"
    server.answer = (200, "application/pdf", "%PDF-1.7")
    assert await server.call("open-hours", {}, effect="pure") == "a file of 8 bytes (application/pdf)"
    server.answer = (204, "text/plain", "")
    assert await server.call("open-hours", {}, effect="pure") == "done (204)"


async def test_a_credential_is_in_no_error_of_the_server(server: Shop) -> None:
    server.answer = (401, "text/plain", f"the token {TOKEN} is not valid")
    with pytest.raises(ToolFailed) as caught:
        await server.call("orders_get", {"order": "1"}, effect="pure")
    assert TOKEN not in str(caught.value)
    assert "the server answers 401" in str(caught.value)


def test_tools_are_unsafe_and_untrusted_and_send_data_out_unless_their_owner_says_otherwise() -> None:
    tools = OpenApi.load(SHOP).tools(
        "https://shop.example",
        facts={"open-hours": {"effect": "pure"}},
        credentials=CREDENTIALS,
        secrets=SECRETS,
    )
    found = {each.name: each.facts for each in tools}
    assert list(found) == ["orders_get", "orders_delete", "orders_create", "open-hours"]
    assert all(each.egress and not each.trusted for each in found.values())
    assert [each.effect for each in found.values()] == [Effect.UNSAFE] * 3 + [Effect.PURE]
    assert not found["orders_get"].declared
    assert found["orders_delete"].risk is Risk.HIGH


def test_an_operation_without_its_credentials_is_no_tool_and_says_why_if_it_is_named() -> None:
    api = OpenApi.load(SHOP)
    assert [each.name for each in api.tools("https://shop.example")] == ["open-hours"]
    with pytest.raises(ContractError, match=r"shop.yaml:\d+: orders_get needs credentials for token"):
        api.tools("https://shop.example", only=["orders_get"])


def test_names_that_the_document_does_not_have_are_refused() -> None:
    api = OpenApi.load(SHOP)
    with pytest.raises(SetupError, match="no operation 'pay'"):
        api.tools("https://shop.example", only=["pay"])
    with pytest.raises(SetupError, match="no security scheme 'oauth'"):
        api.tools("https://shop.example", credentials={"oauth": "env:X"}, secrets=SECRETS)
    with pytest.raises(SetupError, match="give `secrets`"):
        api.tools("https://shop.example", credentials=CREDENTIALS)
