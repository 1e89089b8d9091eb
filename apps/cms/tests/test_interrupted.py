"""A conversation with the editor whose process dies between two edits."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from apps.cms.tests.site.visitor import publish
from apps.cms.tests.world import World
from remit import App, Runtime
from remit.messages import decode_message, message_text
from remit.models import OpenAI
from remit.record.items import AttemptStarted
from remit.testing import Scripted, calls, superuser
from remit.views import RunView
from remit_cms.agent import editor
from remit_cms.pages.payloads import GetPages
from tests.edges.provider import Provider, call
from tests.runtime.kit import Clock, Crash, Mortal, find_superuser

ASKED = "Rename Team to People, and then add a page Jobs."
GO_ON = "Go on where you stopped."
EDITS: list[tuple[str, dict[str, Any]]] = [
    ("cms_updatePage", {"pageId": "Team", "title": "People"}),
    ("cms_createPage", {"title": "Jobs"}),
]
ANN = superuser(name="ann", tenant="local-site")
LIFETIME = 60.0


@pytest.fixture(params=["scripted", pytest.param("streaming", marks=pytest.mark.process)])
def models(request: pytest.FixtureRequest) -> Iterator[Any]:
    """What makes the model of each process: a script that begins anew, or an endpoint that streams."""
    if request.param == "scripted":
        yield lambda: Scripted([*map(calls, EDITS), "Both are done."])
        return
    with Provider() as provider:
        provider.script(ASKED, *([call(name, **given)] for name, given in EDITS), ["Both are ", "done."])
        url = provider.environ["OPENAI_BASE_URL"]
        yield lambda: OpenAI("scripted-stream", base_url=url, api_key="unused")


class Office:
    """Processes that come one after the other to the same journal and the same site."""

    def __init__(self, world: World, models: Any) -> None:
        self._world, self._models = world, models
        self.clock = Clock()
        self.store = Mortal(self.clock)

    def process(self, model: Any = None) -> Runtime:
        """A process that comes to what the last one left."""
        self.store.revive()
        self.clock.now += LIFETIME
        app = App(name="cms", agents=(editor(self._world.tools),), references=self._world.references)
        model = model or self._models()
        return Runtime(app, store=self.store, model=model, clock=self.clock, directory=find_superuser)

    async def say(self, runtime: Runtime, text: str) -> Any:
        return await runtime.run(text, by=ANN, conversation="c")

    async def die_between_the_edits(self) -> str:
        """Kill the process as the second edit begins. Returns the run."""
        process = self.process()
        begin = self.store.append

        def append(run: str, epoch: int, items: Any, consumption: Any = None) -> Any:
            if any(isinstance(each.item, AttemptStarted) for each in items):
                begun.append(run)
                if len(begun) == len(EDITS):
                    self.store.die_at(1, after=False)
            return begin(run, epoch, items, consumption)

        begun = list[str]()
        self.store.append = append
        with contextlib.suppress(Crash):
            await self.say(process, ASKED)
        self.store.append = begin
        assert self.store.dead
        return begun[0]


@pytest.fixture
async def office(world: World, models: Any) -> Office:
    await publish(world, "Team")
    return Office(world, models)


async def titles(world: World) -> list[str]:
    reply = await world.pages.get_pages(world.call(), GetPages())
    return sorted(page.title for page in reply.pages)


async def test_a_run_that_died_between_two_edits_goes_on_with_the_second_and_says_that_it_was_interrupted(
    office: Office, world: World
) -> None:
    run = await office.die_between_the_edits()
    assert await titles(world) == ["People"]
    result = await office.process().resume(run)
    assert result.value() == "Both are done."
    assert await titles(world) == ["Jobs", "People"]
    assert RunView.of(await office.store.read(run)).continued_at == office.clock.now


async def test_a_person_who_stops_what_died_and_goes_on_has_a_model_that_reads_what_was_done(
    office: Office, world: World
) -> None:
    run = await office.die_between_the_edits()
    await office.process().cancel(run, by=ANN)
    model = Scripted([*map(calls, EDITS), "Team had its new title; Jobs is there now."])
    await office.say(office.process(model), GO_ON)
    read = [message_text(decode_message(text)) for text in model.requests[0].history]
    read = [text for text in read if text in (ASKED, GO_ON) or "Updated page" in text]
    assert [read[0], "Updated page 'People'" in read[1], read[2]] == [ASKED, True, GO_ON]
    assert await titles(world) == ["Jobs", "People"]
