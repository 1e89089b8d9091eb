"""A desk whose calls ask a person, the processes that serve it, and hosts of each kind that an MCP server meets."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import Any, Final

from msgspec import Raw

from remit import App, Ask, Effect, LeafContext, Policy, Principal, Risk, Runtime, When, tool
from remit.client.client import Client
from remit.client.updates import QuestionUpdate
from remit.mcp.peers import REVISION, SESSION_REVISIONS, Peer
from remit.mcp.server import McpServer, Sender
from remit.mcp.sessions import Sessions
from remit.mcp.settings import McpSettings
from remit.mcp.state_signer import ForeignStateError
from remit.record.question import DecisionKind
from remit.stores import InMemoryStore, Store

ADA: Final = Principal("ada", "bakery")
BOB: Final = Principal("bob", "bakery")
GRACE: Final = Principal("grace", "bakery", frozenset({"approvals:decide"}))
KEY: Final = b"k" * 32
START: Final = 1_000_000.0
PLAIN: Final = Peer(revision=REVISION)
FORM: Final = Peer(revision=REVISION, can_form=True)
ADDRESS: Final = Peer(revision=REVISION, can_url=True)
TASKS: Final = Peer(revision=REVISION, can_fetch=True)
SESSION: Final = Peer(revision=SESSION_REVISIONS[0])
SESSION_FORM: Final = Peer(revision=SESSION_REVISIONS[0], can_form=True)
SESSION_ADDRESS: Final = Peer(revision=SESSION_REVISIONS[0], can_url=True)

_MOST_FORMS: Final = 10

Params = dict[str, Any]


def loop_clock() -> float:
    """The clock of a journal that goes with the virtual clock of the event loop."""
    return START + asyncio.get_running_loop().time()


class ProcessDied(BaseException):
    """The process of a desk is gone."""


class Desk:
    """A journal, what its tools have erased and launched, and the processes that serve it."""

    def __init__(
        self,
        kind: DecisionKind = "approve",
        *,
        expires_in: float = 30 * 24 * 3600.0,
        store: Store | None = None,
        clock: Callable[[], float] = loop_clock,
    ) -> None:
        self._erased: list[str] = []
        self.launched: list[str] = []
        self.clock = clock
        self.store = store or InMemoryStore(clock)
        self._ask = Ask(reason="erasing cannot be undone", kind=kind, expires_in=expires_in)

    @property
    def erased(self) -> list[str]:
        """What was erased, in order."""
        return [*self._erased]

    def erase(self, text: str) -> None:
        """Erase a text for good."""
        self._erased.append(text)

    def app(self) -> App:
        """The application, as each process builds it."""

        @tool(effect=Effect.KEYED, says="Erase {text}")
        async def erase(ctx: LeafContext, text: str) -> dict[str, str]:
            """Erase a text."""
            assert ctx.key
            self.erase(text)
            return {"erased": text}

        @tool(effect=Effect.UNSAFE, risk=Risk.MODERATE, says="Launch {text}")
        async def launch(text: str) -> str:
            """Launch a text. The process dies in the middle."""
            self.launched.append(text)
            raise ProcessDied

        @tool(effect=Effect.PURE)
        async def look(text: str) -> str:
            """Look at a text."""
            return f"{text} is there"

        policy = Policy(When("erasing", verdict=self._ask, tools=["erase"]))
        return App(name="desk", tools=[erase, launch, look], policy=policy)

    def process(self, **settings: Any) -> McpServer:
        """One more process."""
        runtime = Runtime(self.app(), store=self.store, clock=self.clock)
        runtime.add_principals(ADA, BOB, GRACE)
        return McpServer(runtime, McpSettings(key=KEY, **settings))

    def client(self, by: Principal = GRACE) -> Client:
        """The client of a person in a process of their own."""
        return self.process().runtime.client(by)

    async def next_question(self) -> str:
        """The id of the open question, as soon as there is one."""
        async for event in self.client().watch():
            if isinstance(event, QuestionUpdate):
                return event.row.question.id
            if found := (await self.client().questions()).items:
                return found[0].question.id
        raise AssertionError

    async def questions(self) -> list[str]:
        """The ids of all questions that were ever asked."""
        return [each.question.id for each in await self.client().questions(status="all")]


class Host:
    """A program at the other end. Its person answers forms by ``accept``, ``decline`` or ``cancel``, a few of them."""

    def __init__(self, peer: Peer, answer: str = "cancel", *, has_page: bool = True) -> None:
        self.peer, self.answer, self._has_page = peer, answer, has_page
        self.shown: list[Params] = []
        self.rounds = 0
        self.told = ""
        self._answering = list[asyncio.Task[None]]()

    def sender(self, server: McpServer, by: Principal = ADA) -> Sender:
        """The host as a server sees it."""
        client, sessions = server.runtime.client(by), Sessions(server)

        def page(question: str) -> str:
            return f"https://desk.example/approvals/{question}" if self._has_page else ""

        async def answer(ident: str, params: Params) -> None:
            with contextlib.suppress(ForeignStateError):
                question = sessions.find_question(client, ident)
                await server.take_answer(client, question, as_raw(self._answer(params)))

        def send(question: str, params: Params) -> None:
            ident = sessions.name_request(client, question, params)
            self._answering.append(asyncio.get_running_loop().create_task(answer(ident, params)))

        return Sender(client=client, peer=self.peer, page=page, send=send)

    async def call(self, server: McpServer, name: str = "erase", **arguments: str) -> Params | None:
        """Make a call, and do what the server asks for. Returns its result, or None if it waits."""
        params: Params = {"name": name, "arguments": arguments or {"text": "about"}}
        self.rounds = 0
        while True:
            result = await ask(server, self.sender(server), "tools/call", params)
            kind = result.get("resultType", "complete")
            if kind == "task":
                return await self._fetch(server, result["taskId"])
            if kind == "complete":
                self.told = result["content"][0]["text"]
                is_waiting = result.get("structuredContent", {}).get("status") == "waiting"
                return None if is_waiting else result
            self.rounds += 1
            assert self.rounds <= 10, "common clients give up"
            params = {"name": name, "arguments": params["arguments"], "requestState": result["requestState"]}
            requests = result.get("inputRequests", {})
            params["inputResponses"] = {key: self._answer(each["params"]) for key, each in requests.items()}

    async def _fetch(self, server: McpServer, task: str) -> Params | None:
        for _ in range(30):
            await asyncio.sleep(2)
            state = await ask(server, self.sender(server), "tasks/get", {"taskId": task})
            if state["status"] == "completed":
                return state["result"]
            assert state["status"] == "working"
        return None

    def _answer(self, params: Params) -> Params:
        self.shown.append(params)
        if params["mode"] == "url":
            return {"action": "accept"}
        if len(self.shown) > _MOST_FORMS:
            return {"action": "cancel"}
        content = {"content": {"approve": True}} if self.answer == "accept" else {}
        return {"action": self.answer, **content}


async def ask(server: McpServer, sender: Sender, method: str, params: Params) -> Params:
    """The result of a request."""
    return await server.answer(sender, method, as_raw(params))


def as_raw(value: Params) -> Raw:
    """A JSON value as it was sent."""
    return Raw(json.dumps(value).encode())
