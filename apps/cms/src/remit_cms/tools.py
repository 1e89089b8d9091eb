"""The tools: operations under their canonical names, governed by the inventory beside this file.

The operations know nothing of this. A model reads the operation's docstring and its payload model. What a
function of this module binds is imported by it, so that a command that calls one tool imports the code of that tool.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from remit import Tool
from remit.inventory import Inventory, Operations, PolicyTable, Vocabulary, business_rules_section, read_inventory
from remit.tools import Preview

if TYPE_CHECKING:
    from remit_cms.images.library import Images
    from remit_cms.images.placing import Placing
    from remit_cms.pages.pages import Pages
    from remit_cms.pages.search import Search
    from remit_cms.rendering.opening import Opening
    from remit_cms.sections.sections import Sections
    from remit_cms.semantic.rebuilding import Rebuilding
    from remit_cms.site.export import Exports
    from remit_cms.sites.sites import Sites
    from remit_cms.storage.database import Database, Schedules
    from remit_cms.viewing.previewing import Previews
    from remit_cms.web.requests import HttpRequests
    from remit_cms.web.research import Research
    from remit_cms.webhooks.webhooks import Webhooks

AnyTool: TypeAlias = Tool[..., Any]
PreviewFunction: TypeAlias = Callable[..., Awaitable[Preview]]

PERMISSIONS: Final = {
    "cms:read": "read the site",
    "cms:write": "edit drafts",
    "cms:delete": "delete pages, posts and images",
    "cms:publish": "publish, and schedule what goes live",
    "cms:sites": "set up sites",
    "web:read": "search and read the web",
    "web:post": "send data to other servers",
}
"""The permissions, and what their holders may do."""

DOMAIN: Final = "content"
VOCABULARY: Final = Vocabulary(
    domains={
        DOMAIN: {
            "page",
            "section",
            "rendering",
            "publishing",
            "scheduling",
            "change_set",
            "settings",
            "navigation",
            "redirect",
            "collection",
            "type",
            "language",
            "post",
            "image",
            "site",
            "sites",
            "web",
            "webhooks",
        }
    },
    permissions=PERMISSIONS,
)


@cache
def load_inventory() -> Inventory:
    """Read the inventory of the CMS."""
    table = PolicyTable(business_rules_section(version=version("remit-cms")))
    return read_inventory(Path(__file__).parent / "inventory", table, VOCABULARY)


def page_operations(pages: Pages, search: Search, inventory: Inventory | None = None) -> Operations:
    """Operations on pages."""
    operations = _bind("page", inventory, pages, search)
    return _with_previews(operations, {"cms_deletePage": pages.preview_deletion})


def section_operations(sections: Sections, inventory: Inventory | None = None) -> Operations:
    """Operations on sections."""
    operations = _bind("section", inventory, sections, sections.items)
    return _with_previews(operations, {"cms_deletePageSection": sections.preview_deletion})


def rendering_operations(opening: Opening, inventory: Inventory | None = None) -> Operations:
    """Operations that write files for people; the editor does not have them."""
    return _bind("rendering", inventory, opening)


def image_operations(images: Images, placing: Placing, inventory: Inventory | None = None) -> Operations:
    """Operations on images."""
    return _with_previews(_bind("image", inventory, images, placing), {"cms_deleteImage": images.preview_deletion})


def site_operations(previews: Previews, exports: Exports, inventory: Inventory | None = None) -> Operations:
    """Operations on the site that visitors see."""
    return _bind("site", inventory, previews, exports)


def sites_operations(sites: Sites, rebuilding: Rebuilding, inventory: Inventory | None = None) -> Operations:
    """Operations on whole sites, for people alone."""
    previews: dict[str, PreviewFunction] = {
        "cms_importContent": sites.preview_import,
        "cms_seedSite": sites.preview_seeding,
    }
    return _with_previews(_bind("sites", inventory, sites, rebuilding, sites.promotion), previews)


def publishing_operations(database: Database, inventory: Inventory | None = None) -> Operations:
    """Operations on what visitors see, on history and trash."""
    from remit_cms.publishing.history import History
    from remit_cms.publishing.publishing import Publishing
    from remit_cms.publishing.trash import Trash

    publishing, trash = Publishing(database), Trash(database)
    previews: dict[str, PreviewFunction] = {
        "cms_publishPage": publishing.preview_publication,
        "cms_unpublishPage": publishing.preview_unpublication,
        "cms_purgePage": trash.preview_purge,
    }
    return _with_previews(_bind("publishing", inventory, publishing, History(database), trash), previews)


def change_set_operations(database: Database, inventory: Inventory | None = None) -> Operations:
    """Operations on change sets."""
    from remit_cms.publishing.change_sets import ChangeSets
    from remit_cms.publishing.removals import Removals

    change_sets = ChangeSets(database)
    previews: dict[str, PreviewFunction] = {
        "cms_publishChangeSet": change_sets.preview_publication,
        "cms_revertChangeSet": change_sets.preview_reversion,
    }
    return _with_previews(_bind("change_set", inventory, change_sets, Removals(database)), previews)


def scheduling_operations(database: Database, schedules: Schedules, inventory: Inventory | None = None) -> Operations:
    """Operations on what is published and unpublished at times to come."""
    from remit_cms.scheduling.scheduling import Scheduling

    scheduling = Scheduling(database, schedules)
    previews: dict[str, PreviewFunction] = {
        "cms_schedulePage": scheduling.preview_page,
        "cms_expirePage": scheduling.preview_expiry,
        "cms_scheduleChangeSet": scheduling.preview_change_set,
    }
    return _with_previews(_bind("scheduling", inventory, scheduling), previews)


def settings_operations(database: Database, inventory: Inventory | None = None) -> Operations:
    """Operations on the settings of a site."""
    from remit_cms.settings.settings import Settings

    return _bind("settings", inventory, Settings(database))


def navigation_operations(database: Database, url: str, inventory: Inventory | None = None) -> Operations:
    """Operations on the navigation of a site, whose address for visitors is ``url``."""
    from remit_cms.navigation.navigation import Navigation

    navigation = Navigation(database, url)
    previews: dict[str, PreviewFunction] = {"cms_removeNavigationItem": navigation.preview_removal}
    return _with_previews(_bind("navigation", inventory, navigation), previews)


def redirect_operations(database: Database, url: str, inventory: Inventory | None = None) -> Operations:
    """Operations on the redirects of a site, whose address for visitors is ``url``."""
    from remit_cms.redirects.redirects import Redirects

    redirects = Redirects(database, url)
    previews: dict[str, PreviewFunction] = {"cms_removeRedirect": redirects.preview_removal}
    return _with_previews(_bind("redirect", inventory, redirects), previews)


def collection_operations(database: Database, inventory: Inventory | None = None) -> Operations:
    """Operations on collections and their entries."""
    from remit_cms.posts.collections import Collections

    collections = Collections(database)
    previews: dict[str, PreviewFunction] = {"cms_deleteEntry": collections.preview_deletion}
    return _with_previews(_bind("collection", inventory, collections), previews)


def type_operations(database: Database, inventory: Inventory | None = None) -> Operations:
    """Operations on the types of entries, of sections and of single documents."""
    from remit_cms.types.types import Types

    types = Types(database)
    previews: dict[str, PreviewFunction] = {
        "cms_defineType": types.preview_definition,
        "cms_changeType": types.preview_change,
        "cms_deleteType": types.preview_deletion,
    }
    return _with_previews(_bind("type", inventory, types), previews)


def language_operations(database: Database, inventory: Inventory | None = None) -> Operations:
    """Operations on the languages of a site."""
    from remit_cms.languages.languages import Languages

    languages = Languages(database)
    previews: dict[str, PreviewFunction] = {
        "cms_addLanguage": languages.preview_addition,
        "cms_removeLanguage": languages.preview_removal,
    }
    return _with_previews(_bind("language", inventory, languages), previews)


def post_operations(database: Database, inventory: Inventory | None = None) -> Operations:
    """Operations on posts."""
    from remit_cms.posts.posts import Posts

    posts = Posts(database)
    previews: dict[str, PreviewFunction] = {
        "cms_publishPost": posts.preview_publication,
        "cms_archivePost": posts.preview_archiving,
        "cms_deletePost": posts.preview_deletion,
    }
    return _with_previews(_bind("post", inventory, posts), previews)


def _bind(subdomain: str, inventory: Inventory | None, *objects: object) -> Operations:
    return Operations((inventory or load_inventory()).slice(DOMAIN, subdomain), objects)


def web_operations(research: Research, requests: HttpRequests, inventory: Inventory | None = None) -> Operations:
    """Operations on the web."""
    previews: dict[str, PreviewFunction] = {
        "web_quickSearch": research.preview_search,
        "web_deepResearch": research.preview_research,
        "web_fetchContent": research.preview_fetch,
        "http_get": requests.preview_get,
        "http_post": requests.preview_post,
    }
    return _with_previews(_bind("web", inventory, research, requests), previews)


def webhook_operations(webhooks: Webhooks, inventory: Inventory | None = None) -> Operations:
    """Operations on webhooks, for people alone."""
    return _with_previews(_bind("webhooks", inventory, webhooks), {"cms_addWebhook": webhooks.preview_addition})


def _with_previews(operations: Operations, previews: Mapping[str, PreviewFunction]) -> Operations:
    """The operations, with previews for the approver on the tools of ``previews``."""
    return operations.with_tools(lambda tool: tool.with_preview(previews[tool.name]) if tool.name in previews else tool)
