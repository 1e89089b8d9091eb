"""A site whose publications are told to servers in a pretended internet, by processes that die at chosen moments."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from httpcore2 import AsyncNetworkStream, ConnectError
from sqlalchemy import event
from sqlalchemy.orm import Session
from ssrfguard import Policy

from apps.cms.tests.world import WEBHOOK_KEY, World
from figures.cms_stores import before_writes
from figures.cms_sweep import Crash
from figures.ssrf_world import Internet, Page
from remit import App, Principal, Runtime
from remit.engines import RunSchedules
from remit.http import GuardedHttp
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.tools import Arguments
from remit_cms.protection import editing_policy
from remit_cms.tools import change_set_operations, publishing_operations, webhook_operations
from remit_cms.webhooks.addresses import WebhookHttp
from remit_cms.webhooks.payloads import AddWebhook
from remit_cms.webhooks.webhooks import Webhooks

SERVER: Final = "10.1.2.3:8080"
"""The one server in the operator's network."""
FOREIGN: Final = "/foreign"
"""What the webhook of another site is told at, on the same server."""
ANN: Final = Principal("ann", "local-site", frozenset({"cms:*", "approvals:decide"}))
LEASE: Final = timedelta(minutes=5)
"""After this time the runs of a process that died are taken over."""

_ROUNDS: Final = 40

Objects = frozenset[tuple[str, int | None, str]]
"""Documents that visitors see otherwise: the id, the revision or None, and the addresses."""


@dataclass(slots=True)
class Request:
    """A request that reached the server, and the status of the answer."""

    path: str
    head: str
    body: str
    at: datetime
    status: int

    @property
    def headers(self) -> dict[str, str]:
        """The headers, by lower-case name."""
        lines = (line.partition(": ") for line in self.head.split("\r\n")[1:])
        return {name.lower(): value for name, _, value in lines}

    @property
    def delay(self) -> timedelta:
        """How long after the publication it is sent."""
        return self.at - datetime.fromisoformat(json.loads(self.body)["timestamp"])

    @property
    def objects(self) -> Objects:
        """What it tells."""
        told = json.loads(self.body)["data"]["objects"]
        return frozenset((each["id"], each["revision"], json.dumps(each["addresses"])) for each in told)


@dataclass(slots=True)
class Receiver(Internet):
    """The servers of webhooks. ``answers`` holds the statuses of each path in turn, then 200; 0 is no connection."""

    answers: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    reached: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    refuses: bool = False

    def make_http(self, policy: Policy) -> GuardedHttp:
        """A client in this internet."""
        return GuardedHttp(policy=policy, resolver=self.look_up, network=self)

    async def connect_tcp(self, host: str, port: int, *arguments: Any, **options: Any) -> AsyncNetworkStream:
        """Connect to the server of this machine, whatever address is meant, or to none."""
        self.reached.append((host, port))
        if self.refuses:
            raise ConnectError("it is switched off")
        return await Internet.connect_tcp(self, host, port, *arguments, **options)


class Death:
    """The moments at which a process may die, by name: before a write, after a commit, around calls and requests.

    It dies at the one with the number ``at``, counted from 1; 0 for none.
    """

    def __init__(self, at: int) -> None:
        self.moments: list[str] = []
        self._at, self._is_armed = at, False

    def __call__(self, moment: str) -> None:
        """Pass a moment."""
        if self._is_armed:
            self.moments.append(moment)
            if len(self.moments) == self._at:
                raise Crash

    @contextmanager
    def armed(self) -> Generator[None]:
        """What runs in the block may die."""
        self._is_armed = True
        try:
            yield
        finally:
            self._is_armed = False

    @property
    def has_come(self) -> bool:
        """Whether the process died."""
        return 0 < self._at <= len(self.moments)


class DyingSchedules(RunSchedules):
    """Schedules calls in a process that may die before and after."""

    def __init__(self, death: Death) -> None:
        super().__init__()
        self._death = death

    async def add(self, key: str, tool: str, arguments: Mapping[str, object], *, at: datetime) -> str:
        """Schedule a call."""
        self._death("before a call is scheduled")
        run = await super().add(key, tool, arguments, at=at)
        self._death("after a call is scheduled")
        return run


class DyingHttp(WebhookHttp):
    """Posts to the server in a process that may die before and after, and keeps what was posted."""

    def __init__(self, office: Office) -> None:
        super().__init__(SERVER, make_http=office.receiver.make_http)
        self._office = office

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Any:
        """Post, and keep the requests that came of it."""
        office, receiver = self._office, self._office.receiver
        office.death("before a request")
        path = f"/{url.rpartition('/')[2]}"
        waiting = receiver.answers.get(path) or [200]
        status = waiting.pop(0)
        receiver.refuses = status == 0
        receiver.pages[path] = Page(status=status or 500, headers={"location": f"http://{SERVER}/elsewhere"})
        before = len(receiver.requests)
        try:
            return await super().post(url, body, headers)
        finally:
            for head, sent in zip(receiver.requests[before:], receiver.bodies[before:], strict=True):
                office.requests.append(Request(head.split(" ")[1], head, sent.decode(), office.now, status))
            office.death("after a request")


