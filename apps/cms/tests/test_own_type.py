"""A type of one's own by talk: events with a date and a place, from the first sentence until they are undone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.scheduling.scheduling import carry_out
from apps.cms.tests.site.visitor import make_site, publish, visit
from apps.cms.tests.world import World
from remit import App, Principal, Runtime
from remit.models import OpenAI
from remit.stores import SqlStore
from remit.testing import Scripted, calls
from remit_cms.agent import editor
from tests.edges.provider import Provider, call

Call = tuple[str, dict[str, Any]]
ANN = Principal("ann", "local-site", permissions=frozenset({"cms:*", "approvals:decide"}))

FIELDS = [{"key": "date", "type": "date", "required": True, "label": "When"}, {"key": "place", "type": "text"}]
GERMAN = [{"key": "date", "label": "Wann"}]
EVENTS = (("Market", "2126-06-20"), ("Summer fair", "2126-06-14T15:00"), ("Concert", "2126-07-01T20:00"))


def create(title: str, date: str) -> Call:
    content = {"date": date, "place": "Market square"}
    return "cms_createEntry", {"collectionId": "events", "title": title, "content": content}


TALK: dict[str, list[list[Call]]] = {
    "I need events with a date and a place.": [
        [("cms_defineType", {"name": "Events", "fields": FIELDS})],
        [("cms_changeType", {"typeId": "events", "localeCode": "de", "name": "Termine", "changeFields": GERMAN})],
    ],
    "Add the market, the fair and the concert, and a page that lists them.": [
        [create(title, date) for title, date in EVENTS],
        [
            (
                "cms_createPage",
                {
                    "title": "What is on",
                    "sections": [{"definitionId": "entry-list", "content": {"entries": {"collectionId": "events"}}}],
                },
            )
        ],
    ],
    "The fair in German, please.": [
        [
            (
                "cms_updateEntry",
                {"entryId": "events/summer-fair", "title": "Sommerfest", "slug": "sommerfest", "localeCode": "de"},
            )
        ]
    ],
    "Publish all that on the first of June.": [
        [("cms_scheduleChangeSet", {"changeSetId": "set_2", "at": "2126-06-01T09:00"})]
    ],
    "Undo that.": [[("cms_revertChangeSet", {"changeSetId": "set_2"})]],
}
"""What ann says, and the calls that the model makes then, in one answer after another."""


@pytest.fixture(params=["scripted", pytest.param("streaming", marks=pytest.mark.process)])
def model(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A script in the place of the model, and a model that streams."""
    if request.param == "scripted":
        answers = [[*(calls(*made) for made in turns), "Done."] for turns in TALK.values()]
        yield Scripted([answer for turns in answers for answer in turns])
        return
    with Provider() as provider:
        for prompt, turns in TALK.items():
            provider.script(prompt, *([call(name, **given) for name, given in made] for made in turns), ["Done."])
        yield OpenAI("scripted-stream", base_url=provider.environ["OPENAI_BASE_URL"], api_key="unused")


class Talk:
    """Ann's conversation with the editor. She approves what she is asked about, which is kept."""

    def __init__(self, world: World, journal: Path, model: Any) -> None:
        app = App(name="cms", agents=(editor(world.tools),), references=world.references)
        self.runtime = Runtime(app, store=SqlStore.at(journal), model=model, directory=lambda _name, _tenant: ANN)
        self.asked: list[str] = []

    async def say(self, prompt: str) -> None:
        result = await self.runtime.run(prompt, by=ANN, conversation="events")
        while result.questions:
            for question in result.questions:
                row = await self.runtime.store.find_question(question)
                assert row is not None
                self.asked.append(row.question.tool)
                await self.runtime.decide(question, approved=True, by=ANN)
            result = await self.runtime.resume(result.run)
        assert (result.status, result.value()) == ("done", "Done.")


async def test_events_are_defined_written_translated_scheduled_and_undone_by_talk(
    world: World, tmp_path: Path, model: Any
) -> None:
    await publish(world, "Home")
    site, talk = make_site(world), Talk(world, tmp_path / "journal.db", model)
    define, write, translate, schedule, undo = TALK
    for prompt in (define, write, translate, schedule):
        await talk.say(prompt)
    assert talk.asked == ["cms_defineType", "cms_changeType", "cms_scheduleChangeSet"]
    assert (await visit(site, "/events")).status == 404
    await carry_out(Editor(world, "ann"), "action_1")
    whole = (await visit(site, "/events")).text
    assert re.findall(r'<h2><a href="(.*?)">', whole) == ["/events/summer-fair", "/events/market", "/events/concert"]
    assert re.findall(r'<h2><a href="(.*?)">', (await visit(site, "/what-is-on")).text)[0] == "/events/summer-fair"
    german = (await visit(site, "/de/events/sommerfest")).text
    assert '<dt>Wann</dt><dd><time datetime="2126-06-14T15:00">14. Juni 2126, 15:00</time></dd>' in german
    assert "<h1>Termine</h1>" in (await visit(site, "/de/events")).text
    assert "Market square" in (await visit(site, "/events/feed.xml")).text
    await talk.say(undo)
    assert talk.asked[-1] == "cms_revertChangeSet"
    for path in ("/events", "/events/feed.xml", "/what-is-on", "/de/events/sommerfest"):
        assert (await visit(site, path)).status == 404, path
    await talk.runtime.store.close()
