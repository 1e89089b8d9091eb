"""An afternoon with the editor: 60 messages, two restarts, a history that is compacted, and objects meant by "it"."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from apps.cms.tests.world import World
from remit import App, Principal, Runtime
from remit.agent import Compaction
from remit.items import HistoryCompacted
from remit.messages import ChatRequest
from remit.stores import SqlStore
from remit.testing import Scripted, calls
from remit.testing.history_check import history_errors
from remit_cms.agent import editor
from remit_cms.pages.payloads import GetPages
from remit_cms.tools import page_operations, section_operations

ANN = Principal("ann", "local-site", permissions=frozenset({"*"}))
LIMIT = 7_000


def recall(request: ChatRequest) -> list[tuple[str, str]]:
    """The pages that the model was told to remember last: title and id."""
    texts = [text for text in request.history if "<working_memory>" in text]
    text: str = json.loads(texts[-1])["content"] if texts else ""
    [pages] = [line for line in text.splitlines() if line.startswith("page: ")] or [""]
    return re.findall(r'"?([\w ]+)"? \(id (\w+)\)', pages)


def answer(request: ChatRequest) -> Any:
    """What a model does that takes "it" for the first object in its memory, and "the last one" for the last."""
    if request.agent_call_id.endswith(":compaction"):
        return "The user has pages created, renamed and read."
    said = next(
        json.loads(text)["content"]
        for text in reversed(list(request.history))
        if '"role":"user"' in text[:20] and "<working_memory>" not in text and "<summary>" not in text
    )
    known = recall(request)
    match said.split():
        case _ if request.turn > 1:
            made: Any = f"Done: {said} " + "with everything that belongs to it, " * 20
        case ["create", name]:
            sections = [{"definitionId": "text", "content": {"content": f"{name}. " + "Fresh bread daily. " * 40}}]
            made = calls(("cms_createPageWithContent", {"title": f"Page {name}", "sections": sections}))
        case ["rename", "it", "to", name]:
            made = calls(("cms_updatePage", {"pageId": known[0][1], "title": f"Page {name}"}))
        case ["read", "the", "last", "one"]:
            made = calls(("cms_getPage", {"pageId": known[-1][1], "includeContent": True}))
        case ["delete", "it"]:
            made = calls(("cms_deletePage", {"pageId": known[0][1], "confirmed": True}))
        case _:
            made = calls(("cms_getPages", {}))
    return made


def open_runtime(world: World, journal: Path) -> tuple[Runtime, Scripted]:
    """A process of its own: another store on the same file, another editor, another model."""
    tools = (*page_operations(world.pages, world.search).callees, *section_operations(world.sections).callees)
    model = Scripted([answer] * 200)
    agent = editor(tools, compaction=Compaction(tokens=LIMIT, keep=600))
    app = App(name="cms", agents=(agent,), references=world.references)
    store = SqlStore.at(journal)
    return Runtime(app, store=store, model=model, directory=lambda _name, _tenant: ANN), model


async def test_sixty_messages_with_two_restarts(world: World, tmp_path: Path) -> None:
    names = [f"{number}" for number in range(12)]
    messages = [
        text
        for name in names
        for text in (f"create {name}", f"rename it to {name}a", "list", "read the last one", "what else")
    ]
    messages[-5:] = ["create last", "delete it", "list", "rename it to end", "what else"]
    assert len(messages) == 60
    runs: list[str] = []
    largest = 0
    for start in (0, 20, 40):
        runtime, model = open_runtime(world, tmp_path / "journal.db")
        for text in messages[start : start + 20]:
            result = await runtime.run(text, by=ANN, conversation="afternoon")
            for question in result.questions:
                await runtime.decide(question, approved=True, by=ANN)
                result = await runtime.resume(result.run)
            assert result.status == "done", f"{text}: {result.text}"
            runs.append(result.run)
        assert not [error for each in model.requests for error in history_errors(each.history)]
        assert len({each.history[0] for each in model.requests if "compaction" not in each.agent_call_id}) == 1
        largest = max(largest, *(sum(map(len, each.history)) for each in model.requests))
        await runtime.store.close()
    titles = {page.title for page in (await world.pages.get_pages(world.call(), GetPages(limit=50))).pages}
    assert titles == {"Page end", *(f"Page {name}a" for name in names[1:-1])}
    assert largest < 4 * LIMIT
    runtime, model = open_runtime(world, tmp_path / "journal.db")
    items = [position.item for run in runs for position in await runtime.store.read(run)]
    compactions = [item for item in items if isinstance(item, HistoryCompacted)]
    assert sum(bool(item.head) for item in compactions) > 3
    for run in (runs[0], runs[30], runs[-1]):
        assert (await runtime.replay(run)).is_identical
    assert sum(map(len, await runtime.history(runs[-1]))) < 4 * LIMIT
    await runtime.store.close()
