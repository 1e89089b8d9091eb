"""Every tool of the CMS in the same cases, from a normal call to a process that dies at each write."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

from apps.cms.tests.images.files import SITE, UPLOAD
from apps.cms.tests.world import World
from figures.cms_arguments import IDS, NORMAL, TARGETS, WEB, Sample
from figures.cms_stores import Content, SweptDatabase, before_writes, content_of, new_database
from figures.cms_tokens import Step, TokenSteps, find_token_steps
from figures.cms_web import open_internet, web_tools
from figures.ssrf_world import Internet
from remit import App, Effect, Principal, Risk, Runtime
from remit.runtime import CallResult, RunResult
from remit.stores import InMemoryStore
from remit.tools import Arguments
from remit_cms.pages.payloads import CreatePage, UpdatePage
from remit_cms.publishing.change_sets import ChangeSets
from remit_cms.publishing.payloads import AddToChangeSet
from remit_cms.sites.payloads import AddSite
from remit_cms.tools import AnyTool

ANN: Final = Principal("ann", "local-site", frozenset({"cms:*", "web:*", "approvals:decide"}))
STRANGER: Final = Principal("sid", "local-site", frozenset({"other:read"}))

_DEATHS: Final = 40
"""A tool that writes more often, as ``cms_seedSite`` does (some 800 times), dies at about this many, evenly spread."""

SAMPLE: Final = (
    "cms_updatePage",
    "cms_getLivePage",
    "cms_publishChangeSet",
    "cms_purgePage",
    "cms_deleteImage",
    "cms_deletePost",
    "cms_uploadImage",
    "http_post",
)
"""The tools of a sample."""


class Crash(BaseException):
    """The process died here."""


class Sweep:
    """The CMS with two tenants in the same state, restored before each case, and what went wrong in the cases."""

    def __init__(
        self, world: World, database: SweptDatabase, ids: dict[str, tuple[str, ...]], internet: Internet
    ) -> None:
        self.tools = {tool.name: tool for tool in (*world.tools, *web_tools(world, internet))}
        self._apps = {
            name: App(name="cms", tools=(tool,), references=world.references) for name, tool in self.tools.items()
        }
        self._world, self.database, self._internet, self.ids = world, database, internet, ids
        database.keep()
        self._kept, self._kept_at = content_of(database), database.version()
        self._looks, self._counts = world.clock.looks, world.ids.counts.copy()
        self.failures: list[str] = []
        self.cases = 0

    @contextmanager
    def case(self, name: str, tool: str) -> Generator[Callable[[bool, object], None]]:
        """One case in the prepared state. It yields what is called with each claim about it."""
        if self.database.version() != self._kept_at:
            self.database.restore()
            self._kept_at = self.database.version()
        self._internet.requests.clear()
        self._rewind()
        self.cases += 1

        def claim(holds: bool, found: object) -> None:  # noqa: FBT001 - reads as a claim
            if not holds:
                self.failures.append(f"{tool}, {name}: {str(found)[:300]}")

        yield claim

    def _rewind(self) -> None:
        """Give times and ids as from the prepared state on, so that replies can be compared."""
        self._world.clock.looks, self._world.ids.counts = self._looks, self._counts.copy()

    def fill(self, value: Any, tenant: int = 0, only: str = "") -> Any:
        """A sample with ids; those of the other tenant for ``tenant`` 1, or for the placeholder ``only`` alone."""
        if isinstance(value, dict):
            return {name: self.fill(each, tenant, only) for name, each in cast("Sample", value).items()}
        if isinstance(value, list):
            return [self.fill(each, tenant, only) for each in cast("list[Any]", value)]
        if isinstance(value, str) and value.startswith("{"):
            name = value.strip("{}")
            return self.ids[name][tenant if only in ("", name) else 0]
        return value

    def content(self) -> Content:
        """The rows of all tables, and what was posted to other servers."""
        rows = self._kept if self.database.version() == self._kept_at else content_of(self.database)
        posts = [each for each in self._internet.requests if each.startswith("POST")]
        return {**rows, "posts": posts} if posts else rows

    async def call(
        self,
        tool: str,
        arguments: Sample,
        by: Principal = ANN,
        *,
        answer: bool | None = True,
        target: str = "",
        run: str = "swept",
    ) -> RunResult[Any]:
        """Call a tool, and answer what is asked; None does not answer. ``target`` is another site than usual."""
        runtime = self._runtime(tool, InMemoryStore(), by, run)
        return await self._start(runtime, tool, arguments, by, answer=answer, target=target)

    async def call_and_die(self, tool: str, arguments: Sample, write: int) -> tuple[bool, Content, str]:
        """Call a tool in a process that dies at a write, then resume: whether it died, what it left, its reply."""
        store = InMemoryStore()
        with _counting_writes(write):
            try:
                result = await self._start(self._runtime(tool, store, ANN), tool, arguments, ANN, answer=True)
            except Crash:
                left = self.content()
            else:
                return False, {}, result.text
        self._rewind()
        result = await self._runtime(tool, store, ANN).resume("swept")
        return True, left, result.text

    async def prepare(self, tool: str) -> Runtime:
        """A runtime of a tool, with the files that calls may name."""
        runtime = self._runtime(tool, InMemoryStore(), ANN)
        await self._add_files(runtime, ANN)
        return runtime

    async def ask(self, tool: str, arguments: Sample) -> tuple[Runtime, RunResult[Any]]:
        """Call a tool, and leave what is asked open. The same call may `attach` to it."""
        runtime = self._runtime(tool, InMemoryStore(), ANN)
        return runtime, await self.attach(runtime, tool, arguments)

    async def attach(self, runtime: Runtime, tool: str, arguments: Sample) -> RunResult[Any]:
        """Make a call, or attach to its run."""
        await self._add_files(runtime, ANN)
        client, target = runtime.client(ANN), TARGETS.get(tool, "")
        return await client.call(tool, json.dumps(arguments), attach=True, target=target)

    async def call_in_run(self, runtime: Runtime, tool: str, arguments: Sample) -> CallResult[Any]:
        """Make a call of an open run, or the same one again."""
        await self._add_files(runtime, ANN)
        opened = runtime.client(ANN).open_run(idempotency_key="sweep", target=TARGETS.get(tool, ""))
        async with opened as run:
            return await run.call(tool, json.dumps(arguments), key="call")

    async def ask_in_run(self, tool: str, arguments: Sample) -> tuple[Runtime, CallResult[Any]]:
        """Call a tool in an open run, and leave what is asked open."""
        runtime = self._runtime(tool, InMemoryStore(), ANN)
        return runtime, await self.call_in_run(runtime, tool, arguments)

    async def change_under_question(self, tool: str, arguments: Sample) -> tuple[RunResult[Any], Content]:
        """Ask, change what is asked about, approve: the result, and the content before the yes."""
        runtime, asked = await self.ask(tool, arguments)
        world = self._world
        if tool == "cms_purgePage":
            await self.call("cms_restorePage", self.fill({"pageId": "{gone}"}))
        elif tool in ("cms_publishChangeSet", "cms_scheduleChangeSet"):
            payload = AddToChangeSet(change_set_id=self.ids["open"][0], page_ids=[self.ids["about"][0]])
            await ChangeSets(world.database).add_to_change_set(world.call(key="stale"), payload)
        elif tool.endswith(("Post", "Entry")):
            await self.call(
                "cms_updatePost", {"postSlug": arguments.get("postSlug", "entry_2"), "body": "Changed since"}
            )
        elif tool in TARGETS:
            call = world.call(key="stale", target=TARGETS[tool])
            await world.pages.create_page(call, CreatePage(title="Made since"))
        elif tool == "cms_removeNavigationItem":
            await self.call("cms_toggleNavigationItem", self.fill({"label": "{item}"}))
        elif tool == "cms_removeRedirect":
            await self.call("cms_updateRedirect", self.fill({"path": "{redirection}", "newHref": "{live}"}))
        elif tool == "cms_deleteImage":
            await self.call("cms_updateImage", self.fill({"imageId": "{image}", "altText": "Another"}))
        elif tool == "cms_revertChangeSet":
            await self.call("cms_unpublishPage", self.fill({"pageId": "{live}"}))
        else:
            page = self.ids["about" if "section" in str(arguments) else "live"][0]
            await world.pages.update_page(world.call(key="stale"), UpdatePage(page_id=page, title="Changed since"))
        before = self.content()
        for question in asked.questions:
            await runtime.decide(question, approved=True, by=ANN)
        return await runtime.resume(asked.run), before

    async def _start(
        self, runtime: Runtime, tool: str, arguments: Sample, by: Principal, *, answer: bool | None, target: str = ""
    ) -> RunResult[Any]:
        await self._add_files(runtime, by)
        sent = Arguments(json.dumps(arguments), arguments)
        result = await runtime.call_by_name(tool, sent, by=by, target=target or TARGETS.get(tool, ""))
        if answer is None or result.status != "waiting":
            return result
        for question in result.questions:
            await runtime.decide(question, approved=answer, by=ANN)
        return await runtime.resume(result.run)

    async def _add_files(self, runtime: Runtime, by: Principal) -> None:
        for file in (UPLOAD, SITE):
            await runtime.artifacts.add(file, by=by)

    def _runtime(self, tool: str, store: InMemoryStore, by: Principal, run: str = "swept") -> Runtime:
        """A runtime of one tool, since each composes the layers of all that it has."""
        return Runtime(self._apps[tool], store=store, directory=lambda _name, _tenant: by, make_run_id=lambda: run)


@contextmanager
def _counting_writes(last: int = 0) -> Generator[Callable[[], int]]:
    """Yields what counts the statements that write so far. The process dies at the one with the number ``last``."""
    written = 0

    def count() -> None:
        nonlocal written
        written += 1
        if written == last:
            raise Crash

    with before_writes(count):
        yield lambda: written


@asynccontextmanager
async def open_sweep(
    kind: str = "sqlite", prepare: Callable[[World], Awaitable[None]] | None = None
) -> AsyncGenerator[Sweep]:
    """The CMS in a new database. ``prepare`` adds to the state before the cases."""
    with TemporaryDirectory() as folder, new_database(kind) as database:
        world = World(Path(folder), database.location)
        world.calls.run = "swept"
        await world.add_other_site()
        for tenant in ("local-site", "other"):
            await world.populate(tenant)
        await world.sites.add_site(world.call(), AddSite(key="empty", name="Empty"))
        if prepare is not None:
            await prepare(world)
        try:
            async with open_internet() as internet:
                yield Sweep(world, database, find_ids(database, IDS, "other-site"), internet)
        finally:
            await world.database.close()


def find_ids(database: SweptDatabase, ids: Mapping[str, tuple[str, ...]], *others: str) -> dict[str, tuple[str, ...]]:
    """The ids by placeholder, with those of templates, of this site and of the others."""
    rows = database.read("section_definitions", "key", "site", "environment", "id")
    templates = {(key, site): template for key, site, environment, template in rows if environment == "main"}
    found = {key: tuple(templates[key, site] for site in ("local-site", *others)) for key in ("hero", "posts", "quote")}
    return {**ids, **found}


async def sweep_tool(sweep: Sweep, tool: AnyTool, *, short: bool) -> None:
    """All cases of one tool."""
    name, sample = tool.name, {**NORMAL, **WEB}[tool.name]
    arguments = sweep.fill(sample)
    with sweep.case("normal", name) as claim:
        before = sweep.content()
        with _counting_writes() as count_writes:
            result = await sweep.call(name, arguments)
        done, reply, writes = sweep.content(), result.text, count_writes()
        claim(result.status == "done" and '"success":true' in reply, reply)
        effect = tool.facts.effect
        claim(effect is Effect.IDEMPOTENT or (done == before) == (effect is Effect.PURE), "it is not of its effect")
        if effect is Effect.IDEMPOTENT:
            again = (await sweep.call(name, arguments)).text
            claim(again == reply and not _changes(done, sweep.content()), f"its second call did more: {again}")
    await _sweep_refusals(sweep, tool, sample)
    if steps := find_token_steps(tool, sample):
        await _sweep_tokens(sweep, tool, arguments, steps)
    if tool.facts.risk is Risk.HIGH:
        await _sweep_questions(sweep, tool, arguments)
    if effect in (Effect.KEYED, Effect.IDEMPOTENT) and writes:
        step = max(3 if short else 1, writes // _DEATHS)
        for write in (*range(1, writes, step), writes, writes + 1):
            await _sweep_crash(sweep, tool, arguments, (done, reply), write, dies=write <= writes)


def _changes(before: Content, after: Content) -> list[str]:
    """The tables that differ, without those that count what is derived from content."""
    return [table for table in after if before[table] != after[table] and table not in ("environments", "vectors")]


async def _sweep_refusals(sweep: Sweep, tool: AnyTool, sample: Sample) -> None:
    """Not found and foreign, which read the same, invalid, and without permission: nothing changes."""
    for placeholder in sorted(each for each in IDS if f"{{{each}}}" in json.dumps(sample)):
        with sweep.case(f"another tenant's {placeholder}", tool.name) as claim:
            before = sweep.content()
            foreign = sweep.fill(sample, 1, placeholder)
            theirs = sweep.fill(f"{{{placeholder}}}", 1)
            unknown = f"{theirs[:-1]}x"
            answer = (await sweep.call(tool.name, foreign)).text
            other = json.loads(json.dumps(foreign).replace(f'"{theirs}"', f'"{unknown}"'))
            claim((await sweep.call(tool.name, other)).text.replace(unknown, theirs) == answer, answer)
            claim(json.loads(answer).get("errorCode") == "NOT_FOUND", answer)
            claim(sweep.content() == before, "it changed something")
    with sweep.case("another tenant's site", tool.name) as claim:
        before = sweep.content()
        answer, other = [
            (await sweep.call(tool.name, sweep.fill(sample), target=each)).text for each in ("other-site", "other-sitx")
        ]
        claim(other.replace("other-sitx", "other-site") == answer, answer)
        claim('"success":false' in answer or tool.name in WEB, answer)
        claim(sweep.content() == before, "it changed something")
    for case, by, arguments, code in (
        ("invalid", ANN, {**sweep.fill(sample), "colour": "red"}, "VALIDATION_ERROR"),
        ("denied", STRANGER, sweep.fill(sample), "PERMISSION_DENIED"),
    ):
        with sweep.case(case, tool.name) as claim:
            before = sweep.content()
            answer = (await sweep.call(tool.name, arguments, by)).text
            claim(json.loads(answer).get("errorCode") == code, answer)
            claim(sweep.content() == before, "it changed something")


async def _sweep_tokens(sweep: Sweep, tool: AnyTool, arguments: Sample, steps: TokenSteps) -> None:
    """A call with the token of what is there does its work; with an earlier one it changes nothing."""
    first, then = sweep.fill(steps.first), sweep.fill(steps.then)
    with sweep.case("token", tool.name) as claim:
        token = await _make_steps(sweep, first)
        answer = (await sweep.call(tool.name, {**arguments, "ifUnchanged": token})).text
        claim('"success":true' in answer, answer)
    with sweep.case("stale token", tool.name) as claim:
        token = await _make_steps(sweep, first)
        await _make_steps(sweep, then, after=len(first))
        before = sweep.content()
        answer = (await sweep.call(tool.name, {**arguments, "ifUnchanged": token})).text
        claim(json.loads(answer).get("errorCode") == "CONFLICT", answer)
        claim(sweep.content() == before, "it changed something")


async def _make_steps(sweep: Sweep, steps: Sequence[Step], after: int = 0) -> str:
    """Make calls that succeed, and return the token that the last one answers with."""
    token = ""
    for number, (name, arguments) in enumerate(steps, after):
        result = await sweep.call(name, {**arguments, "withToken": True}, run=f"swept-{number}")
        token = json.loads(result.text).get("token")
        if not token:
            raise AssertionError(f"{name}: {result.text}")
    return token


async def _sweep_questions(sweep: Sweep, tool: AnyTool, arguments: Sample) -> None:
    """A high-risk tool changes nothing before a yes, after a no, or if what was shown has changed."""
    with sweep.case("asked", tool.name) as claim:
        before = sweep.content()
        result = await sweep.call(tool.name, arguments, answer=None)
        claim(result.status == "waiting" and len(result.questions) == 1, result.text)
        claim(sweep.content() == before, "it changed something before the yes")
    with sweep.case("answered with no", tool.name) as claim:
        reply = json.loads((await sweep.call(tool.name, arguments, answer=False)).text)
        claim(reply.get("cancelled") is True, reply)
        claim(sweep.content() == before, "it changed something after the no")
    if tool.name in WEB:  # what is posted is in its arguments
        return
    with sweep.case("stale", tool.name) as claim:
        result, before = await sweep.change_under_question(tool.name, arguments)
        claim(sweep.content() == before, "it did what nobody was shown")
        claim(result.status == "waiting" or '"success":false' in result.text, result.text)


async def _sweep_crash(
    sweep: Sweep, tool: AnyTool, arguments: Sample, expected: tuple[Content, str], write: int, *, dies: bool
) -> None:
    """Wherever the process dies, all is written or nothing; afterwards it is written once, with the same reply.

    What may be repeated may also leave a part, which the next attempt completes.
    """
    with sweep.case(f"dies at write {write}", tool.name) as claim:
        before = sweep.content()
        died, left, reply = await sweep.call_and_die(tool.name, arguments, write)
        claim(died == dies, "it writes another number of times than before")
        whole = left in (before, expected[0]) or tool.facts.effect is Effect.IDEMPOTENT
        claim(not died or whole, "it left a part")
        result = (sweep.content(), json.loads(reply))
        claim(result == (expected[0], json.loads(expected[1])), "its second attempt had another result")
