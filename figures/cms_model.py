"""What the documents of a site are in the model of its editors, and in the database."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Final

Values = dict[str, Any]
FIELDS: Final = ("title", "meta", "slug", "en", "de", "title de", "slug de")
"""The fields of a page; of an entry too, but for ``meta``."""

LIST: Final = "questions"
"""The list that pages have. Its items are values by id, field and language, and ``_items`` is their order."""

ORDERED: Final = ("navigation", "redirects")
"""The documents whose sections come and go, and have ids among the values."""

ORDERS: Final = {"_order", "_items", "_sections"}
"""What else there is among values: orders of items of the navigation, of redirects, of items of lists, and sections."""

LONGEST: Final = 40
"""So long an address becomes at most when a page is moved. The pages below it may be renamed then."""

_LINKS: Final = "SELECT live, target FROM links WHERE source = ?"


@dataclass
class Page:
    """A document in the model: its revisions, their change sets, and the live one. None for values is deleted.

    ``claims`` are the change sets that each revision belongs to, ``rebuilt`` those revisions that are nobody's edits.
    ``faq`` is the section of a page that has a list, and ``given`` the ids that items of it have had.
    """

    id: str
    section: str = ""
    faq: str = ""
    kind: str = "page"
    collection: str = ""
    revisions: list[Values | None] = field(default_factory=list[Values | None])
    claims: dict[int, set[str]] = field(default_factory=dict[int, set[str]])
    rebuilt: set[int] = field(default_factory=set[int])
    given: set[str] = field(default_factory=set[str])
    live: int | None = None
    moves: list[tuple[int | None, int | None, str | None]] = field(
        default_factory=list[tuple[int | None, int | None, str | None]]
    )

    @property
    def number(self) -> int:
        """The newest revision."""
        return len(self.revisions)

    @property
    def draft(self) -> Values:
        """The values of the newest revision; empty if that is deleted."""
        return dict(self.revisions[-1] or {}) if self.revisions else {}

    def values(self, number: int | None) -> Values | None:
        """What a revision says; nothing where there is none."""
        return None if not number else self.revisions[number - 1]

    @property
    def settled(self) -> int | None:
        """The revision that visitors see, or saw last."""
        return self.live or next((before for before, _, _ in reversed(self.moves) if before is not None), None)

    @property
    def beginning(self) -> Values | None:
        """What a document of which a site has one holds before anybody edits it; None for those that somebody makes."""
        if self.kind in ORDERED:
            return {"_order": []}
        return {} if self.kind == "settings" else None

    @property
    def base(self) -> Values | None:
        """What edits that wait are laid over."""
        return self.values(self.settled) if self.settled else self.beginning

    def find_pending(self, open_sets: Collection[str]) -> dict[str | None, list[int]]:
        """The revisions with edits that wait, by their change set; None for those that belong to none."""
        found: dict[str | None, list[int]] = {}
        for number in range(1, self.number + 1):
            if number not in self.rebuilt and self.revisions[number - 1] is not None:
                claims = self.claims.get(number, set())
                for each in claims & {*open_sets} or ([None] if not claims else []):
                    found.setdefault(each, []).append(number)
        return found

    def add(self, values: Values | None, change_set: str | None, *, rebuilt: bool = False) -> None:
        """Add a revision."""
        self.revisions.append(values)
        if change_set is not None:
            self.claims[self.number] = {change_set}
        if rebuilt:
            self.rebuilt.add(self.number)

    def show(self, values: Values, *numbers: int | None) -> int:
        """The revision that says what visitors are to see: one of these, or else a new one below the draft."""
        for number in sorted({each for each in numbers if each}, reverse=True):
            if self.values(number) == values:
                return number
        draft = self.draft
        self.add(values, None, rebuilt=True)
        number = self.number
        if draft != values:
            self.add(draft, None, rebuilt=True)
        return number

    def move(self, revision: int | None, change_set: str | None = None) -> None:
        """Move the live pointer."""
        self.moves.append((self.live, revision, change_set))
        self.live = revision


def addresses_of(values: Values) -> dict[str, str]:
    """The addresses of a document by language. A language without a slug of its own has that of the original."""
    return {"en": values["slug"], "de": values["slug de"] or values["slug"]}


def join(above: str, name: str) -> str:
    """The address of a page with this name below an address, or at the top."""
    return f"{above}/{name}" if above else name


def name_of(address: str) -> str:
    """The last part of an address."""
    return address.rpartition("/")[2]


def follow(values: Values, before: dict[str, str], after: dict[str, str]) -> Values:
    """The values of a page at or below an address, once that has become another one."""
    moved = {
        locale: after[locale] + address.removeprefix(before[locale])
        if f"{address}/".startswith(f"{before[locale]}/")
        else address
        for locale, address in addresses_of(values).items()
    }
    has_own = values["slug de"] is not None or moved["de"] != moved["en"]
    return {**values, "slug": moved["en"], "slug de": moved["de"] if has_own else None}


def find_errors(database: sqlite3.Connection, page: Page) -> list[str]:
    """What the database says otherwise of a document: its draft, all revisions, links, and what visitors see."""
    row = database.execute("SELECT revision, live, live_path FROM pages WHERE id = ?", (page.id,)).fetchone()
    deleted = page.revisions[-1] is None
    claims = [((row is None) == deleted, f"{page.id} is there or gone")]
    query = "SELECT number, snapshot FROM revisions WHERE page = ? ORDER BY number"
    kept = {number: values_of(page, json.loads(text)) for number, text in database.execute(query, (page.id,))}
    for number, values in enumerate(page.revisions, start=1):
        kept_well = values is None or kept.get(number) == values
        claims.append((kept_well, f"revision {number} of {page.id} is {kept.get(number)}, not {values}"))
    if row is not None and not deleted:
        claims.append((row[0] == page.number == max(kept), f"{page.id} is at revision {row[0]}"))
        claims.append((row[1] == page.live, f"visitors see {row[1]} of {page.id}, not {page.live}"))
        links = {(bool(live), target) for live, target in database.execute(_LINKS, (page.id,))}
        linked = links_of(page.values(page.number), live=False) | links_of(page.values(page.live), live=True)
        claims.append((links == linked, f"{page.id} links to {links}, not {linked}"))
        paths = dict(database.execute("SELECT locale, path FROM live_paths WHERE page = ?", (page.id,)).fetchall())
        has_address = page.kind in ("page", "entry") and page.live is not None
        found = addresses_of(page.values(page.live) or {}) if has_address else {}
        claims.append((paths == found, f"visitors find {page.id} at {paths}, not {found}"))
        claims.append((row[2] == found.get("en"), f"{page.id} believes to be live at {row[2]}, not {found}"))
        draft = _load_draft(database, page)
        claims.append((draft == page.revisions[-1], f"the draft of {page.id} is {draft}, not {page.revisions[-1]}"))
    return [failure for holds, failure in claims if not holds]


def links_of(values: Values | None, *, live: bool) -> set[tuple[bool, str]]:
    """The documents to which the texts and targets of a draft or of a live document link."""
    texts = [value for value in (values or {}).values() if isinstance(value, str)]
    return {(live, target) for text in texts for target in re.findall(r'(?:page|entry)"?: ?"?(\w+)', text)}


def values_of(page: Page, snapshot: Any) -> Values:
    """The values of a document in a snapshot: by field, or by section, slot and locale."""
    sections = sorted(snapshot["sections"], key=lambda each: (each["sortOrder"], each["id"]))
    if page.kind in ("page", "entry"):
        main = [each for each in sections if each["id"] == page.section or page.kind == "entry"]
        contents: dict[str, dict[str, Any]] = main[0]["contents"] if main else {}
        slot = "content" if page.kind == "page" else "body"
        german = snapshot.get("translations", {}).get("de", {})
        values = (
            snapshot["title"],
            snapshot["meta"]["description"],
            snapshot["slug"],
            *(contents.get(locale, {}).get(slot) for locale in ("en", "de")),
            german.get("title"),
            german.get("slug"),
        )
        found: Values = {**dict(zip(FIELDS, values, strict=True))}
        return found | _items_of(sections) | _sections_of(page, sections) if page.kind == "page" else found
    document: Values = {
        f"{each['id'] if page.kind in ORDERED else ''} {slot} {locale}".strip(): text_of(value)
        for each in sections
        for locale, content in each["contents"].items()
        for slot, value in content.items()
    }
    return {"_order": [each["id"] for each in sections], **document} if page.kind in ORDERED else document


def _items_of(sections: list[Any]) -> Values:
    """The items of a page's lists in order, and whatever is stored for one of them in any language."""
    texts = {
        f"{item} {name} {locale}": text
        for each in sections
        for locale, content in each["contents"].items()
        for item, fields in content.get(LIST, {}).items()
        for name, text in fields.items()
    }
    return {"_items": [item for each in sections for item in each.get("lists", {}).get(LIST, [])], **texts}


