"""Every tool of the CMS with the names and ids of what belongs to another tenant, or to another site of the tenant."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

from sqlalchemy import update

from apps.cms.tests.world import World
from figures.cms_stores import Content, new_database
from figures.cms_sweep import IDS, NORMAL, Sample, Sweep, find_ids
from remit_cms.images.payloads import UpdateImage
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import UpdateNavigationItem
from remit_cms.pages.payloads import UpdatePage
from remit_cms.posts.payloads import UpdatePost
from remit_cms.posts.posts import Posts
from remit_cms.publishing.payloads import PublishPage
from remit_cms.publishing.publishing import Publishing
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
    "slug": ("about", "q-7719", "q-8819"),
    "title": ("About", "Q 7715", "Q 8815"),
    "redirect": ("live", "q-7718", "q-8818"),
    "address": ("live", "q-7717", "q-8817"),
    "post": ("soon", "q-7716", "q-8816"),
    "picture": ("loaf.png", "q-7714", "q-8814"),
    "label": ("Who we are", "Q 7713", "Q 8813"),
}
"""The ids and names of objects of this site, of another tenant, and of another site of this tenant."""

_FEW: Final = ("about", "slug", "image")
"""What is given for arguments that take any text."""

Place = tuple[str | int, ...]


@asynccontextmanager
async def open_leaks() -> AsyncGenerator[Sweep]:
    """The CMS with the sites of `OWNERS`, whose objects have names that nothing else has."""
    with TemporaryDirectory() as folder, new_database("sqlite") as database:
        world = World(Path(folder), database.location)
        world.calls.run = "swept"
        await world.add_other_site()
        async with world.database.write() as session:
            await add_site(
                session, "second", "second-site", name="Second", clock=world.database.clock, new_id=world.ids
            )
        for owner, tenant in enumerate(("local-site", "other", "second")):
            await world.populate(tenant)
            if owner:
                await _rename(world, tenant, owner)
        async with world.database.write() as session:
            await session.execute(update(Site).where(Site.key == "second-site").values(tenant="local-site"))
        try:
            yield Sweep(world, database, find_ids(database, LEAKS, *OWNERS))
        finally:
            await world.database.close()


async def find_leaks(sweep: Sweep, names: Sequence[str]) -> None:
    """Give each text argument of tools in turn the name of each foreign object, and of none."""
    foreign = {each for owner in (1, 2) for each in _names_of(sweep, owner).values()} | OWNERS.keys()
    kept = _rows_with(sweep.content(), foreign)
    for tool in names:
        for path, value in _texts_in(NORMAL[tool]):
            is_reference = value.startswith("{")
            for owner, whose in enumerate(OWNERS.values(), start=1):
                for kind, theirs in _names_of(sweep, owner).items():
                    if is_reference or kind in _FEW:
                        await _compare(sweep, tool, path, theirs, (f"{kind} of {whose}", kept))


async def _compare(sweep: Sweep, tool: str, path: Place, theirs: str, case: tuple[str, set[str]]) -> None:
    """The answer is the one for an object that does not exist, and what is foreign is as it was."""
    unknown = f"{theirs[:-1]}x"
    answers: list[str] = []
    for name in (theirs, unknown):
        arguments = json.loads(json.dumps(sweep.fill(NORMAL[tool])))
        _put(arguments, path, name)
        with sweep.case(case[0], tool) as claim:
            answers.append((await sweep.call(tool, arguments)).text.replace(name, "NAME"))
            lost = case[1] - {f"{table} {row}" for table, rows in sweep.content().items() for row in rows}
            claim(not lost, f"changed what is foreign: {sorted(lost)[:2]}")
    claim(answers[0] == answers[1], f"{path}: {answers[0]} but for none {answers[1]}")


def _names_of(sweep: Sweep, owner: int) -> dict[str, str]:
    return {kind: names[owner] for kind, names in sweep.ids.items()}


def _rows_with(content: Content, names: set[str]) -> set[str]:
    """The rows in which one of the names stands."""
    rows = {f"{table} {row}" for table, each in content.items() for row in each}
    return {row for row in rows if any(f"'{name}'" in row for name in names)}


def _texts_in(value: Any, path: Place = ()) -> Iterator[tuple[Place, str]]:
    """The texts in arguments, each with its path; a file is none."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for place, each in enumerate(cast("list[Any]", value)):
            yield from _texts_in(each, (*path, place))
    elif isinstance(value, dict) and "digest" not in value:
        for name, each in cast("Sample", value).items():
            yield from _texts_in(each, (*path, name))


def _put(arguments: Any, path: Place, value: str) -> None:
    *parents, last = path
    for each in parents:
        arguments = arguments[each]
    arguments[last] = value


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
