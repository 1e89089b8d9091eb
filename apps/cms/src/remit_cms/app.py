"""Puts the CMS together. The only place that reads the environment, and nothing is opened before it is used."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path

from remit import App
from remit.inventory import Operations
from remit_cms.agent import editor
from remit_cms.pages.pages import Pages
from remit_cms.pages.search import Search
from remit_cms.rendering.opening import Opening
from remit_cms.rendering.rendering import Rendering
from remit_cms.sections.sections import Sections
from remit_cms.storage.database import Database
from remit_cms.tools import inventory, page_tools, person_tools, section_tools
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
    tools = (*page_tools(pages, search), *section_tools(sections))
    rendering = Rendering(database, home / "sites")
    opening = Opening(database, rendering)
    return Cms(
        database=database,
        pages=pages,
        search=search,
        sections=sections,
        rendering=rendering,
        app=App(
            name="cms",
            agents=(editor(tools),),
            tools=(*person_tools(opening), *workers(tools)),
            operations=Operations(inventory(), (pages, search, sections, opening)),
        ),
    )


def home() -> Path:
    """Where the data is: ``$REMIT_HOME``, or the user's data folder."""
    named = os.environ.get("REMIT_HOME")
    return Path(named).expanduser().absolute() if named else user_data_path("remit")


def app() -> App:
    """The application, for Remit's command line."""
    return build(home()).app