def _sections_of(page: Page, sections: list[Any]) -> Values:
    """The order of a page's sections, and the texts of those that it did not begin with."""
    texts = {
        f"{each['id']} {slot} {locale}": text
        for each in sections
        if each["id"] not in (page.section, page.faq)
        for locale, content in each["contents"].items()
        for slot, text in content.items()
    }
    return {"_sections": [each["id"] for each in sections], **texts}


def text_of(value: Any) -> str:
    """A value as approvers are shown it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _load_draft(database: sqlite3.Connection, page: Page) -> Values:
    query = "SELECT title, meta_description, slug FROM pages WHERE id = ?"
    title, meta, slug = database.execute(query, (page.id,)).fetchone()
    query = "SELECT locale, title, slug FROM page_translations WHERE page = ?"
    texts = {row[0]: {"title": row[1], "slug": row[2]} for row in database.execute(query, (page.id,))}
    sections: list[Values] = []
    query = "SELECT id, sort_order, lists FROM page_sections WHERE page = ?"
    for section, place, lists in database.execute(query, (page.id,)).fetchall():
        query = "SELECT locale, content FROM page_section_contents WHERE section = ?"
        contents = {locale: json.loads(text) for locale, text in database.execute(query, (section,))}
        sections.append({"id": section, "sortOrder": place, "lists": json.loads(lists), "contents": contents})
    snapshot = {"title": title, "slug": slug, "meta": {"description": meta}, "translations": texts}
    return values_of(page, {**snapshot, "sections": sections})
