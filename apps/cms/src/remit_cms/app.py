"""Builds the CMS. The only module that reads the environment; nothing is opened before it is used."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from remit import App
from remit.home import data_folder, data_location
from remit.inventory import Operations
from remit.tools import Resolver
from remit_cms.agent import editor
from remit_cms.pages.pages import Pages
from remit_cms.pages.references import PageReferences, SectionReferences
from remit_cms.pages.search import Search
from remit_cms.publishing.references import ChangeSetReferences, DeletedPageReferences
from remit_cms.rendering.opening import Opening
from remit_cms.rendering.renderer import PageRenderer
from remit_cms.sections.sections import Sections
from remit_cms.storage.database import Database
from remit_cms.tools import (
    change_set_operations,
    load_inventory,
    page_operations,
    publishing_operations,
    rendering_operations,
    section_operations,
)
from remit_cms.workers import load_workers


@dataclass(frozen=True, slots=True, kw_only=True)
class Cms:
    """The parts of the CMS, for programs that need more than its agent."""

    database: Database
    pages: Pages
    search: Search
    sections: Sections
    renderer: PageRenderer
    app: App


def build(home: Path, *, database: Database | None = None) -> Cms:
    """Build the CMS.

    Args:
        home: the folder for rendered pages, under ``sites``.
        database: a database other than the file ``cms.db`` in ``home``.
    """
    database = database or Database(home / "cms.db")
    pages, search, sections = Pages(database), Search(database), Sections(database)
    renderer = PageRenderer(database, home / "sites")
    editor_parts = (page_operations(pages, search), section_operations(sections))
    user_parts = (
        rendering_operations(Opening(database, renderer)),
        publishing_operations(database),
        change_set_operations(database),
    )
    tools = [tool for part in editor_parts for tool in part.callees]
    return Cms(
        database=database,
        pages=pages,
        search=search,
        sections=sections,
        renderer=renderer,
        app=App(
            name="cms",
            agents=(editor(tools),),
            tools=(*(tool for part in user_parts for tool in part.callees), *load_workers(tools)),
            references=references(database),
            operations=Operations(load_inventory(), (), parts=(*editor_parts, *user_parts)),
        ),
    )


def references(database: Database) -> dict[str, Resolver]:
    """The resolvers of references, by kind."""
    return {
        "page": PageReferences(database).find_candidates,
        "section": SectionReferences(database).find_candidates,
        "deleted-page": DeletedPageReferences(database).find_candidates,
        "change-set": ChangeSetReferences(database).find_candidates,
    }


def app() -> App:
    """The application, for Remit's command line."""
    return build(data_folder(os.environ), database=Database(data_location(os.environ, "cms"))).app
