"""Tools that read a secret and let it slip, each in its own way."""

from __future__ import annotations

import base64
import json
import logging
import traceback
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote, quote_plus

from remit import Agent, App, Context, Effect, LeafContext, Risk, Runtime, tool
from remit.errors import CallError, ConflictError, ExternalError
from remit.journal.sql.store import SqlStore
from remit.layers import Call, CallService, Reply, layer_fn
from remit.secrets import EnvSecrets, Secret, SecretRef
from remit.testing import Scripted, calls

TENANT: Final = "local-site"
Slip = Callable[[LeafContext, str], object]


def _raise(error: BaseException) -> None:
    raise error


def _chained(value: str, outer: Exception) -> None:
    try:
        _raise(KeyError(value))
    except KeyError as error:
        raise outer from error


def _noted(value: str) -> None:
    error = ValueError("bad")
    error.add_note(value)
    raise error


SPELLINGS: Final[dict[str, Callable[[str], str]]] = {
    "Base64 of a user and the value": lambda value: base64.b64encode(f"user:{value}".encode()).decode(),
    "Base64 after one byte": lambda value: base64.b64encode(f"a{value}a".encode()).decode(),
    "Base64 after two bytes": lambda value: base64.b64encode(f"ab{value}".encode()).decode(),
    "Base64 for URLs": lambda value: base64.urlsafe_b64encode(f"{value}:".encode()).decode(),
    "hexadecimal": lambda value: value.encode().hex(),
    "hexadecimal in upper case": lambda value: value.encode().hex().upper(),
    "percent of every byte": lambda value: "".join(f"%{each:02X}" for each in value.encode()),
    "percent in lower case": lambda value: "".join(f"%{each:02x}" for each in value.encode()),
    "a form of a page": quote_plus,
    "escapes of JSON": lambda value: "".join(f"\\u{ord(each):04x}" for each in value),
    "escapes of JSON in upper case": lambda value: "".join(f"\\u{ord(each):04X}" for each in value),
    "some escapes of JSON": lambda value: json.dumps(value)[1:-1].replace("A", "\\u0041").replace("N", "\\u004e"),
    "JSON in JSON": lambda value: json.dumps(json.dumps({"key": value})),
    "HTML": lambda value: "".join(f"&#{ord(each)};" for each in value),
}
"""The spellings in which tools let a value slip."""

LEAF: Final[dict[str, Slip]] = {
    "a result": lambda _, value: value,
    "a field": lambda _, value: {"key": value},
    "a name of a field": lambda _, value: {value: 1},
    "JSON within text": lambda _, value: {"text": Reply.from_value({"key": value}).content},
    "a URL": lambda _, value: {"url": f"https://example.com/?key={quote(value, safe='')}"},
    "Base64": lambda _, value: base64.b64encode(f"{value}:".encode()).decode(),
    "a number": lambda _, value: {"number": int(value)} if value.isdigit() else [value],
    "a reply": lambda _, value: Reply.from_value({"key": value}),
    "a final reply": lambda _, value: Reply.final({"key": value}),
    "an error": lambda _, value: _raise(RuntimeError(value)),
    "a long error": lambda _, value: _raise(RuntimeError("x" * (1000 - len(value) // 2 - 40) + value)),
    "an error's repr": lambda _, value: _raise(RuntimeError({"key": value})),
    "an error of a call": lambda _, value: _raise(ConflictError(f"it is {value}")),
    "the cause of an error": lambda _, value: _chained(value, ValueError("bad")),
    "the cause of an error of a call": lambda _, value: _chained(value, ExternalError("down")),
    "the note of an error": lambda _, value: _noted(value),
    "an exit": lambda _, value: _raise(SystemExit(value)),
    "a log": lambda ctx, value: ctx.log(f"key {value}", key=value),
    "an event": lambda ctx, value: ctx.emit("progress", {"key": [value]}),
    "the name of an event": lambda ctx, value: ctx.emit(value),
    "a failing result": lambda _, value: {"secret": Secret("env:KEY", value)},
    "a secret in a log": lambda _, value: logging.getLogger("shop").error("%s %r", *[Secret("env:KEY", value)] * 2),
    "a secret in text": lambda _, value: f"{Secret('env:KEY', value)}",
}
OTHER: Final = ("an argument passed on", "a composed result", "a layer's error", "a layer's reply", "an approved call")


def ways() -> tuple[str, ...]:
    """All of them."""
    return (*LEAF, *SPELLINGS, *OTHER)


class World:
    """One tool that lets ``value`` slip in one way, and an agent that calls it."""

    def __init__(self, way: str, value: str) -> None:
        self.read = 0
        self.errors: list[str] = []
        self.heard: list[str] = []
        self._way = way
        self._value = value
        self._secrets = EnvSecrets("KEY", environ={"KEY": value})

    def runtime(self, store: SqlStore) -> Runtime:
        """A runtime whose agent calls the tool, from a model and from another tool."""
        leaf, outer, take = self._tools()
        agent = Agent("agent", instructions="Work.", tools=[leaf, outer])
        script = [calls(("slip", {"key": "env:KEY"}), ("outer", {"key": "env:KEY"})), "done"]
        app = App(name="secrets", agents=(agent,), tools=(take,))
        return Runtime(app, store=store, model=Scripted(script))

    def _tools(self) -> tuple[Any, Any, Any]:
        @tool(effect=Effect.KEYED, risk=Risk.HIGH if self._way == "an approved call" else Risk.SAFE)
        async def slip(ctx: LeafContext, key: SecretRef) -> Any:
            """Let it slip."""
            value = await self._reveal(key)
            if self._way in SPELLINGS:
                return f"it is {SPELLINGS[self._way](value)}"
            return LEAF[self._way](ctx, value) if self._way in LEAF else "fine"

        @tool(effect=Effect.PURE)
        async def take(text: str) -> str:
            """Take a text."""
            return text

        @tool(effect=Effect.COMPOSED)
        async def outer(ctx: Context, key: SecretRef) -> Any:
            """Call the other one."""
            value = await self._reveal(key)
            try:
                self.heard.append(repr(await ctx.call(listed, key)))
                if self._way == "an argument passed on":
                    self.heard.append(await ctx.call(take, value))
            except CallError as error:
                self.errors.append("".join(traceback.format_exception(error)))
                raise
            return value if self._way == "a composed result" else "fine"

        listed = slip.layer(self._layer()()) if self._way.startswith("a layer") else slip
        return listed, outer, take

    def _layer(self) -> Callable[[], Any]:
        @layer_fn
        async def blab(call: Call, inner: CallService) -> Reply:
            reply = await inner(call)
            if self._way == "a layer's error":
                raise RuntimeError(self._value)
            return reply.map(self._value)

        return blab

    async def _reveal(self, key: str) -> str:
        self.read += 1
        return (await self._secrets.resolve(key)).reveal()
