"""A library whose desk lends books: methods with and without tools, and requests of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from pydantic import BaseModel, Field, JsonValue

from remit import App, LeafContext, Runtime, Tool
from remit.errors import NotFoundError
from remit.inventory import (
    Failure,
    Operations,
    PolicyTable,
    Request,
    Response,
    Status,
    ToolRequest,
    ToolRequestPayload,
    Vocabulary,
    business_rules_section,
    handle_request,
    read_inventory,
)
from remit.testing import superuser

ADA = superuser()
ENTRIES = {
    "loans.yaml": """\
domain: library
subdomain: loans
methods:
  renew:
    classification: {capability: update}
    effect: keyed
    business_rules: {required_permissions: [books:lend]}
    tools:
      renew_loan: {}
  prolong:
    classification: {capability: update}
    effect: keyed
    business_rules: {required_permissions: [books:lend]}
    tools:
      prolong_once: {fix: {times: 1}}
      prolong_loan: {}
      prolong_book: {}
  reserve:
    classification: {capability: update}
    effect: keyed
    business_rules: {required_permissions: [books:lend]}
    tools:
      reserve_loan: {}
      reserve_slowly: {business_rules: {rate_limit_per_minute: 1}}
  count:
    classification: {capability: read}
    effect: pure
    without_tool: only programs count
    implementation: Loans.count
    business_rules: {required_permissions: [books:lend]}
  burn:
    classification: {capability: delete}
    effect: unsafe
    risk: high
    without_tool: only programs burn
    business_rules: {required_permissions: [books:lend]}
  inspect:
    classification: {capability: read}
    effect: pure
    business_rules: {template: public_access}
    tools:
      inspect_loan: {fix: {deep: false}}
  order:
    classification: {capability: create}
    effect: unsafe
    without_tool: only programs order
    business_rules: {template: public_access}
""",
    "shop.yaml": """\
domain: library
subdomain: shop
methods:
  count:
    classification: {capability: read}
    effect: pure
    without_tool: only programs count
    implementation: Shop.count
    business_rules: {template: public_access}
""",
}


class Loan(BaseModel):
    """A loan."""

    number: int


class RenewRequest(Request[Loan], operation="renew"):
    """The request for one more month."""


class RenewResponse(Response[Loan]):
    """The renewed loan."""


class Order(BaseModel):
    """A book to order, under a number of its own."""

    title: str = ""
    copies: int = 1
    number: UUID = Field(default_factory=uuid4)


class OrderRequest(Request[Order], operation="order"):
    """The request for a book."""


class OrderResponse(Response[Order]):
    """What was ordered."""


class Loans:
    """The lending desk."""

    def __init__(self) -> None:
        self.seen: list[RenewRequest] = []
        self.ordered: list[Order] = []

    async def renew(self, ctx: LeafContext, request: RenewRequest) -> RenewResponse:
        """Renew a loan."""
        assert ctx.key
        self.seen.append(request)
        if request.payload.number == 13:
            raise NotFoundError("there is no loan 13")
        if request.payload.number == 14:
            return RenewResponse.pending(request, payload=request.payload)
        if request.payload.number == 15:
            return RenewResponse.pending(request)
        if request.payload.number in (16, 17):
            code = "LOAN_LOCKED" if request.payload.number == 16 else "NOT_FOUND"
            failure = Failure(code=code, message="it is locked", details={"until": "May"})
            return RenewResponse(request_id=request.request_id, status=Status.FAILED, error=failure)
        if request.payload.number == 19:
            failure, status = (
                Failure(code="LOAN_LOCKED", message="it is locked", details={"until": "May"}),
                Status.FAILED,
            )
            payload = request.payload
            return RenewResponse(request_id=request.request_id, status=status, error=failure, payload=payload)
        if request.payload.number == 20:
            raise NotFoundError("it is too heavy", details={"payload": "heavy"})
        if request.payload.number == 18:
            nothing: Any = None
            return nothing
        return RenewResponse.completed(request, request.payload)

    async def prolong(self, ctx: LeafContext, number: int, times: int = 2) -> str:
        """Prolong a loan."""
        return f"{number} {times} {bool(ctx.key)}"

    async def reserve(self, ctx: LeafContext, number: int) -> str:
        """Reserve a book."""
        return f"{number} {bool(ctx.key)}"

    async def count(self, prefix: str) -> list[str]:
        """Count the loans."""
        return [prefix]

    async def burn(self, payload: Loan) -> str:
        """Burn a book."""
        return f"burned {payload.number}"

    async def inspect(self, number: int, deep: bool = True) -> str:
        """Look at a loan."""
        return f"{number} {deep}"

    async def order(self, request: OrderRequest) -> OrderResponse:
        """Order a book."""
        self.ordered.append(request.payload)
        return OrderResponse.completed(request, request.payload)


class Shop:
    """The museum shop."""

    async def count(self) -> int:
        """Count the postcards."""
        return 3


class DeskPayload(ToolRequestPayload):
    """The tool, its parameters and the desk."""

    desk: int | None = None


class DeskRequest(ToolRequest):
    """A request for a tool at a desk."""

    payload: DeskPayload  # pyright: ignore[reportIncompatibleVariableOverride] - narrower, and never assigned

    def arguments(self) -> Mapping[str, JsonValue]:
        """The arguments, with the desk as the number."""
        return self.arguments_with(number=self.payload.desk)


class Library:
    def __init__(self, folder: Path, *more: Tool[..., Any], **options: Any) -> None:
        for name, text in ENTRIES.items():
            (folder / name).write_text(text, encoding="utf-8")
        words = Vocabulary(domains={"library": {"loans", "shop"}}, permissions={"books:lend"})
        inventory = read_inventory(folder, PolicyTable(business_rules_section(version="1.0")), words)
        self.loans = Loans()
        self.operations = Operations(inventory, (self.loans, Shop(), *more), **options)
        self.runtime = self.make_runtime()

    def make_runtime(self, **options: Any) -> Runtime:
        return Runtime(App(name="library", tools=self.operations.callees, operations=self.operations, **options))

    async def send(self, request: Any, **options: Any) -> tuple[str, Any]:
        """The status of the response, with its payload or the code and message of its error."""
        response = await handle_request(self.runtime, request, by=options.pop("by", ADA), **options)
        if response.error is not None:
            return response.error.code, response.error.message
        return response.status.value, response.payload and response.payload.model_dump()
