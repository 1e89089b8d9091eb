"""A shop whose calls rules over the run judge: it reads secrets and invoices, sends mail and pays."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

from remit import App, Context, Effect, Policy, Principal, Runtime, When, tool
from remit.engine.result import CallResult
from remit.layers import Budget, Window
from remit.runtime import RunResult
from remit.stores import InMemoryStore, Store
from remit.testing import superuser
from remit.testing.store_suite.samples import Clock

ADA, BOB = superuser(name="ada"), superuser(name="bob")
CYD = superuser(name="cyd", tenant="other")


@dataclass
class Shop:
    """The application in one process after another, over one journal, and what it has done."""

    rules: Sequence[When] = ()
    windows: Sequence[Window] = ()
    clock: Clock = field(default_factory=Clock)
    store: Store = field(default=None)  # type: ignore[assignment]
    done: list[str] = field(default_factory=list[str])
    fails: bool = False

    def __post_init__(self) -> None:
        self.store = self.store or InMemoryStore(self.clock)

    def tools(self) -> list[Any]:
        """Its tools. A body tells what it did, and fails where the shop says so."""

        @tool(effect=Effect.PURE)
        async def read_secret() -> str:
            """Read a secret."""
            return self._do("read_secret")

        @tool(effect=Effect.PURE)
        async def read_invoice(number: int = 1) -> str:
            """Read an invoice."""
            return self._do(f"read_invoice {number}")

        @tool(effect=Effect.IDEMPOTENT)
        async def send_mail(to: str = "x") -> str:
            """Send mail."""
            return self._do(f"send_mail {to}")

        @tool(effect=Effect.IDEMPOTENT)
        async def pay(euros: float, to: str = "x") -> str:
            """Pay."""
            return self._do(f"pay {euros:g}")

        @tool(effect=Effect.COMPOSED)
        async def settle(ctx: Context, amounts: list[float]) -> str:
            """Pay several amounts, one after the other."""
            return ", ".join([await ctx.call(pay, euros=each) for each in amounts])

        return [read_secret, read_invoice, send_mail, pay, settle]

    def _do(self, what: str) -> str:
        if self.fails:
            raise RuntimeError("no connection")
        self.done.append(what)
        return what

    def process(self) -> Runtime:
        """The runtime of one more process."""
        app = App(
            name="shop",
            tools=self.tools(),
            policy=Policy(*self.rules),
            budget=Budget(windows=self.windows) if self.windows else None,
        )
        return Runtime(
            app, store=self.store, clock=self.clock, directory=lambda name, tenant: superuser(name=name, tenant=tenant)
        )

    def open(self, by: Principal = ADA, **options: Any) -> AbstractAsyncContextManager[Any]:
        """An open run of a process of its own."""
        return self.process().client(by).open_run(idle_seconds=0.01, **options)

    async def call(self, name: str, by: Principal = ADA, **arguments: Any) -> str:
        """What a direct call came to, in a run and process of its own."""
        return outcome(await self.process().call_by_name(name, arguments, by=by))


def outcome(result: RunResult[Any] | CallResult[Any]) -> str:
    """What a call came to: its content, the code of its error, or ``waits``."""
    if result.reply is None:
        return "waits"
    return result.reply.content if result.reply.error is None else result.reply.error.code