class Office:
    """The tools in a runtime whose clock is moved by hand, on a site with two webhooks beside a site with one."""

    def __init__(self, world: World, path: Path, receiver: Receiver, death: Death) -> None:
        self.world, self.receiver, self.death, self._path = world, receiver, death, path
        self.now = datetime(2026, 5, 1, tzinfo=UTC)
        self.store = InMemoryStore(self._read_clock)
        self.requests: list[Request] = []
        self.expected: list[Objects] = []
        self.webhooks: dict[str, str] = {}
        self.is_executed = True
        world.database.clock = lambda: self.now
        world.database.schedules = DyingSchedules(death)
        self._webhooks = Webhooks(world.database, DyingHttp(self), WEBHOOK_KEY)
        operations = (
            webhook_operations(self._webhooks),
            publishing_operations(world.database),
            change_set_operations(world.database),
        )
        tools = tuple(tool for each in operations for tool in each.callees)
        self._app = App(name="cms", tools=tools, references=world.references, policy=editing_policy())

    @property
    def _runtime(self) -> Runtime:
        """A process of its own."""
        return Runtime(self._app, store=self.store, clock=self._read_clock, directory=lambda _name, _tenant: ANN)

    def _read_clock(self) -> float:
        return self.now.timestamp()

    async def open(self) -> None:
        """Add the webhooks."""
        await self.world.add_other_site()
        for tenant, path in (("local-site", "/first"), ("local-site", "/second"), ("other", FOREIGN)):
            payload = AddWebhook(url=f"http://{SERVER}{path}")
            made = await self._webhooks.add_webhook(self.world.call(tenant=tenant), payload)
            self.webhooks[path] = made.webhook_id

    async def call(self, tool: str, **arguments: str) -> RunResult[Any]:
        """Call a tool, and approve what it asks."""
        asked = await self.ask(tool, **arguments)
        for question in asked.questions:
            await self._runtime.decide(question, approved=True, by=ANN)
        return await self._runtime.resume(asked.run) if asked.questions else asked

    async def ask(self, tool: str, **arguments: str) -> RunResult[Any]:
        """Call a tool, and leave what it asks open."""
        return await self._runtime.call_by_name(tool, Arguments(json.dumps(arguments), {**arguments}), by=ANN)

    async def publish(self, tool: str, **arguments: str) -> None:
        """Change what visitors see, even if the process dies, and let an executor come by."""
        before = self.look()
        try:
            with self.death.armed():
                await self.call(tool, **arguments)
        except Crash:
            await self.execute(LEASE)
            for row in await self.store.list_questions():
                await self._runtime.decide(row.question.id, approved=True, by=ANN)
            await self.execute()
        after = self.look()
        changed = {page for page in before.keys() | after.keys() if before.get(page) != after.get(page)}
        self.expected.append(frozenset((page, *after.get(page, (None, "{}"))) for page in changed))
        if self.is_executed:
            await self.execute()

    async def execute(self, after: timedelta = timedelta()) -> None:
        """What an executor does a while later: it attempts all runs that have not ended; the next one if it dies."""
        self.now += after
        try:
            with self.death.armed():
                await self._attempt_all()
        except Crash:
            self.now += LEASE
            await self._attempt_all()

    async def _attempt_all(self) -> None:
        for row in await self.store.list_runs(limit=1000):
            if row.status in ("running", "scheduled", "waiting"):
                await self._runtime.resume(row.run)

    async def settle(self, within: timedelta = timedelta(days=9)) -> None:
        """Let time pass, in which an executor comes by whenever something is due; at most until nothing waits."""
        end = self.now + within
        for _ in range(_ROUNDS):
            waiting = self._read("SELECT due_at FROM webhook_deliveries WHERE state = 'waiting'")
            due = min((datetime.fromisoformat(at).replace(tzinfo=UTC) for (at,) in waiting), default=end)
            if due >= end:
                break
            await self.execute(max(due - self.now, timedelta(seconds=1)))
        self.now = max(self.now, end)

    async def find_failed(self) -> list[str]:
        """The runs that failed."""
        return [row.run for row in await self.store.list_runs(limit=1000) if row.status == "failed"]

    async def cancel_deliveries(self) -> None:
        """Withdraw all calls that wait, as a person may."""
        for row in await self.store.list_runs(limit=1000):
            if row.status == "scheduled":
                await self._runtime.client(ANN).cancel(row.run)

    def look(self) -> dict[str, tuple[int | None, str]]:
        """What visitors see: the revision and addresses of each live document."""
        live = self._read("SELECT id, live FROM pages WHERE live IS NOT NULL AND site = 'local-site'")
        paths: dict[str, dict[str, str]] = {}
        for page, locale, path in self._read("SELECT page, locale, path FROM live_paths ORDER BY locale = 'de'"):
            paths.setdefault(page, {})[locale] = f"/{path}" if locale == "en" else f"/{locale}/{path}"
        return {page: (revision, json.dumps(paths.get(page, {}))) for page, revision in live}

    def deliveries(self) -> list[tuple[str, str]]:
        """The id and state of each delivery."""
        return self._read("SELECT id, state FROM webhook_deliveries")

    async def journals(self) -> str:
        """Everything that is stored outside of the database."""
        rows = await self.store.list_runs(limit=1000)
        return "".join([str(await self.store.read(row.run)) for row in rows])

    def rows(self) -> str:
        """Everything that is stored in the database."""
        with closing(sqlite3.connect(self._path)) as database:
            return "\n".join(database.iterdump())

    def _read(self, query: str) -> list[Any]:
        with closing(sqlite3.connect(self._path)) as database:
            return database.execute(query).fetchall()


@asynccontextmanager
async def open_office(folder: Path, death_at: int = 0) -> AsyncGenerator[Office]:
    """An office whose process dies at a moment, counted from 1; 0 for none."""
    world, death = World(folder), Death(death_at)
    async with Receiver() as receiver:
        office = Office(world, folder / "cms.db", receiver, death)
        await office.open()

        def follow_commit(_: object) -> None:
            death("after a commit")

        event.listen(Session, "after_commit", follow_commit)
        try:
            with before_writes(lambda: death("before a write")):
                yield office
        finally:
            event.remove(Session, "after_commit", follow_commit)
            await world.database.close()
