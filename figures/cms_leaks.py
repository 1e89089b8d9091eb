"""Every tool of the CMS with the names and ids of what belongs to another tenant, or to another site of the tenant."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple, cast

from sqlalchemy import update

from apps.cms.tests.world import World
from figures.cms_arguments import FURTHER, IDS, NORMAL, TARGETS, Sample
from figures.cms_stores import Content, new_database
from figures.cms_sweep import Sweep, find_ids
from figures.cms_web import open_internet
from remit_cms.images.payloads import UpdateImage
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import UpdateNavigationItem
from remit_cms.pages.payloads import UpdatePage
from remit_cms.posts.payloads import UpdatePost
from remit_cms.posts.posts import Posts
from remit_cms.publishing.payloads import PublishPage
from remit_cms.publishing.publishing import Publishing
from remit_cms.redirects.payloads import UpdateRedirect
from remit_cms.storage.seed import add_site
from remit_cms.storage.tables import Site

OWNERS: Final = {"other-site": "another tenant", "second-site": "another site"}
_SECOND: Final[dict[str, str]] = {
    name: f"{kind}_{2 * int(number) - int(ours.rpartition('_')[2])}"
    for name, (ours, theirs) in IDS.items()
    if theirs
    for kind, _, number in [theirs.partition("_")]
}
"""The ids of the third site: all are counted, and each site has as many objects."""

LEAKS: Final[dict[str, tuple[str, ...]]] = {
    **{name: (*ids, _SECOND.get(name, "")) for name, ids in IDS.items()},
    "slug": ("about", "q-7719", "q-771e"),
    "title": ("About", "Q 7715", "Q 771f"),
    "redirect": ("live", "q-7718", "q-771d"),
    "address": ("live", "q-7717", "q-771c"),
    "post": ("soon", "q-7716", "q-771b"),
    "picture": ("loaf.png", "q-7714", "q-771a"),
    "label": ("Who we are", "Q 7713", "Q 771g"),
    "path": ("old-menu", "q-7712", "q-771h"),
    "site": ("local-site", *OWNERS),
}
"""The ids and names of objects of this site, of another tenant, and of another site of this tenant."""

_ADDRESSES: Final = (
    ("slug", "/{}"),
    ("slug", "{}/hero"),
    ("slug", "{}/s1"),
    ("about", "{}/hero"),
    ("about", "page:{}"),
)
"""How names stand in addresses, those of sections included."""
_LONGER: Final = (
    *_ADDRESSES,
    ("slug", "/en/{}"),
    ("slug", "[Here](/{})"),
    ("slug", "https://{}.example.com"),
    ("slug", "{}.example.com"),
    ("slug", "{}:page_1"),
    ("about", "[Here](page:{})"),
    ("entry", "entry:{}"),
    ("entry", "[Here](entry:{})"),
    ("post", "/posts/{}"),
    ("address", "/{}"),
    ("path", "/{}"),
    ("image", "/images/{}"),
    ("site", "{}/main"),
)
"""How names stand within other texts: links, hosts, cursors."""

_CODES: Final = frozenset({"localeCode", "language", "languages", "at", "timeZone", "ink"})
_SHOWN: Final = frozenset({"alt", "altText", "author", "caption", "heading", "label", "options", "question", "text"})
"""Arguments that name no object: one of a few codes, a time, or words that are only shown. They are given a few."""
_FEW: Final = ("about", "slug", "site")

_TAKEN: Final = ("cms_addSite", ("key",), "site")
"""What a new site may not be called, and is refused in words of its own: targets name sites of all tenants by key."""

Place = tuple[str | int, ...]


class Outcome(NamedTuple):
    """What a call answers, and the rows of all tables that it adds and removes."""

    answer: str
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()


class Rows:
    """A CMS, and its rows before each case."""

    def __init__(self, sweep: Sweep) -> None:
        self._sweep, self._content = sweep, sweep.content()
        self._rows = _rows_in(self._content)

    async def call(self, tool: str, arguments: Sample, target: str) -> Outcome:
        """Call a tool in the prepared state."""
        with self._sweep.case("", tool):
            answer = (await self._sweep.call(tool, arguments, target=target)).text
            content = self._sweep.content()
        if content is self._content:
            return Outcome(answer)
        rows = _rows_in(content)
        return Outcome(answer, rows - self._rows, self._rows - rows)


class Leaks:
    """A site beside those of `OWNERS`, and the same site alone: it must not make a difference which of them it is.

    Each call is made of both, with the same times and new ids. What it answers and writes must be the same: so the name
    of what is foreign means as little as if nothing had it, and nothing of it is changed. ``in_turn`` gives the name of
    each kind of object of one of the others alone.
    """

    def __init__(self, beside_others: Sweep, alone: Sweep, *, in_turn: bool = False) -> None:
        self._in_turn = in_turn
        self._sweep, self._both = beside_others, (Rows(beside_others), Rows(alone))
        self.cases = 0
        self.failures: list[str] = []

    async def try_tool(self, tool: str) -> None:
        """Give each text argument of a tool, and its target, the names of each foreign object."""
        normal, target = self._sweep.fill(NORMAL[tool]), TARGETS.get(tool, "")
        await self._compare(f"{tool}, another tenant's site as the target", tool, normal, "other-site")
        tried: set[tuple[Place, str]] = set()
        for sample in (NORMAL[tool], *FURTHER.get(tool, ())):
            places = {*texts_in(sample)} - tried
            tried |= places
            for place, value in sorted(places, key=str):
                for kind, owner, name in self._names_for(place, value):
                    if (tool, place, kind) != _TAKEN:
                        arguments = _put(self._sweep.fill(sample), place, name)
                        await self._compare(f"{tool}, {kind} of {owner} in {place}", tool, arguments, target)

    async def _compare(self, case: str, tool: str, arguments: Sample, target: str) -> None:
        self.cases += 1
        found, other = await self._call_both(tool, arguments, target)
        if found != other:  # on a busy machine one of the calls may have run into a time limit
            found, other = await self._call_both(tool, arguments, target)
        if found != other:
            differing = sorted((found.added ^ other.added) | (found.removed ^ other.removed))
            self.failures.append(f"{case}: {found.answer} but alone {other.answer}, rows {differing[:2]}")

    async def _call_both(self, tool: str, arguments: Sample, target: str) -> tuple[Outcome, Outcome]:
        beside_others, alone = self._both
        return await beside_others.call(tool, arguments, target), await alone.call(tool, arguments, target)

    def _names_for(self, place: Place, value: str) -> Iterator[tuple[str, str, str]]:
        """The names to try in a place: of all objects, and also within longer texts, of which references have fewer."""
        ids, is_reference = self._sweep.ids, value.startswith("{")
        names_none = not is_reference and not {*place}.isdisjoint(_CODES | _SHOWN | ({*place[1:]} & {"definitionId"}))
        for number, owner in enumerate(OWNERS.values(), start=1):
            for kind in ([*_FEW] if names_none else [*ids])[number % 2 if self._in_turn else 0 :: 1 + self._in_turn]:
                yield kind, owner, ids[kind][number]
        for kind, way in () if names_none else _ADDRESSES if is_reference else _LONGER:
            yield way, "another tenant", way.format(ids[kind][1])


@asynccontextmanager
async def open_leaks(*, in_turn: bool = False) -> AsyncGenerator[Leaks]:
    """The CMS with the sites of `OWNERS`, whose objects have names that nothing else has, and without them."""
    with TemporaryDirectory() as folder, new_database("sqlite") as shared, new_database("sqlite") as own:
        beside_others, alone = (World(Path(folder), each.location) for each in (shared, own))
        for world in (beside_others, alone):
            world.calls.run = "swept"
            await world.populate()
        await beside_others.add_other_site()
        async with beside_others.database.write() as session:
            await add_site(
                session, "second", "second-site", name="Second", clock=beside_others.clock, new_id=beside_others.ids
            )
        for owner, tenant in enumerate(("other", "second"), start=1):
            await beside_others.populate(tenant)
            await _rename(beside_others, tenant, owner)
        async with beside_others.database.write() as session:
            await session.execute(update(Site).where(Site.key == "second-site").values(tenant="local-site"))
        alone.clock.looks, alone.ids.counts = beside_others.clock.looks, beside_others.ids.counts.copy()
        try:
            ids = find_ids(shared, LEAKS, *OWNERS)
            web = open_internet()
            yield Leaks(Sweep(beside_others, shared, ids, web), Sweep(alone, own, ids, web), in_turn=in_turn)
        finally:
            await beside_others.database.close()
            await alone.database.close()


def _rows_in(content: Content) -> frozenset[str]:
    return frozenset(f"{table} {row}" for table, rows in content.items() for row in rows)


def texts_in(value: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """The texts in arguments, each with its place; a file is none."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, list):
        for number, each in enumerate(cast("list[Any]", value)):
            yield from texts_in(each, (*place, number))
    elif isinstance(value, dict) and "digest" not in value:
        for name, each in cast("Sample", value).items():
            yield from texts_in(each, (*place, name))


