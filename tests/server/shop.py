"""A shop behind a server: people with tokens, a tool that asks, and a script in place of the model."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from starlette.requests import Request
from starlette.testclient import TestClient

from remit import Agent, App, Principal, Risk, Runtime, tool
from remit.artifacts import PromptWithFiles
from remit.server import Identity, ServerSettings, build_server
from remit.stores import Store
from remit.testing import Scripted, calls
from remit.tools import Undo

PEOPLE: Final = {
    "ada": Principal("ada", "bakery"),
    "grace": Principal("grace", "bakery", frozenset({"runs:read", "approvals:decide"})),
    "eve": Principal("eve", "elsewhere", frozenset({"*"})),
}
REFUND: Final = (calls(("refund", {"order": "A-7"})), "Order A-7 is refunded.")


@tool(risk=Risk.HIGH, says="Refund the order {order}", undo=Undo("refund", {"order": "{order}"}))
async def refund(order: str) -> str:
    """Refund an order."""
    return f"refunded {order}"


async def authenticate(request: Request) -> Identity | None:
    """The person whose name is the token."""
    principal = PEOPLE.get(request.headers.get("authorization", "").removeprefix("Bearer "))
    return None if principal is None else Identity(principal)


@dataclass(frozen=True)
class Shop:
    """A running server, and its runtime."""

    runtime: Runtime
    browser: TestClient

    def ask(self, method: str, path: str, by: str = "ada", **options: Any) -> Any:
        """The response to a request of a person."""
        headers = {"authorization": f"Bearer {by}", **options.pop("headers", {})}
        return self.browser.request(method, path, headers=headers, **options)

    def settle(self, run: str) -> None:
        """Wait until a run rests or has ended."""
        portal = self.browser.portal
        assert portal is not None
        portal.call(self.runtime.client(PEOPLE["grace"]).settled, run, 60)


def make_runtime(model: Scripted, store: Store | None = None) -> Runtime:
    """A runtime of the shop, as each of its processes has one."""
    clerk = Agent("clerk", instructions="Help customers.", tools=[refund])
    reader = Agent("reader", instructions="Read files.", input=PromptWithFiles)
    runtime = Runtime(App(name="shop", agents=[clerk, reader]), model=model, store=store)
    runtime.add_principals(*PEOPLE.values())
    return runtime


@contextmanager
def open_shop(
    script: Sequence[Any] = REFUND, settings: ServerSettings | None = None, store: Store | None = None
) -> Generator[Shop]:
    """A shop that serves as long as the block, over a store of its own."""
    runtime = make_runtime(Scripted(list(script)), store)
    with TestClient(build_server(runtime, authenticate, settings or ServerSettings())) as browser:
        yield Shop(runtime, browser)
