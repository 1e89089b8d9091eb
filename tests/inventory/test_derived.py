"""A method with a plain signature: envelopes, names and tool are derived, and its name stands in two places."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pydantic import BaseModel, Field

from remit import App, LeafContext, Runtime, preset
from remit.app import Env
from remit.errors import InvalidArgumentsError, NotFoundError
from remit.inventory import (
    InventoryError,
    Operations,
    PolicyTable,
    Request,
    Response,
    Status,
    ToolRequest,
    ToolRequestPayload,
    Vocabulary,
    build_lock,
    business_rules_section,
    handle_request,
    lock_path,
    read_inventory,
    run_checklist,
)
from remit.inventory.markdown import reference_page
from remit.testing import superuser

ENTRY = """\
domain: library
subdomain: loans
methods:
  renew:
    classification: {capability: update}
    effect: keyed
    tags: [loan]
    business_rules: {required_permissions: [books:lend]}
"""


class RenewLoan(BaseModel):
    """Which loan."""

    number: int = Field(ge=1)
    confirm: bool = False


class Loan(BaseModel):
    """A loan."""

    number: int
    weeks: int


class Loans:
    """The lending desk."""

    def __init__(self) -> None:
        self.keys: list[str] = []

    async def renew(self, ctx: LeafContext, payload: RenewLoan) -> Loan:
        """Renew a loan."""
        if payload.number == 13:
            raise NotFoundError("there is no loan 13")
        self.keys.append(ctx.key)
        return Loan(number=payload.number, weeks=4)


class RenewRequest(Request[RenewLoan], operation="renew"):
    """Envelopes in the signature."""


class RenewResponse(Response[Loan]):
    """Envelopes in the signature."""


class EnvelopedLoans:
    """The same desk, with envelopes in its signature."""

    async def renew(self, ctx: LeafContext, request: RenewRequest) -> RenewResponse:
        """Renew a loan."""
        return RenewResponse.completed(request, Loan(number=request.payload.number, weeks=4))


def library(folder: Path, entry: str = ENTRY, *objects: object) -> Operations:
    folder.mkdir(exist_ok=True)
    (folder / "loans.yaml").write_text(entry, encoding="utf-8")
    words = Vocabulary(domains={"library": {"loans"}}, permissions={"books:lend"})
    table = PolicyTable(business_rules_section(version="1.0"))
    return Operations(read_inventory(folder, table, words), objects or (Loans(),))


def runtime_of(operations: Operations) -> Runtime:
    return Runtime(App(name="library", tools=operations.callees, operations=operations))


def test_envelopes_are_derived_from_the_name_and_the_types_of_the_signature(tmp_path: Path) -> None:
    method = library(tmp_path).methods["library.loans.renew"]
    assert (method.request.__name__, method.response.__name__) == ("RenewRequest", "RenewResponse")
    request = method.request(user_id="ada", payload=RenewLoan(number=1))
    assert (request.operation, method.payload) == ("renew", RenewLoan)
    with pytest.raises(ValueError, match="Input should be 'renew'"):
        method.request.model_validate({"user_id": "ada", "operation": "lend", "payload": {"number": 1}})
    response: Any = method.response.model_validate_json(
        method.response.completed(request, Loan(number=1, weeks=4)).model_dump_json()
    )
    assert response.payload == Loan(number=1, weeks=4)
    assert method.response.failed(request, NotFoundError("no")).error.code == "NOT_FOUND"  # type: ignore[union-attr]
    assert method.request is method.request


def test_a_result_that_is_no_model_is_the_payload_of_its_response(tmp_path: Path) -> None:
    class Listing(Loans):
        async def renew(self, ctx: LeafContext, number: int) -> list[str]:  # type: ignore[override]
            """Renew."""
            return []

    method = library(tmp_path, ENTRY, Listing()).methods["library.loans.renew"]
    answer: Any = method.response.model_validate({"request_id": str(uuid4()), "payload": ["a"]})
    assert answer.model_dump(mode="json")["payload"] == ["a"]
    request: Any = method.request.model_validate({"user_id": "ada", "payload": {"number": 3}})
    assert request.payload.number == 3


def test_a_derived_method_has_the_lock_and_the_reference_of_one_with_envelopes(tmp_path: Path) -> None:
    derived = library(tmp_path / "a")
    enveloped = library(tmp_path / "a", ENTRY, EnvelopedLoans())
    assert build_lock(derived).to_text() == build_lock(enveloped).to_text()
    assert reference_page("library", derived) == reference_page("library", enveloped)


async def test_a_failed_call_of_a_derived_method_is_a_failed_envelope_with_the_code_of_its_error(
    tmp_path: Path,
) -> None:
    runtime, ada = runtime_of(library(tmp_path)), superuser()

    async def send(**parameters: Any) -> tuple[Status, Any, Any]:
        payload = ToolRequestPayload(tool_name="renew", parameters=parameters)
        response = await handle_request(runtime, ToolRequest(user_id=ada.name, payload=payload), by=ada)
        return response.status, response.payload and response.payload.result, response.error and response.error.code

    assert await send(number=1) == (Status.COMPLETED, {"number": 1, "weeks": 4}, None)
    assert await send(number=13) == (Status.FAILED, None, "NOT_FOUND")
    assert await send(number=0) == (Status.FAILED, None, InvalidArgumentsError.code)


def test_a_method_without_tools_is_a_tool_of_its_name_with_what_its_entry_says_of_it(tmp_path: Path) -> None:
    more = "repeatable: true\n    confirm: confirm\n    description: Renew it."
    text = ENTRY.replace("tags: [loan]", f"tags: [loan]\n    {more}")
    operations = library(tmp_path, text)
    (tool,) = operations.callees
    assert (tool.name, tool.description, tool.facts.confirm) == ("renew", "Renew it.", "confirm")
    assert tool.facts.tags == {"loan"}
    assert tool.facts.repeatable
    assert operations.methods["library.loans.renew"].facts.tags == frozenset()


@pytest.mark.parametrize("more", ["    tools:\n      renew_it: {}\n", "    without_tool: nobody needs it\n"])
def test_an_entry_says_nothing_of_a_tool_of_its_name_where_there_is_none(tmp_path: Path, more: str) -> None:
    with pytest.raises(InventoryError, match="the method 'renew' has tags, but no tool of its own name") as refused:
        library(tmp_path, ENTRY + more)
    assert refused.value.findings[0].where.endswith("loans.yaml:7")
    operations = library(tmp_path, ENTRY.replace("    tags: [loan]\n", "") + more)
    assert [each.name for each in operations.callees] == ([] if "without" in more else ["renew_it"])


def test_a_tool_elsewhere_is_beside_the_one_of_the_methods_name(tmp_path: Path) -> None:
    operations = library(tmp_path, f"{ENTRY}tools:\n  renew_it: {{method: library.loans.renew}}\n")
    assert [each.name for each in operations.callees] == ["renew", "renew_it"]


def test_a_method_with_an_empty_list_of_tools_has_none_which_is_found(tmp_path: Path) -> None:
    text = ENTRY.replace("    tags: [loan]\n", "    tools: {}\n")
    operations = library(tmp_path, text)
    lock_path(operations).write_text(build_lock(operations).to_text(), encoding="utf-8")
    points = run_checklist(operations, operations.callees, preset(Env()))
    assert [each.code for point in points for each in point.findings] == ["no-tool"]


def test_the_name_of_an_operation_stands_in_its_entry_and_its_function_and_each_model_in_its_signature() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    derived = source[source.index("ENTRY = ") : source.index("class RenewRequest")]
    assert re.findall(r".*\brenew\b", derived) == ["  renew", "    async def renew"]
    assert not re.findall("Renew(Request|Response)", derived)
    assert [len(re.findall(rf"\b{name}\b", derived)) for name in ("RenewLoan", "Loan")] == [2, 3], "class and signature"