def _put(arguments: Any, place: Place, value: str) -> Any:
    """The arguments with a value in a place."""
    copied = json.loads(json.dumps(arguments))
    *parents, last = place
    inner = copied
    for each in parents:
        inner = inner[each]
    inner[last] = value
    return copied


async def _rename(world: World, tenant: str, owner: int) -> None:
    """Give what a tenant has names of its own; its live page moves, so that a redirect is left."""
    ids, number = {kind: names[owner] for kind, names in LEAKS.items()}, 66 + 11 * owner

    def call() -> Any:
        return world.call(tenant=tenant)

    publishing, pages = Publishing(world.database), world.pages
    await pages.update_page(call(), UpdatePage(page_id=ids["about"], title=f"Q {number}15", slug=f"q-{number}19"))
    for slug in (f"q-{number}18", f"q-{number}17"):
        await pages.update_page(call(), UpdatePage(page_id=ids["live"], slug=slug))
        await publishing.publish_page(call(), PublishPage(page_id=ids["live"]))
    await world.images.update_image(call(), UpdateImage(image_id=ids["image"], name=f"q-{number}14"))
    renamed = UpdateNavigationItem(label=ids["item"], new_label=f"Q {number}13")
    await Navigation(world.database).update_navigation_item(call(), renamed)
    await Posts(world.database).update_post(call(), UpdatePost(post_slug=ids["entry"], slug=f"q-{number}16"))
    await world.redirects.update_redirect(call(), UpdateRedirect(path=ids["redirection"], new_path=f"/q-{number}12"))
