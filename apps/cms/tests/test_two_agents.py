"""Two agents of two conversations on one page, with the real runtime and journal: no edit is lost unseen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from remit import App, Principal, Runtime
from remit.stores import SqlStore
from remit.testing import Scripted, calls
from remit_cms.agent import editor
from remit_cms.tools import page_operations, publishing_operations, section_operations

READ = ("cms_getSectionContent", {"pageSectionId": "about/s1"})
CAUGHT = "has changed since it was read, last by bob: text / text (en): 'Hello' is now 'Ours'. Nothing was written"


@pytest.fixture
def location(either_location: Path | str) -> Path | str:
    return either_location


def write(text: str) -> Any:
    return calls(("cms_updateSectionContent", {"pageSectionId": "about/s1", "content": {"content": text}}))


def open_runtime(world: World, journal: Path, model: Scripted) -> Runtime:
    """A process of its own."""
    tools = (
        *page_operations(world.pages, world.search).callees,
        *section_operations(world.sections).callees,
        *publishing_operations(world.database).callees,
    )
    app = App(name="cms", agents=(editor(tools),), references=world.references)
    return Runtime(
        app,
        store=SqlStore.at(journal),
        model=model,
        directory=lambda name, tenant: Principal(name, tenant, permissions=frozenset({"*"})),
    )


class Talk:
    """A conversation of a person with the editor, each of whose runs is in a process of its own."""

    def __init__(self, world: World, journal: Path, who: str) -> None:
        self._world, self._journal, self._who = world, journal, who
        self._script: list[Any] = []
        self.runs: list[str] = []

    async def go_on(self, *answers: Any) -> str:
        """One run, in which the model gives these answers. Return all that it has read."""
        self._script += [*answers, "Done."]
        runtime = open_runtime(self._world, self._journal, model := Scripted(self._script))
        person = Principal(self._who, "local-site", permissions=frozenset({"*"}))
        result = await runtime.run("Go on.", by=person, conversation=self._who)
        assert result.status == "done", result.text
        await runtime.store.close()
        self.runs.append(result.run)
        return "".join(model.requests[-1].history)


LIVE = ("cms_getLivePage", {"pageId": "about"})
COMPARISON = ("cms_compareRevisions", {"pageId": "about", "before": 1})


@pytest.mark.parametrize("shown", [READ, LIVE, COMPARISON], ids=["draft", "live", "comparison"])
async def test_a_stale_write_is_refused_with_the_difference_then_accepted(
    world: World, tmp_path: Path, shown: tuple[str, dict[str, Any]]
) -> None:
    journal, visitor = tmp_path / "journal.db", Editor(world, "visitor")
    await visitor.create("About", ("text", {"content": "Hi"}))
    await visitor.write("section_1", content="Hello")
    await visitor.publish_page("about")
    ann, bob = Talk(world, journal, "ann"), Talk(world, journal, "bob")
    await ann.go_on(calls(shown))
    await bob.go_on(calls(READ))
    await bob.go_on(write("Ours"))
    told = await ann.go_on(write("Mine"), calls(READ), write("Mine and ours"))
    assert CAUGHT in told
    assert (await visitor.draft("about")).sections[0].content == {"text": "Mine and ours"}
    rows = await world.rows()
    runtime = open_runtime(world, journal, Scripted([]))
    for run in (*ann.runs, *bob.runs):
        assert (await runtime.replay(run)).is_identical
        assert (await runtime.resume(run)).status == "done"
    await runtime.store.close()
    assert await world.rows() == rows
