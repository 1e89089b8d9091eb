"""A CMS on a real database, and the facts of calls to make with it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

from sqlalchemy import select, text

from apps.cms.tests.images.files import Files, picture_file
from apps.cms.tests.semantic.embedding import Topics
from remit import LeafContext, Principal
from remit.artifacts import RunArtifacts
from remit.secrets import EnvSecrets
from remit.tools import Caller, Changed, LastCall, Log, Resolver, Seen
from remit_cms.images.library import Images
from remit_cms.images.payloads import GetImageUsage, ImageView, UploadImage
from remit_cms.images.placing import Placing
from remit_cms.images.renditions import Renditions
from remit_cms.models import Content
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import AddNavigationItem
from remit_cms.pages.pages import Pages
from remit_cms.pages.payloads import CreatePage, DeletePage, GetPage, PageView, UpdatePage
from remit_cms.pages.search import Search
from remit_cms.posts.payloads import CreatePost, PublishPost
from remit_cms.posts.posts import Posts
from remit_cms.publishing.change_sets import ChangeSets
from remit_cms.publishing.payloads import PublishChangeSet
from remit_cms.redirects.payloads import AddRedirect
from remit_cms.redirects.redirects import Redirects
from remit_cms.references import references
from remit_cms.rendering.opening import Opening
from remit_cms.rendering.renderer import PageRenderer
from remit_cms.scheduling.payloads import SchedulePage
from remit_cms.scheduling.scheduling import Scheduling
from remit_cms.sections.payloads import SectionInput
from remit_cms.sections.sections import Sections
from remit_cms.semantic.index import SemanticIndex
from remit_cms.semantic.rebuilding import Rebuilding
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.settings.settings import Settings
from remit_cms.site.export import Exports
from remit_cms.site.preview_key import KEY_VARIABLE, PreviewKey
from remit_cms.sites.sites import Sites
from remit_cms.storage.database import Database
from remit_cms.storage.scope import Target
from remit_cms.storage.seed import add_site
from remit_cms.storage.tables import Base, ChangeSet, Environment, SectionDefinition, Site
from remit_cms.tools import (
    AnyTool,
    change_set_operations,
    collection_operations,
    image_operations,
    language_operations,
    navigation_operations,
    page_operations,
    post_operations,
    publishing_operations,
    redirect_operations,
    rendering_operations,
    scheduling_operations,
    section_operations,
    settings_operations,
    site_operations,
    sites_operations,
    type_operations,
    webhook_operations,
)
from remit_cms.viewing.previewing import Previews
from remit_cms.webhooks.addresses import WebhookHttp
from remit_cms.webhooks.payloads import AddWebhook
from remit_cms.webhooks.signing import KEY_VARIABLE as WEBHOOK_VARIABLE
from remit_cms.webhooks.signing import WebhookKey
from remit_cms.webhooks.webhooks import Webhooks

START = datetime(2026, 1, 1, tzinfo=UTC)
HOME = Target("local-site", "main")
ELSEWHERE = Target("other-site", "main")


PREVIEW_KEY = PreviewKey(
    url="https://bakery.example",
    secrets=EnvSecrets(KEY_VARIABLE, environ={KEY_VARIABLE: "signs-previews-in-tests-and-nowhere-else"}),
)


WEBHOOK_KEY = WebhookKey(
    EnvSecrets(WEBHOOK_VARIABLE, environ={WEBHOOK_VARIABLE: "signs-webhooks-in-tests-and-nowhere-else"})
)


class Minutes:
    """A clock on which a minute passes with each look."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> datetime:
        self.looks += 1
        return START + timedelta(minutes=self.looks - 1)


class Ids:
    """Ids that count: page_1, page_2. Tells ``watch`` of each before it is given."""

    def __init__(self) -> None:
        self.counts = Counter[str]()
        self.watch: Callable[[str], None] = lambda _: None

    def __call__(self, kind: str) -> str:
        self.counts[kind] += 1
        made = f"{kind}_{self.counts[kind]}"
        self.watch(made)
        return made


@dataclass(frozen=True)
class Ctx:
    """The facts of one call."""

    key: str
    caller: Caller
    run: str = "run-1"
    deadline: float | None = None
    said: list[str] = field(default_factory=list[str])
    journal: list[Seen] = field(default_factory=list[Seen])

    @property
    def log(self) -> Log:
        """A log that keeps its messages in `said`."""
        return Log(self._keep)

    def _keep(self, _name: str, data: object) -> None:
        fields = dict(cast("dict[str, object]", data))
        self.said.append(f"{fields.pop('message')} {fields}")

    def emit(self, name: str | Changed | LastCall | Seen, data: object = None, /) -> None:
        if isinstance(name, Seen):
            self.journal.append(name)
        else:
            self.said.append(f"{name} {data}")

    async def last_seen(self, kind: str, object_id: str, /, *parts: str) -> dict[str, str]:
        shown = [each for each in self.journal if (each.kind, each.id) == (kind, object_id)]
        return {part: each.state for each in shown for part in parts if each.includes(part)}


