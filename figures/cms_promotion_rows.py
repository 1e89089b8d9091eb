"""What is stored of a site with two environments, told by the parts that pages consist of."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

SITE: Final = "bistro"
STAGING: Final = "staging"
MAIN: Final = "main"

Values = dict[str, str | None]
"""What a page says, by part: title, slug, description, and the texts of sections. A part that is not there is None."""

_SCOPED: Final = (
    "pages",
    "revisions",
    "change_sets",
    "live_paths",
    "counterparts",
    "images",
    "publications",
    "redirects",
)
_STATES: Final = (
    "SELECT p.id, r.snapshot FROM pages p JOIN revisions r ON r.page = p.id AND r.number = p.{} "
    "WHERE p.kind = 'page' AND p.site = 'bistro' AND p.environment = ?"
)
_CLAIMS: Final = (
    "SELECT s.environment, c.change_set, c.page, c.number FROM claims c JOIN change_sets s ON s.id = c.change_set "
    "WHERE s.site = 'bistro'"
)


class Environments:
    """The rows of both. ``ids`` are those of pages by environment and name, ``sections`` names by id, if it is another.

    Pages and sections have the same names in both environments.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.ids: dict[str, dict[str, str]] = {STAGING: {}, MAIN: {}}
        self.sections: dict[str, str] = {}

    def history(self, environment: str, name: str) -> dict[int, Values]:
        """The revisions of a page."""
        rows = self.read("SELECT number, snapshot FROM revisions WHERE page = ?", self.ids[environment][name])
        return {number: self._values_of(json.loads(snapshot)) for number, snapshot in rows}

    def drafts(self, environment: str) -> dict[str, Values]:
        """The drafts of an environment."""
        return self._states_by_name(environment, "revision")

    def look(self) -> dict[str, dict[str, Values]]:
        """What visitors of each environment see of each page."""
        return {environment: self._states_by_name(environment, "live") for environment in (STAGING, MAIN)}

    def _states_by_name(self, environment: str, which: str) -> dict[str, Values]:
        names = {page: name for name, page in self.ids[environment].items()}
        rows: list[tuple[str, str]] = self.read(_STATES.format(which), environment)
        return {names.get(page, page): self._values_of(json.loads(snapshot)) for page, snapshot in rows}

    def _values_of(self, snapshot: Any) -> Values:
        values: Values = {
            "title": snapshot["title"],
            "slug": snapshot["slug"],
            "description": snapshot["meta"]["description"],
        }
        for section in snapshot["sections"]:
            key = self.sections.get(section["id"], section["id"])
            for locale, content in section["contents"].items():
                values |= {f"{key}.{locale}.{slot}": str(text) for slot, text in content.items()}
        return {part: text for part, text in values.items() if text is not None}

    def rows(self) -> dict[str, list[str]]:
        """The rows of each environment, without times."""
        found: dict[str, list[str]] = {STAGING: [], MAIN: []}
        with closing(sqlite3.connect(self._path)) as database:
            for table in _SCOPED:
                columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
                kept = ", ".join(["environment", *(each for each in columns if not each.endswith("_at"))])
                query = f"SELECT {kept} FROM {table} WHERE site = 'bistro'"  # noqa: S608 - names of its tables
                for environment, *row in database.execute(query):
                    found[environment].append(f"{table} {row}")
            for environment, *row in database.execute(_CLAIMS):
                found[environment].append(f"claims {row}")
        return {environment: sorted(rows) for environment, rows in found.items()}

    def read(self, query: str, *values: str) -> list[Any]:
        """The rows of a query."""
        with closing(sqlite3.connect(self._path)) as database:
            return database.execute(query, values).fetchall()


def merge(draft: Values | None, before: Values | None, after: Values) -> Values | None:
    """A draft with what an edit changed; None if the draft says something else there."""
    if draft is None:
        return after
    former = before or {}
    changed = [part for part in former.keys() | after.keys() if former.get(part) != after.get(part)]
    if any(draft.get(part) not in (former.get(part), after.get(part)) for part in changed):
        return None
    merged = draft | {part: after.get(part) for part in changed}
    return {part: text for part, text in merged.items() if text is not None}
