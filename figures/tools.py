"""The tokens that definitions of sixty tools cost in each request, and those that a search for them costs."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any, Final

from msgspec import structs

from figures.figure import Figure, at_most, no_violations
from remit import Agent, App, Principal, Runtime
from remit.agent import ToolSearch
from remit.agent.tool_search import SEARCH_TOOL
from remit.evals.recording import SCRIPT, RecordedModel, Recording, load_recording, recording_path
from remit.evals.run import run_task
from remit.evals.task import Task, load_tasks
from remit.messages import ChatRequest, Completion, completion_from_message, encode_message
from remit.testing import Scripted, calls
from remit.tools import Callee
from remit_casefile.app import app as casefile_app
from remit_cms.app import app as cms_app
from remit_cms.app import build
from remit_cms.plain_words import phrases_for

SEARCHES: Final = (
    ("rename a page", "cms_updatePage"),
    ("change the address (slug) of a page", "cms_movePage"),
    ("description for search engines", "cms_updatePageMeta"),
    ("hide page from search engines", "cms_updatePageMeta"),
    ("delete a page", "cms_deletePage"),
    ("create a page", "cms_createPage"),
    ("create a page with a hero section", "cms_createPageWithContent"),
    ("add a quote section to a page", "cms_addSectionToPage"),
    ("put a section at the top of a page", "cms_addSectionToPage"),
    ("remove a section from a page", "cms_deletePageSection"),
    ("translate a heading of a section", "cms_updateSectionContent"),
    ("change the text of a section", "cms_updateSectionContent"),
    ("fix a typo in a text", "cms_updateSectionContent"),
    ("read what a page says", "cms_getPage"),
    ("list all pages", "cms_getPages"),
    ("how many pages are there", "cms_getPages"),
    ("find the page whose text has some words", "cms_searchPages"),
    ("which section templates exist", "cms_listSectionTemplates"),
    ("fields of a section template", "cms_getSectionFields"),
    ("find a page by its name", "cms_findResource"),
    ("send an email", "gmail_send_message"),
    ("search my mail", "gmail_search_messages"),
    ("download a file from drive", "drive_download_file"),
    ("upload a file", "drive_upload_file"),
    ("write values into a spreadsheet", "sheets_update_values"),
    ("append rows to a sheet", "sheets_append_values"),
    ("create a new case file", "create_casefile"),
    ("who may see this casefile", "list_permissions"),
    ("give somebody access to a casefile", "grant_permission"),
    ("archive a casefile", "archive_casefile"),
)
"""What a model searches for, and the tool that it needs. The first twenty are what the eval tasks of the CMS ask."""


_PHRASES: Final = {"grant_permission": ["give access"], "list_permissions": ["who may see"]}


def find_phrases(names: Iterable[str]) -> dict[str, list[str]]:
    """What the names and descriptions of some tools do not say."""
    names = list(names)
    return {**phrases_for(names), **{name: phrases for name, phrases in _PHRASES.items() if name in names}}


def sixty_tools(folder: Path) -> list[Callee[..., Any]]:
    """Sixty tools of both applications: those that are searched for, and others beside them."""
    cms = build(folder).app
    casefile = casefile_app()
    listed = [tool for app in (cms, casefile) for tool in (*app.tools, *(t for a in app.agents for t in a.tools))]
    tools = {tool.name: tool for tool in listed if not isinstance(tool, Agent)}
    needed = {name for _, name in SEARCHES}
    return [tools[name] for name in sorted(tools, key=lambda name: (name not in needed, _is_internal(name)))][:60]


def _is_internal(name: str) -> bool:
    """Whether a tool is for programs that use the application, rather than for a model."""
    return any(word in name for word in ("session_", "_session", "_turn", "process_", "_events"))


def figures(*, short: bool) -> Iterator[Figure]:
    """What definitions cost with and without a search, and whether searches find the tool that is needed."""
    yield from measure_definitions(SEARCHES[5::10] if short else SEARCHES)
    tasks = load_tasks([TASKS])[:: 10 if short else 1]
    lost = [task.name for task in tasks if asyncio.run(find_lost_task(task))]
    how = f"eval tasks of the CMS with recorded answers, each tool searched by the person's words first {lost or ''}"
    yield no_violations("tools.eval_tasks_lost", len(lost), len(tasks), how.strip())


def measure_definitions(searches: Sequence[tuple[str, str]] = SEARCHES) -> Iterator[Figure]:
    """The figures of definitions and searches."""
    with asyncio.Runner() as runner, tempfile.TemporaryDirectory() as folder:
        offered = sixty_tools(Path(folder))
        full = runner.run(_ask(offered, None, ["done"]))
        phrases = find_phrases(each.name for each in offered)
        costs, missed = list[float](), 0
        for query, needed in searches:
            answers = [calls(("search_tools", {"query": query})), "done"]
            request = runner.run(_ask(offered, ToolSearch(phrases=phrases), answers))
            replies = [json.loads(text)["content"] for text in request.history if '"role":"tool"' in text[:20]]
            costs.append((len(request.tools.text.encode()) + sum(len(each.encode()) for each in replies)) / 4)
            missed += needed not in request.tools.names
        how = f"{len(offered)} tools of both applications, {len(costs)} searches, 4 bytes a token"
        before = len(full.tools.text.encode()) / 4
    yield at_most("tools.definition_tokens", before, "tokens", 20_000, len(offered), f"all definitions; {how}")
    searched = f"definitions after one search, and its reply, mean; the most is {max(costs):.0f}; {how}"
    yield at_most("tools.definition_tokens_searched", mean(costs), "tokens", 1000, len(costs), searched)
    yield no_violations("tools.search_missed", missed, len(costs), f"searches without the tool that is needed; {how}")


TASKS: Final = Path(__file__).parent.parent / "apps" / "cms" / "evals"


class SearchingModel:
    """Gives recorded answers, and searches for a tool by the words of the last message before it first calls it."""

    def __init__(self, recording: Recording) -> None:
        self._recorded = RecordedModel(structs.replace(recording, model=SCRIPT))
        self._pending: Completion | None = None
        self.not_found: list[str] = []

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """The recorded answer, or a search for a tool that it calls."""
        has_searched = self._pending is not None
        answer = self._pending or await self._recorded(request)
        self._pending = None
        missing = [each.name for each in answer.tool_calls if each.name not in request.tools.names]
        if not missing:
            return answer
        if has_searched:
            self.not_found += missing
            return answer
        self._pending = answer
        users = [json.loads(text)["content"] for text in request.history if text.startswith('{"role":"user"')]
        search = calls(("search_tools", {"query": users[-1][:500]}))
        return completion_from_message(encode_message({"role": "assistant", **search}), finish_reason="tool_calls")


async def find_lost_task(task: Task, load_app: Callable[[], App] = cms_app) -> str:
    """Run a task with its recorded answers, and no tool shown without a search: why it fails, or what was not found."""

    def load() -> App:
        made = load_app()
        (own, *others) = made.agents
        tools = [each for each in own.tools if each.name != SEARCH_TOOL]
        search = ToolSearch(above=0, phrases=phrases_for(each.name for each in tools))
        agent = Agent(own.name, instructions=own.instructions, tools=tools, tool_search=search, tool_scope="listed")
        return replace(made, agents=(agent, *others))

    model = SearchingModel(load_recording(recording_path(Path(task.file))))
    result = await run_task(task, load, model)
    failures = [f"{each.kind}: {each.what}" for each in result.failures]
    return "; ".join([*failures, *(f"{name} was not found" for name in model.not_found)])


async def _ask(offered: list[Callee[..., Any]], search: ToolSearch | None, answers: list[Any]) -> Any:
    """The last request of an agent with these tools."""
    model = Scripted(answers)
    agent = Agent("agent", instructions="Work.", tools=offered, model=model, tool_search=search)
    kinds = {kind for each in offered for kind in each.schema_in.references}
    runtime = Runtime(App(name="bench", agents=(agent,), references=dict.fromkeys(kinds, no_candidates)))
    await runtime.run("go", by=Principal("ann", permissions=frozenset({"*"})))
    return model.requests[-1]


async def no_candidates(*_: object) -> list[Any]:
    """Find nothing for a reference."""
    return []