def make_direct(ctx: LeafContext) -> Ctx:
    """The same call, made by a person without a model."""
    assert isinstance(ctx, Ctx)
    return replace(ctx, caller=replace(ctx.caller, call="", depth=0))


class Calls:
    """Calls that tools schedule, by key; ``cancelled`` are those withdrawn.

    ``run`` is the id of the run of each. If ``is_keyed``, each has one of its own.
    """

    def __init__(self) -> None:
        self.run = "run of the scheduled call"
        self.is_keyed = False
        self.made: dict[str, tuple[str, dict[str, object], datetime]] = {}
        self.cancelled: list[str] = []

    def find_run(self, key: str) -> str:
        assert key
        return f"run of {key}" if self.is_keyed else self.run

    async def add(self, key: str, tool: str, arguments: Mapping[str, object], *, at: datetime) -> str:
        self.made[key] = (tool, dict(arguments), at)
        return self.run

    async def cancel(self, run: str) -> None:
        self.cancelled.append(run)


class World:
    """The CMS with two tenants: "local-site" with the site of that name, and "other" with other-site."""

    def __init__(
        self, folder: Path, location: Path | str = "", *, busy_timeout: float = 20.0, receiver: int = 1
    ) -> None:
        self.ids = Ids()
        location = location or folder / "cms.db"
        self.clock = Minutes()
        self.database = Database(location, clock=self.clock, new_id=self.ids, busy_timeout=busy_timeout)
        self.pages = Pages(self.database)
        self.references: dict[str, Resolver] = references(self.database)
        self.sections = Sections(self.database)
        self.search = Search(self.database)
        self.renditions = Renditions(self.database)
        self.rendering = PageRenderer(self.database, folder / "sites", self.renditions)
        self.files = Files()
        self.images = Images(self.database, self.files, self.renditions)
        self.placing = Placing(self.database)
        self.calls = Calls()
        self.database.schedules = self.calls
        self.scheduling = Scheduling(self.database, self.calls)
        self.webhooks = Webhooks(self.database, WebhookHttp("127.0.0.1:1"), WEBHOOK_KEY)
        url = PREVIEW_KEY.url
        self.index = SemanticIndex(self.database, Topics().embeddings)
        self.exports = Exports(self.database, self.rendering, self.renditions, folder / "exports", url)
        self.sites = Sites(self.database, self.files)
        self.redirects = Redirects(self.database, url)
        self.journals: dict[str, list[Seen]] = {}
        self._keys = itertools.count(1)

    def call(
        self,
        *,
        tenant: str = "local-site",
        key: str = "",
        by: str = "ann",
        run: str = "run-1",
        conversation: str = "",
        target: str = "",
    ) -> LeafContext:
        """A call of its own, or one with a given key."""
        principal = Principal(by, tenant, frozenset({"*"}))
        caller = Caller(run, "editor", "call-0", 1, principal, conversation, target=target)
        journal = self.journals.setdefault(conversation, []) if conversation else []
        return Ctx(key or f"key-{next(self._keys)}", caller, run, journal=journal)

    async def token(self, page: str) -> str:
        """The token of a page as it is now."""
        reply = await self.pages.get_page(self.call(), GetPage(page_id=page, with_token=True))
        return reply.token or ""

    async def add_other_site(self) -> None:
        """Give the tenant "other" a site."""
        async with self.database.write() as session:
            await add_site(session, "other", ELSEWHERE.site, name="Other", clock=self.database.clock, new_id=self.ids)

    async def page(self, title: str = "About", *sections: tuple[str, Content], tenant: str = "local-site") -> PageView:
        """A page that is there already."""
        given = [SectionInput(definition_id=key, content=content) for key, content in sections]
        made = await self.pages.create_page(self.call(tenant=tenant), CreatePage(title=title, sections=given))
        return (await self.pages.get_page(self.call(tenant=tenant), GetPage(page_id=made.page.id))).page

    async def image(
        self, alt_text: str = "A loaf", content: bytes = b"", *, tenant: str = "local-site", **fields: Any
    ) -> ImageView:
        """An image that is there already: a small orange one."""
        conversation = fields.pop("conversation", "")
        file = await self.files.add(content or picture_file(), name="loaf.png")
        call = self.call(tenant=tenant, conversation=conversation)
        kept = await self.images.upload_image(call, UploadImage(file=file, alt_text=alt_text, **fields))
        shown = self.call(tenant=tenant)
        return (await self.images.get_image_usage(shown, GetImageUsage(image_id=kept.image.id))).image

    @property
    def tools(self) -> tuple[AnyTool, ...]:
        """All tools of content, those for users too."""
        parts = (
            page_operations(self.pages, self.search),
            section_operations(self.sections),
            publishing_operations(self.database),
            change_set_operations(self.database),
            scheduling_operations(self.database, self.calls),
            settings_operations(self.database),
            navigation_operations(self.database, PREVIEW_KEY.url),
            redirect_operations(self.database, PREVIEW_KEY.url),
            site_operations(Previews(self.database, PREVIEW_KEY), self.exports),
            sites_operations(Sites(self.database, RunArtifacts()), Rebuilding(self.database, self.index)),
            rendering_operations(Opening(self.database, self.rendering)),
            image_operations(Images(self.database, RunArtifacts(), self.renditions), self.placing),
            collection_operations(self.database),
            type_operations(self.database),
            language_operations(self.database),
            post_operations(self.database),
            webhook_operations(self.webhooks),
        )
        return tuple(tool for part in parts for tool in part.callees)

    async def populate(self, tenant: str = "local-site") -> None:
        """The page About, one of whose sections has a list; Live, published in set_1 and edited since; Gone, deleted.

        The navigation leads to About, and /old-menu redirects there in a century. The first image is shown nowhere, the
        second in a section of About. There are two posts:
        Soon, a draft, and News, which is live, and whose publication a webhook is to be told.
        In the environment staging, set_6 has published a time zone.
        """

        def call() -> LeafContext:
            return self.call(tenant=tenant, conversation="monday")

        await self.image("A loaf", tenant=tenant)
        cake = await self.image("A cake", picture_file(colour="pink"), tenant=tenant)
        beside: Content = {"content": "Daily.", "image": {"imageId": cake.id}}
        faq: Content = {"questions": [{"question": "Where?", "answer": "There."}, {"question": "Who?"}]}
        hero: Content = {"heading": "We bake bread"}
        await self.page("About", ("hero", hero), ("image-text", beside), ("faq", faq), tenant=tenant)
        sets = ChangeSets(self.database)
        await self.pages.create_page(call(), CreatePage(title="Live"))
        await sets.publish_change_set(call(), PublishChangeSet())
        await self.pages.update_page(call(), UpdatePage(page_id="live", title="Lively"))
        gone = await self.page("Gone", tenant=tenant)
        await self.pages.delete_page(self.call(tenant=tenant), DeletePage(page_id=gone.id, confirmed=True))
        link = AddNavigationItem(label="Who we are", href="about")
        await Navigation(self.database).add_navigation_item(self.call(tenant=tenant), link)
        await self.redirects.add_redirect(self.call(tenant=tenant), AddRedirect(path="old-menu", href="about"))
        await self.webhooks.add_webhook(self.call(tenant=tenant), AddWebhook(url="http://127.0.0.1:1/hook"))
        posts = Posts(self.database)
        for title in ("Soon", "News"):
            made = await posts.create_post(self.call(tenant=tenant), CreatePost(title=title, body="We bake bread."))
            if title == "News":
                await posts.publish_post(self.call(tenant=tenant), PublishPost(post_slug=made.post.id))
        later = SchedulePage(page_id="Redirects", at="2126-01-01T09:00")
        await self.scheduling.schedule_page(self.call(tenant=tenant), later)
        await self.publish_elsewhere(tenant)

    async def publish_elsewhere(self, tenant: str) -> None:
        """Give the site of a tenant the environment staging, where a time zone is published as a change set."""
        async with self.database.write() as session:
            site = (await session.scalars(select(Site.key).where(Site.tenant == tenant))).first() or ""
            rows = (await session.scalars(select(SectionDefinition).where(SectionDefinition.site == site))).all()
            session.add(Environment(site=site, name="staging", is_default=False))
            await session.flush()
            for row in rows:
                columns = {each.key: getattr(row, each.key) for each in SectionDefinition.__table__.columns}
                session.add(SectionDefinition(**{**columns, "id": f"staged-{row.id}", "environment": "staging"}))
        call = self.call(tenant=tenant, conversation="staged", target=f"{site}/staging")
        await Settings(self.database).update_site_settings(call, UpdateSiteSettings(time_zone="Europe/Berlin"))
        await ChangeSets(self.database).publish_change_set(
            self.call(tenant=tenant, conversation="staged", target=f"{site}/staging"), PublishChangeSet()
        )

    async def find_open_set(self) -> str:
        """The id of the change set that was opened last."""
        async with self.database.read() as session:
            query = select(ChangeSet.id).where(ChangeSet.state == "open").order_by(ChangeSet.created_at.desc())
            return await session.scalar(query.limit(1)) or ""

    async def rows(self) -> dict[str, int]:
        """How many rows each table of content has: what a write that failed must leave as it was."""
        tables = ("page_search", "image_search", "remit_effects", *Base.metadata.tables)
        async with self.database.read() as session:
            return {
                table: await session.scalar(text(f"SELECT count(*) FROM {table}")) or 0  # noqa: S608  (names above)
                for table in tables
            }
