"""A shop whose requests are kept, and its document."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, Unpack

from remit import Allow, App, Client, Policy, Runtime, When
from remit.call.facts import FactOptions
from remit.openapi import OpenApi
from remit.secrets import EnvSecrets
from remit.testing import superuser
from tests.loopback import serve

SHOP = Path(__file__).parent / "shop.yaml"
TOKEN = "shop-token-0123456789"
SECRETS = EnvSecrets("SHOP_TOKEN", environ={"SHOP_TOKEN": TOKEN})
CREDENTIALS = {"token": "env:SHOP_TOKEN"}


class Shop:
    """Answers every request with ``answer``, and keeps it. Without an answer it hangs up."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.url = ""
        self.answer: tuple[int, str, str] | None = (200, "application/json", '{"ok": true}')

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next((int(line[15:]) for line in head.lower().splitlines() if line.startswith("content-length:")), 0)
        self.requests.append(head + (await reader.readexactly(length)).decode())
        if self.answer is None:
            return
        status, kind, text = self.answer
        body = text.encode()
        told = (
            f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        writer.write(told.encode() + body)
        await writer.drain()

    def client(self, name: str, **facts: Unpack[FactOptions]) -> Client:
        """A client of an application with one operation, about whose calls nobody is asked."""
        api = OpenApi.load(SHOP)
        tools = api.tools(self.url, only=[name], facts={name: facts}, credentials=CREDENTIALS, secrets=SECRETS)
        policy = Policy(When("every call", lambda _call: True, Allow()))
        return Runtime(App(name="shop", tools=tools, policy=policy)).client(superuser())

    async def call(self, name: str, arguments: dict[str, Any], **facts: Unpack[FactOptions]) -> Any:
        """The result of a call of one operation."""
        return (await self.client(name, **facts).call(name, arguments)).value()


@contextlib.asynccontextmanager
async def shop() -> AsyncGenerator[Shop]:
    """A shop on this machine."""
    running = Shop()
    async with serve(running.handle) as port:
        running.url = f"http://127.0.0.1:{port}"
        yield running
