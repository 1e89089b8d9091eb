from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.core import NotSet

from remit.server.openapi import describe_api
from remit.server.operations import OPERATIONS
from tests.server.shop import Shop, open_shop

STREAMS: Final = ("/agui", "/api/watch")
"""Operations that stream what comes; their inputs of strangers have tests of their own."""

NAMES: Final = sorted(each.name for each in OPERATIONS if each.path not in STREAMS)


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with open_shop(["Hello."] * 1000) as made:
        yield made


def test_every_operation_is_described_once_with_a_summary() -> None:
    described = describe_api(OPERATIONS)
    operations = [each for path in described["paths"].values() for each in path.values()]
    names = [each["operationId"] for each in operations]
    assert len(set(names)) == len(names) == len(OPERATIONS)
    assert all(each["summary"].endswith(".") for each in operations)


def test_the_description_is_one_of_openapi_and_has_the_tools_that_one_may_call(shop: Shop) -> None:
    described = shop.ask("GET", "/openapi.json").json()
    schemathesis.openapi.from_dict(described).validate()
    called = described["paths"]["/api/tools/refund"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert list(called["properties"]["arguments"]["properties"]) == ["order"]
    assert shop.browser.get("/openapi.json").status_code == 401


def test_documents_of_the_server_have_all_their_fields_and_those_of_requests_may_lack_some() -> None:
    schemas = describe_api(OPERATIONS)["components"]["schemas"]
    assert schemas["Me"]["required"] == list(schemas["Me"]["properties"])
    assert schemas["Listed_RunSummary_"]["required"] == ["items", "next"]
    assert schemas["NewRun"]["required"] == ["prompt"]


@pytest.mark.slow
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["valid", "wrong"])
@pytest.mark.parametrize("name", NAMES)
def test_no_request_of_a_stranger_meets_a_server_error(shop: Shop, name: str, mode: GenerationMode) -> None:
    operation = described().find_operation_by_id(name)

    @given(operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=6,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )
    def check(case: Any) -> None:
        answer = send(shop, case)
        assert answer.status_code < 500, answer.text
        if answer.status_code >= 400:
            assert set(answer.json()) >= {"error", "code"}

    check()


@cache
def described() -> Any:
    """The description, as schemathesis reads it."""
    return schemathesis.openapi.from_dict(describe_api(OPERATIONS))


def send(shop: Shop, case: Any) -> Any:
    """Send a generated request."""
    body = case.body
    content = body if isinstance(body, bytes) else b"" if isinstance(body, NotSet) else json.dumps(body)
    headers = {
        name: value
        for name, value in dict[str, str](case.headers or {}).items()
        if (name + value).isascii() and value.isprintable()
    }
    query = list[tuple[str, Any]](dict[str, Any](case.query or {}).items())
    return shop.ask(case.method, case.formatted_path, params=query, content=content, headers=headers)
