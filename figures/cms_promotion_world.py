"""A site with two environments, step by step beside a model of what a promotion makes of the drafts there."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from apps.cms.tests.world import World
from figures.cms_promotion_rows import MAIN, SITE, STAGING, Environments, Values, merge
from remit import App, LeafContext, Principal, Runtime
from remit.errors import RemitError
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.tools import Arguments
from remit_cms.models import Content
from remit_cms.pages.payloads import CreatePage, GetPage, UpdatePage
from remit_cms.protection import editing_policy
from remit_cms.publishing.change_sets import ChangeSets
from remit_cms.publishing.payloads import PublishChangeSet, RemoveWithChangeSet
from remit_cms.publishing.removals import Removals
from remit_cms.sections.payloads import (
    AddSectionToPage,
    DeletePageSection,
    SectionInput,
    UpdateSectionContent,
)
from remit_cms.semantic.rebuilding import Rebuilding
from remit_cms.sites.payloads import AddSite
from remit_cms.tools import change_set_operations, sites_operations, webhook_operations

ANN: Final = Principal("ann", "local-site", frozenset({"cms:*", "approvals:decide"}))
WRITER: Final = Principal("wim", "local-site", frozenset({"cms:read", "cms:write"}))


Looks = dict[str, dict[str, Values]]


@dataclass
class Written:
    """A change set: the revisions that it made of each page, in order, and the pages that go with it."""

    environment: str
    number: int
    id: str = ""
    revisions: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    removed: set[str] = field(default_factory=set[str])


@dataclass
class Promoted:
    """A promoted set that is open: its id, and what it made of each part of each page; None of a page that goes."""

    id: str
    environment: str
    changes: dict[str, Values | None]


class Bistro(Environments):
    """The site and its model, and what they disagree about. Pages are known by the same name in both environments."""

    def __init__(self, world: World, path: Path, rng: random.Random) -> None:
        super().__init__(path)
        self.world, self._rng = world, rng
        self.failures: list[str] = []
        self.steps = self.promoted = self.refused = 0
        self._sets: dict[tuple[str, str], Written] = {}
        self._published: list[Written] = []
        self._promotions: list[Promoted] = []
        self._count = 0
        self._store = InMemoryStore(lambda: 0.0)
        operations = (
            change_set_operations(world.database),
            sites_operations(world.sites, Rebuilding(world.database, world.index)),
            webhook_operations(world.webhooks),
        )
        tools = tuple(tool for each in operations for tool in each.callees)
        app = App(name="cms", tools=tools, references=world.references, policy=editing_policy())
        self._runtime = Runtime(app, store=self._store, directory=lambda name, _: WRITER if name == "wim" else ANN)

    async def open(self) -> None:
        """Make the site."""
        payload = AddSite(key=SITE, name="Bistro", languages=["en", "de"], environments=[MAIN, STAGING])
        await self.world.sites.add_site(self.world.call(), payload)

    async def step(self, name: str, who: str) -> None:
        """Do one step in both, and compare them."""
        self.steps += 1
        step, before = name.removeprefix("there_"), self.look()
        with suppress(RemitError):
            await getattr(self, f"_{step}")(STAGING if step == name else MAIN, who)
        if step not in ("publish", "back", "go_live") and self.look() != before:
            self._fail(f"{name} by {who}: visitors see something else")

    def _fail(self, what: str) -> None:
        self.failures.append(f"step {self.steps}: {what}")

    def _next_word(self) -> str:
        self._count += 1
        return f"v{self._count}"

    def _call(self, environment: str, who: str) -> LeafContext:
        return self.world.call(by=who, target=f"{SITE}/{environment}", conversation=f"{who} in {environment}")

    # Edits

    async def _create(self, environment: str, who: str) -> None:
        name, word = f"p{self._count}", self._next_word()
        sections = [SectionInput(definition_id="hero", content={"heading": word})]
        payload = CreatePage(title=word, slug=name, sections=sections)
        made = await self.world.pages.create_page(self._call(environment, who), payload)
        self.ids[environment][name] = made.page.id
        self._note(environment, who, name)

    async def _title(self, environment: str, who: str) -> None:
        await self._update(environment, who, title=self._next_word())

    async def _description(self, environment: str, who: str) -> None:
        await self._update(environment, who, meta={"description": self._next_word()})

    async def _update(self, environment: str, who: str, **changes: Any) -> None:
        name, page = await self._read_some(environment, who)
        payload = UpdatePage.model_validate({"page_id": page, **changes})
        await self.world.pages.update_page(self._call(environment, who), payload)
        self._note(environment, who, name)

    async def _heading(self, environment: str, who: str) -> None:
        await self._write(environment, who, None, {"heading": self._next_word()})

    async def _german(self, environment: str, who: str) -> None:
        await self._write(environment, who, "de", {"subheading": self._next_word()})

    async def _write(self, environment: str, who: str, locale: str | None, content: Content) -> None:
        name, _ = await self._read_some(environment, who)
        section = self._some_section(environment, name)
        payload = UpdateSectionContent(page_section_id=section, content=content, locale_code=locale)
        await self.world.sections.update_section_content(self._call(environment, who), payload)
        self._note(environment, who, name)

    async def _section(self, environment: str, who: str) -> None:
        name, page = await self._read_some(environment, who)
        payload = AddSectionToPage(page_id=page, definition_id="hero", content={"heading": self._next_word()})
        await self.world.sections.add_section_to_page(self._call(environment, who), payload)
        self._note(environment, who, name)

    async def _drop(self, environment: str, who: str) -> None:
        name, _ = await self._read_some(environment, who)
        payload = DeletePageSection(page_section_id=self._some_section(environment, name), confirmed=True)
        await self.world.sections.delete_page_section(self._call(environment, who), payload)
        self._note(environment, who, name)

    async def _remove(self, environment: str, who: str) -> None:
        name, page = await self._read_some(environment, who)
        payload = RemoveWithChangeSet(page_id=page, removal="delete")
        await Removals(self.world.database).remove_with_change_set(self._call(environment, who), payload)
        self._set_of(environment, who).removed.add(name)

    async def _read_some(self, environment: str, who: str) -> tuple[str, str]:
        """A page that the conversation has read as it is, so that no write of it is stale."""
        name, page = self._rng.choice([*self.ids[environment].items()] or [("", "")])
        payload = GetPage(page_id=page or "nosuch", include_content=True)
        await self.world.pages.get_page(self._call(environment, who), payload)
        return name, page

    def _some_section(self, environment: str, name: str) -> str:
        (snapshot,) = self.read(
            "SELECT snapshot FROM revisions WHERE page = ? ORDER BY number DESC LIMIT 1", self.ids[environment][name]
        )[0]
        sections = [each["id"] for each in json.loads(snapshot)["sections"]]
        return self._rng.choice(sections or ["nosuch"])

    def _set_of(self, environment: str, who: str) -> Written:
        return self._sets.setdefault((environment, who), Written(environment, self._count))

    def _note(self, environment: str, who: str, name: str) -> None:
        """Remember whose the newest revision of a page is."""
        page = self.ids[environment][name]
        (newest,) = self.read("SELECT max(number) FROM revisions WHERE page = ?", page)[0]
        noted = self._set_of(environment, who).revisions.setdefault(name, [])
        if newest not in noted and not any(
            newest in each.revisions.get(name, ()) for each in self._sets.values() if each.environment == environment
        ):
            noted.append(newest)

    # Publications and promotions

    async def _publish(self, environment: str, who: str) -> None:
        reply = await ChangeSets(self.world.database).publish_change_set(
            self._call(environment, who), PublishChangeSet()
        )
        written = self._sets.pop((environment, who))
        written.id = reply.change_set.id
        self._published.append(written)
        self._forget_deleted(environment)

    async def _back(self, _environment: str, who: str) -> None:
        """What was published in main goes to staging."""
        for person in (who, "bob"):
            if (MAIN, person) in self._sets:
                await self._publish(MAIN, person)
        await self._promote(MAIN, who)

    async def _promote(self, environment: str, who: str) -> None:
        published = [each for each in self._published if each.environment == environment]
        if published:
            await self._take_over(published[-1] if self._rng.random() < 0.7 else self._rng.choice(published), who)

    async def _promote_open(self, environment: str, who: str) -> None:
        """What is not published is not taken over, nor is anything by somebody who may not read there."""
        to = MAIN if environment == STAGING else STAGING
        before = self.rows()
        found = self.read(
            "SELECT id FROM change_sets WHERE site = 'bistro' AND environment = ? AND state = 'open'", environment
        )
        tried = [(each, ANN) for (each,) in found] + [(each.id, WRITER) for each in self._published[-1:]]
        for change_set, person in tried:
            result = await self._ask(
                "cms_promoteChangeSet", to, person, fromEnvironment=environment, changeSetId=change_set
            )
            if '"success":true' in result.text:
                self._fail(f"{person.name} took over {change_set}, which is not to be taken over")
        if self.rows() != before:
            self._fail("what was refused wrote something")

    async def _take_over(self, source: Written, who: str) -> None:
        to = MAIN if source.environment == STAGING else STAGING
        expected = self._lay_over(source, to)
        before, drafts = self.rows(), self.drafts(to)
        result = await self._ask(
            "cms_promoteChangeSet", to, ANN, fromEnvironment=source.environment, changeSetId=source.id
        )
        after, reply = self.rows(), json.loads(result.text or "{}")
        if result.questions:
            self._fail("a promotion asked a person")
        if not reply.get("success"):
            self.refused += 1
            if expected is not None:
                self._fail(f"a promotion was refused without need: {reply}")
            if before != after:
                self._fail("a promotion that was refused wrote something")
            return
        self.promoted += 1
        if expected is None:
            self._fail(f"a promotion overwrote what differs there: {reply}")
            return
        self._learn(to, expected)
        if before[source.environment] != after[source.environment]:
            self._fail("a promotion changed where it came from")
        if found := self.drafts(to):
            wanted = drafts | {name: values for name, values in expected.items() if values is not None}
            if found != wanted:
                wrong = [name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name)]
                self._fail(f"drafts of {wrong}: {[(found.get(name), wanted.get(name)) for name in wrong]}")
        self._compare_claims(to, reply["changeSetId"], before[to], after[to], expected)
        changes = {name: _find_changes(drafts.get(name, {}), values) for name, values in expected.items()}
        self._promotions.append(Promoted(reply["changeSetId"], to, changes))

    def _compare_claims(
        self, to: str, change_set: str, before: list[str], after: list[str], expected: dict[str, Values | None]
    ) -> None:
        """The promoted set, and no other, wants the new revisions, and the pages that go."""
        claimed = {page for (page,) in self.read("SELECT DISTINCT page FROM claims WHERE change_set = ?", change_set)}
        if claimed != {self.ids[to][name] for name in expected}:
            self._fail(f"the promoted set has {claimed}")
        gone = [each for each in before if each not in after and not each.startswith("pages")]
        if gone:
            self._fail(f"a promotion took away {gone}")
        states = self.read("SELECT state FROM change_sets WHERE id = ?", change_set)
        if states != [("open",)]:
            self._fail(f"the promoted set is {states}")

    def _lay_over(self, source: Written, to: str) -> dict[str, Values | None] | None:
        """What a promotion makes of the drafts there, by page; None if it is to be refused."""
        drafts, made = self.drafts(to), dict[str, Values | None]()
        for name in {*source.revisions, *source.removed}:
            draft = drafts.get(name)
            if name in source.removed:
                if draft is not None:
                    made[name] = None
                continue
            was_deleted = name in self.ids[to] and draft is None
            history = self.history(source.environment, name)
            numbers = source.revisions[name]
            begins = [number for number in numbers if number - 1 not in numbers]
            for begin in begins:
                end = next(number for number in numbers if number >= begin and number + 1 not in numbers)
                former, latter = history.get(begin - 1), history[end]
                if draft is None and (former is not None or was_deleted):
                    return None
                draft = merge(draft, former, latter)
                if draft is None:
                    return None
            if draft != drafts.get(name):
                made[name] = draft
        return made or None

    async def _go_live(self, _environment: str, who: str) -> None:
        """Publish a promoted set: one question, which shows all of it, and all of it is live."""
        if not self._promotions:
            return
        promoted = self._promotions.pop(self._rng.randrange(len(self._promotions)))
        before, drafts = self.look(), self.drafts(promoted.environment)
        asked = await self._ask("cms_publishChangeSet", promoted.environment, ANN, changeSetId=promoted.id)
        if self.look() != before:
            self._fail("visitors see something else before the yes")
        if not asked.questions:
            if '"success":true' in asked.text:
                self._fail("a promoted set was published unasked")
            return
        rows = await self._store.list_questions()
        shown = " ".join(str(row.question) for row in rows)
        if len(asked.questions) != 1:
            self._fail(f"a promoted set asked {len(asked.questions)} questions")
        for question in asked.questions:
            await self._runtime.decide(question, approved=True, by=ANN)
        done = await self._runtime.resume(asked.run)
        after = self.look()
        if '"success":true' not in done.text:
            if after != before:
                self._fail("a publication that was refused changed what visitors see")
            return
        self._compare_live(promoted, before, after, drafts, shown)
        self._forget_deleted(promoted.environment)

    def _compare_live(
        self, promoted: Promoted, before: Looks, after: Looks, drafts: dict[str, Values], shown: str
    ) -> None:
        here = promoted.environment
        for name in {*before[here], *after[here]} - promoted.changes.keys():
            if before[here].get(name) != after[here].get(name):
                self._fail(f"{name} moved with a promoted set that does not have it")
        other = MAIN if here == STAGING else STAGING
        if before[other] != after[other]:
            self._fail("the other environment moved")
        for name, changes in promoted.changes.items():
            found, old = after[here].get(name), before[here].get(name, {})
            if changes is None or found is None:
                if (changes is None) != (found is None):
                    self._fail(f"{name} of a promoted set is {found}")
                continue
            for part in {*found, *old}:
                wanted = changes.get(part, old.get(part))
                is_newest = drafts.get(name, {}).get(part) == changes.get(part)
                if found.get(part) != wanted and (is_newest or part not in changes) and old:
                    self._fail(f"{name} says {part}: {found.get(part)} instead of {wanted}")
                if found.get(part) != old.get(part) and f"{found.get(part)}" not in shown and found.get(part):
                    self._fail(f"nobody was shown {part} of {name}: {found.get(part)}")

    async def _ask(self, tool: str, environment: str, by: Principal, **arguments: str) -> RunResult[Any]:
        sent = Arguments(json.dumps(arguments), {**arguments})
        return await self._runtime.call_by_name(tool, sent, by=by, target=f"{SITE}/{environment}")

    def _learn(self, to: str, expected: dict[str, Values | None]) -> None:
        """The ids of pages and sections that are new there, by what they say."""
        slugs = {
            slug: page
            for page, slug in self.read("SELECT id, slug FROM pages WHERE site = 'bistro' AND environment = ?", to)
        }
        for name, values in expected.items():
            if values is not None and name not in self.ids[to]:
                self.ids[to][name] = slugs.get(name, "")
            for section, texts in self._section_texts(self.ids[to][name]):
                if section not in self.sections:
                    heading = texts.get("heading", "")
                    keys = [
                        part
                        for part, text in (values or {}).items()
                        if part.endswith(".en.heading") and text == heading
                    ]
                    self.sections[section] = keys[0].partition(".")[0] if keys else section

    def _section_texts(self, page: str) -> list[tuple[str, dict[str, Any]]]:
        rows = self.read("SELECT snapshot FROM revisions WHERE page = ? ORDER BY number DESC LIMIT 1", page)
        return [
            (each["id"], each["contents"].get("en", {})) for (text,) in rows for each in json.loads(text)["sections"]
        ]

    def _forget_deleted(self, environment: str) -> None:
        for written in self._sets.values():
            if written.environment == environment:
                written.removed = {name for name in written.removed if name in self.drafts(environment)}


def _find_changes(before: Values, after: Values | None) -> Values | None:
    if after is None:
        return None
    parts = before.keys() | after.keys()
    return {part: after.get(part) for part in parts if before.get(part) != after.get(part)}
