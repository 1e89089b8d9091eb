"""Puts the CMS together. The only place that reads the environment, and nothing is opened before it is used."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from remit import App
from remit.home import data_folder
from remit.inventory import Operations
from remit_cms.agent import editor
from remit_cms.pages.pages import Pages
from remit_cms.pages.search import Search
from remit_cms.rendering.opening import Opening
from remit_cms.rendering.rendering import Rendering
from remit_cms.sections.sections import Sections
from remit_cms.storage.database import Database
from remit_cms.tools import inventory, page_operations, person_operations, section_operations
from remit_cms.workers import workers


@dataclass(frozen=True, slots=True, kw_only=True)
class Cms:
    """The CMS in parts, for whoever needs more than its agent."""

    database: Database
    pages: Pages
    search: Search
    sections: Sections
    rendering: Rendering
    app: App


def build(home: Path) -> Cms:
    """The CMS whose data is in ``home``: ``cms.db``, and what is rendered under ``sites``."""
    database = Database(home / "cms.db")
    pages, search, sections = Pages(database), Search(database), Sections(database)
    rendering = Rendering(database, home / "sites")
    of_editor = (page_operations(pages, search), section_operations(sections))
    of_person = person_operations(Opening(database, rendering))
    tools = [tool for part in of_editor for tool in part.callees]
    return Cms(
        database=database,
        pages=pages,
        search=search,
        sections=sections,
        rendering=rendering,
        app=App(
            name="cms",
            agents=(editor(tools),),
            tools=(*of_person.callees, *workers(tools)),
            operations=Operations(inventory(), (), parts=(*of_editor, of_person)),
        ),
    )


def app() -> App:
    """The application, for Remit's command line."""
    return build(data_folder(os.environ)).app
