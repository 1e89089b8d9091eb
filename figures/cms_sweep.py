"""Every tool of the CMS in the same cases, from a normal call to a process that dies at each write."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

from sqlalchemy import event
from sqlalchemy.engine import Engine

from apps.cms.tests.images.files import SITE, SITE_UPLOADED, UPLOAD, UPLOADED
from apps.cms.tests.world import World
from figures.cms_stores import Content, SweptDatabase, content_of, new_database
from remit import App, Effect, Principal, Risk, Runtime
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.tools import Arguments
from remit_cms.pages.payloads import CreatePage, UpdatePage
from remit_cms.publishing.change_sets import ChangeSets
from remit_cms.publishing.payloads import AddToChangeSet
from remit_cms.sites.payloads import AddSite
from remit_cms.tools import AnyTool

ANN: Final = Principal("ann", "local-site", frozenset({"cms:*", "approvals:decide"}))
STRANGER: Final = Principal("sid", "local-site", frozenset({"other:read"}))
Sample = dict[str, Any]

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
)
"""The tools of a sample."""

NORMAL: Final[dict[str, Sample]] = {
    "cms_getPages": {},
    "cms_getPage": {"pageId": "{about}"},
    "cms_createPage": {"title": "New"},
    "cms_createPageWithContent": {"title": "New", "sections": [{"definitionId": "{hero}"}]},
    "cms_updatePage": {"pageId": "{about}", "title": "Us", "slug": "us"},
    "cms_translatePage": {"pageId": "{live}", "localeCode": "de", "title": "Lebendig", "slug": "lebendig"},
    "cms_copyPage": {"pageId": "{about}", "title": "Copy"},
    "cms_movePage": {"pageId": "{about}", "parentId": "{live}"},
    "cms_getLinksHere": {"pageId": "{about}"},
    "cms_deletePage": {"pageId": "{live}", "confirmed": True},
    "cms_findResource": {"query": "abuot"},
    "cms_searchPages": {"query": "bread"},
    "cms_getPageSections": {"pageId": "{about}"},
    "cms_getSectionContent": {"pageSectionId": "{section}"},
    "cms_getSectionFields": {"definitionId": "{hero}"},
    "cms_listSectionTemplates": {},
    "cms_addSectionToPage": {"pageId": "{about}", "definitionId": "{hero}"},
    "cms_updateSectionContent": {"pageSectionId": "{section}", "content": {"heading": "Cake"}},
    "cms_addListItem": {"pageSectionId": "{faq}", "item": {"question": "When?", "answer": "At nine."}},
    "cms_updateListItem": {"pageSectionId": "{faq}", "itemId": "i1", "item": {"answer": "Here."}},
    "cms_moveListItem": {"pageSectionId": "{faq}", "itemId": "i1"},
    "cms_removeListItem": {"pageSectionId": "{faq}", "itemId": "i1"},
    "cms_moveSection": {"pageSectionId": "{section}", "sortOrder": 1},
    "cms_deletePageSection": {"pageSectionId": "{section}", "confirmed": True},
    "cms_publishPage": {"pageId": "{live}"},
    "cms_unpublishPage": {"pageId": "{live}"},
    "cms_getLivePage": {"pageId": "{live}"},
    "cms_listRevisions": {"pageId": "{about}"},
    "cms_compareRevisions": {"pageId": "{live}"},
    "cms_revertPage": {"pageId": "{live}", "revision": 1},
    "cms_listTrash": {},
    "cms_restorePage": {"pageId": "{gone}"},
    "cms_purgePage": {"pageId": "{gone}"},
    "cms_listChangeSets": {},
    "cms_getChangeSet": {"changeSetId": "{open}"},
    "cms_createChangeSet": {"name": "Spring", "pageIds": ["{about}"]},
    "cms_addToChangeSet": {"changeSetId": "{open}", "pageIds": ["{about}"]},
    "cms_publishChangeSet": {"changeSetId": "{open}"},
    "cms_discardChangeSet": {"changeSetId": "{open}"},
    "cms_revertChangeSet": {"changeSetId": "{published}"},
    "cms_schedulePage": {"pageId": "{live}", "at": "2126-01-01T09:00"},
    "cms_expirePage": {"pageId": "{live}", "at": "2126-01-01T09:00+01:00"},
    "cms_scheduleChangeSet": {"changeSetId": "{open}", "at": "2126-01-01"},
    "cms_listScheduledActions": {},
    "cms_cancelScheduledAction": {"actionId": "{action}"},
    "cms_runScheduledAction": {"actionId": "{action}"},
    "cms_getSiteSettings": {},
    "cms_getSiteSetting": {"key": "tagline"},
    "cms_updateSiteSettings": {"tagline": "Daily bread", "postHosts": ["hooks.example.com"]},
    "cms_getNavigation": {},
    "cms_addNavigationItem": {"label": "Live", "href": "{live}"},
    "cms_updateNavigationItem": {"label": "{item}", "newLabel": "Us", "newHref": "{live}"},
    "cms_toggleNavigationItem": {"label": "{item}"},
    "cms_removeNavigationItem": {"label": "{item}"},
    "cms_createPreviewLink": {"pageId": "{live}"},
    "cms_addSite": {"key": "bakery", "name": "Bakery"},
    "cms_listSites": {},
    "cms_importContent": {"file": SITE_UPLOADED},
    "cms_seedSite": {},
    "cms_uploadImage": {"file": UPLOADED, "altText": "A new loaf"},
    "cms_listConversationImages": {},
    "cms_findImage": {"description": "loaf"},
    "cms_searchImages": {"query": "cake"},
    "cms_updateImage": {"imageId": "{shown}", "altText": "A big cake"},
    "cms_deleteImage": {"imageId": "{image}"},
    "cms_getImageUsage": {"imageId": "{shown}"},
    "cms_getImageRendition": {"imageId": "{image}"},
    "cms_updateSectionImage": {"pageSectionId": "{section}", "imageId": "{image}"},
    "cms_addImageToSection": {"pageSectionId": "{section}", "imageId": "{image}"},
    "cms_replaceImage": {"oldImageDescription": "{shown}", "newImageId": "{image}"},
    "cms_listCollections": {},
    "cms_createCollection": {"name": "Team", "fields": [{"key": "role", "type": "text"}]},
    "cms_getCollectionEntries": {"collectionId": "{posts}"},
    "cms_getEntryContent": {"entryId": "{entry}"},
    "cms_createEntry": {"collectionId": "{posts}", "title": "New", "content": {"body": "Cake"}},
    "cms_updateEntry": {"entryId": "{entry}", "title": "Later", "slug": "later", "content": {"body": "Cake"}},
    "cms_deleteEntry": {"entryId": "{news}"},
    "cms_getPosts": {"collectionSlug": "{posts}"},
    "cms_getPost": {"postSlug": "{entry}"},
    "cms_createPost": {"title": "New", "body": "Cake", "collectionSlug": "{posts}"},
    "cms_updatePost": {"postSlug": "{entry}", "body": "Cake", "tags": ["bread"]},
    "cms_publishPost": {"postSlug": "{entry}"},
    "cms_archivePost": {"postSlug": "{news}"},
    "cms_deletePost": {"postSlug": "{news}"},
}
"""Arguments with which each tool succeeds. Names in braces are ids of `World.populate`."""

TARGETS: Final = {"cms_importContent": "empty", "cms_seedSite": "empty"}
"""The sites of calls that need one without pages."""

IDS: Final[dict[str, tuple[str, ...]]] = {
    "about": ("page_1", "page_4"),
    "live": ("page_2", "page_5"),
    "gone": ("page_3", "page_6"),
    "section": ("section_1", "section_4"),
    "faq": ("section_3", "section_6"),
    "image": ("image_1", "image_3"),
    "shown": ("image_2", "image_4"),
    "published": ("set_1", "set_3"),
    "open": ("set_2", "set_4"),
    "item": ("item_1", "item_2"),
    "entry": ("entry_1", "entry_3"),
    "action": ("action_1", "action_2"),
    "news": ("entry_2", "entry_4"),
    "hero": ("", ""),
    "posts": ("", ""),
}
"""The ids of the objects of this tenant, and of another one; those of templates are found."""


class Crash(BaseException):
    """The process died here."""


class Sweep:
    """The CMS with two tenants in the same state, restored before each case, and what went wrong in the cases."""

    def __init__(self, world: World, database: SweptDatabase, ids: dict[str, tuple[str, ...]]) -> None:
        self.tools = {tool.name: tool for tool in world.tools}
        self._app = App(name="cms", tools=tuple(self.tools.values()), references=world.references)
        self._world, self._database, self.ids = world, database, ids
        database.keep()
        self._looks, self._counts = world.clock.looks, world.ids.counts.copy()
        self.failures: list[str] = []
        self.cases = 0

    @contextmanager
    def case(self, name: str, tool: str) -> Generator[Callable[[bool, object], None]]:
        """One case in the prepared state. It yields what is called with each claim about it."""
        self._database.restore()
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
        """The rows of all tables."""
        return content_of(self._database)

    async def call(
        self, tool: str, arguments: Sample, by: Principal = ANN, *, answer: bool | None = True
    ) -> RunResult[Any]:
        """Call a tool, and answer what is asked; None does not answer."""
        runtime = self._runtime(InMemoryStore(), by)
        return await self._start(runtime, tool, arguments, by, answer=answer)

    async def call_and_die(self, tool: str, arguments: Sample, write: int) -> tuple[bool, Content, str]:
        """Call a tool in a process that dies at a write, then resume: whether it died, what it left, its reply."""
        store = InMemoryStore()
        with _counting_writes(write):
            try:
                result = await self._start(self._runtime(store, ANN), tool, arguments, ANN, answer=True)
            except Crash:
                left = self.content()
            else:
                return False, {}, result.text
        self._rewind()
        result = await self._runtime(store, ANN).resume("swept")
        return True, left, result.text

    async def change_under_question(self, tool: str, arguments: Sample) -> tuple[RunResult[Any], Content]:
        """Ask, change what is asked about, approve: the result, and the content before the yes."""
        runtime = self._runtime(InMemoryStore(), ANN)
        asked = await self._start(runtime, tool, arguments, ANN, answer=None)
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
        self, runtime: Runtime, tool: str, arguments: Sample, by: Principal, *, answer: bool | None
    ) -> RunResult[Any]:
        for file in (UPLOAD, SITE):
            await runtime.artifacts.add(file, by=by)
        sent, target = Arguments(json.dumps(arguments), arguments), TARGETS.get(tool, "")
        result = await runtime.call_by_name(tool, sent, by=by, target=target)
        if answer is None or result.status != "waiting":
            return result
        for question in result.questions:
            await runtime.decide(question, approved=answer, by=ANN)
        return await runtime.resume(result.run)

    def _runtime(self, store: InMemoryStore, by: Principal) -> Runtime:
        return Runtime(self._app, store=store, directory=lambda _name, _tenant: by, make_run_id=lambda: "swept")


@contextmanager
def _counting_writes(last: int = 0) -> Generator[Callable[[], int]]:
    """Yields what counts the statements that write so far. The process dies at the one with the number ``last``."""
    written = 0

    def count(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        nonlocal written
        if statement.lstrip()[:6].upper() in {"INSERT", "UPDATE", "DELETE"}:
            written += 1
            if written == last:
                raise Crash

    event.listen(Engine, "before_cursor_execute", count)
    try:
        yield lambda: written
    finally:
        event.remove(Engine, "before_cursor_execute", count)


@asynccontextmanager
async def open_sweep(kind: str = "sqlite") -> AsyncGenerator[Sweep]:
    """The CMS in a new database."""
    with TemporaryDirectory() as folder, new_database(kind) as database:
        world = World(Path(folder), database.location)
        world.calls.run = "swept"
        await world.add_other_site()
        for tenant in ("local-site", "other"):
            await world.populate(tenant)
        await world.sites.add_site(world.call(), AddSite(key="empty", name="Empty"))
        try:
            yield Sweep(world, database, find_ids(database, IDS, "other-site"))
        finally:
            await world.database.close()


def find_ids(database: SweptDatabase, ids: Mapping[str, tuple[str, ...]], *others: str) -> dict[str, tuple[str, ...]]:
    """The ids by placeholder, with those of templates, of this site and of the others."""
    rows = database.read("section_definitions", "key", "site", "id")
    templates = {(key, site): template for key, site, template in rows}
    found = {key: tuple(templates[key, site] for site in ("local-site", *others)) for key in ("hero", "posts")}
    return {**ids, **found}


async def sweep_tool(sweep: Sweep, tool: AnyTool, *, short: bool) -> None:
    """All cases of one tool."""
    name, sample = tool.name, NORMAL[tool.name]
    arguments = sweep.fill(sample)
    with sweep.case("normal", name) as claim:
        before = sweep.content()
        with _counting_writes() as count_writes:
            result = await sweep.call(name, arguments)
        done, reply, writes = sweep.content(), result.text, count_writes()
        claim(result.status == "done" and '"success":true' in reply, reply)
        claim((done == before) == (tool.facts.effect is Effect.PURE), "what it writes does not fit its effect")
    await _sweep_refusals(sweep, tool, sample)
    if tool.facts.risk is Risk.HIGH:
        await _sweep_questions(sweep, tool, arguments)
    if tool.facts.effect is Effect.KEYED:
        step = max(3 if short else 1, writes // _DEATHS)
        for write in (*range(1, writes, step), writes, writes + 1):
            await _sweep_crash(sweep, tool, arguments, (done, reply), write, dies=write <= writes)


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
    for case, by, arguments, code in (
        ("invalid", ANN, {**sweep.fill(sample), "colour": "red"}, "VALIDATION_ERROR"),
        ("denied", STRANGER, sweep.fill(sample), "PERMISSION_DENIED"),
    ):
        with sweep.case(case, tool.name) as claim:
            before = sweep.content()
            answer = (await sweep.call(tool.name, arguments, by)).text
            claim(json.loads(answer).get("errorCode") == code, answer)
            claim(sweep.content() == before, "it changed something")


async def _sweep_questions(sweep: Sweep, tool: AnyTool, arguments: Sample) -> None:
    """A tool of high risk changes nothing before a yes, after a no, or if what was shown has changed."""
    with sweep.case("asked", tool.name) as claim:
        before = sweep.content()
        result = await sweep.call(tool.name, arguments, answer=None)
        claim(result.status == "waiting" and len(result.questions) == 1, result.text)
        claim(sweep.content() == before, "it changed something before the yes")
    with sweep.case("answered with no", tool.name) as claim:
        reply = json.loads((await sweep.call(tool.name, arguments, answer=False)).text)
        claim(reply.get("cancelled") is True, reply)
        claim(sweep.content() == before, "it changed something after the no")
    with sweep.case("stale", tool.name) as claim:
        result, before = await sweep.change_under_question(tool.name, arguments)
        claim(sweep.content() == before, "it did what nobody was shown")
        claim(result.status == "waiting" or '"success":false' in result.text, result.text)


async def _sweep_crash(
    sweep: Sweep, tool: AnyTool, arguments: Sample, expected: tuple[Content, str], write: int, *, dies: bool
) -> None:
    """Wherever the process dies, all is written or nothing; afterwards it is written once, with the same reply."""
    with sweep.case(f"dies at write {write}", tool.name) as claim:
        before = sweep.content()
        died, left, reply = await sweep.call_and_die(tool.name, arguments, write)
        claim(died == dies, "it writes another number of times than before")
        claim(not died or left in (before, expected[0]), "it left a part")
        claim((sweep.content(), reply) == expected, "its second attempt had another result")
