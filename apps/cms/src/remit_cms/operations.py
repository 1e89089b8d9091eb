"""All operations of the CMS, of which each subject is bound to its code when one of its operations is first needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from remit.artifacts import RunArtifacts
from remit.engines import RunSchedules
from remit.inventory import Inventory, Operations
from remit_cms import tools
from remit_cms.site.preview_key import PreviewKey
from remit_cms.storage.database import Database

if TYPE_CHECKING:
    from remit.http import GuardedHttp
    from remit_cms.images.renditions import Renditions
    from remit_cms.rendering.renderer import PageRenderer
    from remit_cms.semantic.index import SemanticIndex
    from remit_cms.web.search_providers import SearchProvider
    from remit_cms.webhooks.addresses import WebhookHttp


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """What the CMS has of the web: a client, a search engine (None for none), and the hosts each site may post to.

    ``webhooks`` sends to webhooks, to addresses of the operator's network too if the operator allows them.
    """

    http: GuardedHttp | None = None
    webhooks: WebhookHttp | None = None
    provider: SearchProvider | None = None
    post_hosts: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])


class AllOperations:
    """The operations of the CMS by subject; see `remit_cms.app.build`.

    Args:
        database: the database with the pages.
        home: the folder for rendered pages, under ``sites``, and copies of sites, under ``exports``.
        web: how it searches and requests other servers.
        index: finds pages and images by meaning.
        preview_key: where the site is for visitors, and what signs links to its previews.
        inventory: the entries; those of the CMS by default.
    """

    def __init__(
        self,
        database: Database,
        home: Path,
        *,
        web: Web | None = None,
        index: SemanticIndex | None = None,
        preview_key: PreviewKey | None = None,
        inventory: Inventory | None = None,
    ) -> None:
        self._database, self._home, self._index = database, home, index
        self._web, self._preview_key = web or Web(), preview_key or PreviewKey()
        self._inventory = inventory or tools.load_inventory()

    def by_subject(self) -> dict[str, Operations]:
        """The operations, by subdomain of the inventory."""
        database, given = self._database, self._inventory
        subjects: dict[str, Callable[[], Operations]] = {
            "page": self._bind_pages,
            "section": self._bind_sections,
            "rendering": self._bind_rendering,
            "publishing": lambda: self._link(tools.publishing_operations(database, given)),
            "change_set": lambda: self._link(tools.change_set_operations(database, given)),
            "scheduling": lambda: self._link(tools.scheduling_operations(database, RunSchedules(), given)),
            "settings": lambda: tools.settings_operations(database, given),
            "navigation": lambda: tools.navigation_operations(database, self._preview_key.url, given),
            "redirect": lambda: tools.redirect_operations(database, self._preview_key.url, given),
            "image": self._bind_images,
            "collection": lambda: self._link(tools.collection_operations(database, given)),
            "language": lambda: tools.language_operations(database, given),
            "type": lambda: tools.type_operations(database, given),
            "post": lambda: self._link(tools.post_operations(database, given)),
            "site": self._bind_site,
            "sites": self._bind_sites,
            "web": self._bind_web,
            "webhooks": self._bind_webhooks,
        }
        return {name: Operations.later(given.slice(tools.DOMAIN, name), make) for name, make in subjects.items()}

    @cached_property
    def _renditions(self) -> Renditions:
        from remit_cms.images.renditions import Renditions

        return Renditions(self._database)

    @cached_property
    def _renderer(self) -> PageRenderer:
        from remit_cms.rendering.renderer import PageRenderer

        return PageRenderer(self._database, self._home / "sites", self._renditions)

    def _link(self, operations: Operations) -> Operations:
        """The operations, with links to previews in the questions about their tools."""
        from remit_cms.site.question_links import QuestionLinks

        return QuestionLinks(self._database, self._preview_key).add_to(operations)

    def _bind_pages(self) -> Operations:
        from remit_cms.pages.pages import Pages
        from remit_cms.pages.search import Search

        search = Search(self._database, self._index)
        return self._link(tools.page_operations(Pages(self._database), search, self._inventory))

    def _bind_sections(self) -> Operations:
        from remit_cms.sections.sections import Sections

        return tools.section_operations(Sections(self._database), self._inventory)

    def _bind_rendering(self) -> Operations:
        from remit_cms.rendering.opening import Opening

        return tools.rendering_operations(Opening(self._database, self._renderer), self._inventory)

    def _bind_images(self) -> Operations:
        from remit_cms.images.library import Images
        from remit_cms.images.placing import Placing

        images = Images(self._database, RunArtifacts(), self._renditions, self._index)
        return tools.image_operations(images, Placing(self._database), self._inventory)

    def _bind_site(self) -> Operations:
        from remit_cms.site.export import Exports
        from remit_cms.viewing.previewing import Previews

        folder, url = self._home / "exports", self._preview_key.url
        exports = Exports(self._database, self._renderer, self._renditions, folder, url)
        return tools.site_operations(Previews(self._database, self._preview_key), exports, self._inventory)

    def _bind_sites(self) -> Operations:
        from remit_cms.semantic.rebuilding import Rebuilding
        from remit_cms.sites.sites import Sites

        rebuilding = Rebuilding(self._database, self._index)
        return tools.sites_operations(Sites(self._database, RunArtifacts()), rebuilding, self._inventory)

    def _bind_web(self) -> Operations:
        from remit.http import GuardedHttp
        from remit_cms.settings.settings import SettingsInForce
        from remit_cms.web.requests import HttpRequests
        from remit_cms.web.research import Research
        from remit_cms.web.search_providers import NoProvider

        http = self._web.http or GuardedHttp()
        requests = HttpRequests(http, self._web.post_hosts, SettingsInForce(self._database).find_post_hosts)
        return tools.web_operations(Research(http, self._web.provider or NoProvider()), requests, self._inventory)

    def _bind_webhooks(self) -> Operations:
        from remit_cms.webhooks.addresses import WebhookHttp
        from remit_cms.webhooks.signing import WebhookKey
        from remit_cms.webhooks.webhooks import Webhooks

        webhooks = Webhooks(self._database, self._web.webhooks or WebhookHttp(), WebhookKey())
        return tools.webhook_operations(webhooks, self._inventory)
