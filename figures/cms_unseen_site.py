"""A site in the figure of unseen publications: what its people write in drafts, and what visitors see."""

from __future__ import annotations

import json
import random
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from apps.cms.tests.images.files import picture_file
from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from remit_cms.pages.payloads import MovePage
from remit_cms.types.payloads import ChangeType, DefineType
from remit_cms.types.types import Types

Texts = dict[str, str]
View = dict[str, Texts]
"""What visitors see of each page: its texts by place."""

_CONVERSATIONS: Final = {"ann": "monday", "bob": "tuesday", "pat": ""}
_WORD: Final = re.compile(r"\bv\d+\b")


def words_of(text: str) -> frozenset[str]:
    """The words in a text that somebody wrote; each is written once."""
    return frozenset(_WORD.findall(text))


class Site:
    """A site, and the writes of its people. ``writers`` are those who wrote each word."""

    def __init__(self, world: World, path: Path, rng: random.Random) -> None:
        self.world, self._path, self._rng = world, path, rng
        self.people = {name: Editor(world, name, _CONVERSATIONS[name]) for name in _CONVERSATIONS}
        self.now: datetime = datetime(2026, 1, 1, tzinfo=UTC)
        world.database.clock = lambda: self.now
        world.calls.is_keyed = True
        self.pages: list[str] = []
        self.images: list[str] = []
        self.writers: dict[str, str] = {}
        self.retyped = False
        self._count = 0

    def _look(self) -> View:
        query = "SELECT p.id, r.snapshot FROM pages p JOIN revisions r ON r.page = p.id AND r.number = p.live "
        query += "WHERE p.kind = 'page'"
        structures = self._read("SELECT key, structure FROM section_definitions")
        defaults = {key: _defaults_of(json.loads(structure)) for key, structure in structures}
        return {page: _texts_of(json.loads(snapshot), defaults) for page, snapshot in self._read(query)}

    def _read(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self._path)) as database:
            return database.execute(query, values).fetchall()

    def _read_first(self, query: str, *values: str) -> list[str]:
        """The first column of the rows of a query."""
        return [row[0] for row in self._read(query, *values)]

    def _drafts(self) -> set[str]:
        return {*self._read_first("SELECT id FROM pages")}

    def _pick(self, names: list[str]) -> str:
        return self._rng.choice(names) if names else ""

    async def _write(self, editor: Editor) -> None:
        if not self.pages or (len(self.pages) < 3 and self._rng.random() < 0.3):
            await self._create(editor)
        else:
            await self._rng.choice((self._title, self._meta, self._heading, self._german))(editor)

    def _next_word(self, editor: Editor) -> str:
        self._count += 1
        self.writers[word := f"v{self._count}"] = editor.name
        return word

    async def _create(self, editor: Editor) -> None:
        word = self._next_word(editor)
        view = await editor.create(word, ("hero", {"heading": word}))
        self.pages.append(view.id)

    async def _create_note(self, editor: Editor) -> None:
        """Make a page with a section of a type of the site's own."""
        note = {"name": "Note", "kind": "section", "fields": [{"key": "words", "type": "text"}]}
        await Types(self.world.database).define_type(editor.call(), DefineType.model_validate(note))
        word = self._next_word(editor)
        self.pages.append((await editor.create(word, ("note", {"words": word}))).id)

    async def _retype(self, editor: Editor) -> None:
        """Give notes a field that all of them have from then on."""
        field = {"key": "more", "type": "text", "required": True, "value": self._next_word(editor)}
        changed = ChangeType.model_validate({"typeId": "note", "addFields": [field]})
        await Types(self.world.database).change_type(editor.call(), changed)
        self.retyped = True

    async def _title(self, editor: Editor) -> None:
        await editor.update(self._pick(self.pages), title=self._next_word(editor))

    async def _old_title(self, editor: Editor) -> None:
        """Write the title that visitors see over a newer one."""
        page = self._pick(self.pages)
        await editor.update(page, title=self._look()[page]["title"])

    async def _meta(self, editor: Editor) -> None:
        await editor.update(self._pick(self.pages), meta={"description": self._next_word(editor)})

    async def _heading(self, editor: Editor) -> None:
        draft = await editor.draft(self._pick(self.pages))
        await editor.write(draft.sections[0].id, heading=self._next_word(editor))

    async def _german(self, editor: Editor) -> None:
        draft = await editor.draft(self._pick(self.pages))
        await editor.write(draft.sections[0].id, "de", subheading=self._next_word(editor))

    async def _extend(self, editor: Editor) -> None:
        """Go on from the text that the draft has, whoever wrote that."""
        draft = await editor.draft(self._pick(self.pages))
        section = draft.sections[0].id
        text = (await editor.content(section)).get("subheading") or ""
        await editor.write(section, subheading=f"{text} {self._next_word(editor)}".strip())

    async def _alt(self, editor: Editor) -> None:
        await self._change_image(editor, alt=self._next_word(editor))

    async def _focus(self, editor: Editor) -> None:
        await self._change_image(editor, focalX=self._rng.randrange(100), focalY=50)

    async def _change_image(self, editor: Editor, **changes: Any) -> None:
        """Change something of the picture that the draft shows, if it does."""
        draft = await editor.draft(self._pick(self.pages))
        section = draft.sections[0].id
        image = (await editor.content(section)).get("image")
        if image:
            await editor.write(section, image={**image, **changes})

    async def _address(self, editor: Editor) -> None:
        await editor.update(self._pick(self.pages), slug=self._next_word(editor))

    async def _below(self, editor: Editor) -> None:
        await self._put_below(editor, self._pick(self.pages), self._pick(self.pages))

    async def _last_below(self, editor: Editor) -> None:
        await self._put_below(editor, self.pages[-1], self.pages[0])

    async def _put_below(self, editor: Editor, page: str, parent: str) -> None:
        """Put a page below another one, under a new address."""
        await self.world.pages.move_page(editor.call(), MovePage(page_id=page, parent_id=parent))

    async def _picture(self, editor: Editor) -> None:
        colour = self._rng.choice(("pink", "orange"))
        image = (await self.world.image(colour, picture_file(colour=colour))).id  # also from the trash
        await self._show(editor, image if self._rng.random() < 0.6 else None)

    async def _pink(self, editor: Editor) -> None:
        await self._show(editor, (await self.world.image("pink", picture_file(colour="pink"))).id)

    async def _no_picture(self, editor: Editor) -> None:
        await self._show(editor, None)

    async def _show(self, editor: Editor, image: str | None) -> None:
        draft = await editor.draft(self._pick(self.pages))
        await editor.write(draft.sections[0].id, image=None if image is None else {"imageId": image})


def _defaults_of(structure: Any) -> Texts:
    """The values that readers see of the fields of a type where there are none."""
    slots = [slot for row in structure["rows"] for slot in row["slots"]]
    return {slot["key"]: str(slot["default"]) for slot in slots if slot.get("default") is not None}


def _texts_of(snapshot: Any, defaults: Mapping[str, Texts]) -> Texts:
    texts = {"title": snapshot["title"], "slug": snapshot["slug"], "meta": snapshot["meta"]["description"] or ""}
    for section in snapshot["sections"]:
        for locale, content in section["contents"].items():
            for slot, value in {**defaults.get(section["definition"], {}), **content}.items():
                texts[f"{section['id']} {locale} {slot}"] = value if isinstance(value, str) else json.dumps(value)
    return texts
