"""Two editors and a person: whatever they do, nothing is lost, and nothing is published that nobody was shown."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.cms.tests.world import World
from figures.cms_arguments import NORMAL
from figures.cms_documents import ALL_STEPS, SiteEditors
from figures.cms_editors import PEOPLE
from figures.cms_sections import SECTION_STEPS

_STEPS = st.tuples(st.sampled_from((*ALL_STEPS, *SECTION_STEPS)), st.sampled_from(PEOPLE), st.integers(0, 999))


@settings(max_examples=4, deadline=None)
@given(steps=st.lists(_STEPS, min_size=10, max_size=20))
def test_drafts_revisions_and_live_pages_are_those_of_a_model(fresh: Path, steps: list[tuple[str, str, int]]) -> None:
    async def follow() -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(shutil.copy(fresh, Path(folder) / "cms.db"))
            world = World(Path(folder))
            editors = SiteEditors(world, path)
            for name, who, choice in steps:
                await editors.step(name, who, choice)
            await world.database.close()
            return editors.failures

    assert asyncio.run(follow()) == []


def test_every_tool_has_arguments_in_the_sweep(world: World) -> None:
    assert {tool.name for tool in world.tools} == set(NORMAL)
