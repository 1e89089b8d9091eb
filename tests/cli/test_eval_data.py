"""Evals know the prices of models, and give each task data of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from remit import Agent, App
from remit.errors import BudgetError
from remit.evals.recording import Answer, Recorder, Recording, digest, load_recording
from remit.evals.run import run_task
from remit.evals.task import load_tasks
from remit.layers import Call, CallService, Reply, layer_fn
from remit.messages import ChatRequest, Completion
from remit.models import ModelSettings, Price
from remit.models.resolve import ResolvedModel
from remit.testing import Scripted
from tests.cli.running import Done, done
from tests.docs.reading import ROOT, blocks

SHELF = '''
import os
from sqlalchemy import Column, MetaData, Table, Text, insert, select
from remit import Agent, App, tool
from remit.agent import AgentLimits
from remit.database import Database, Schema
from remit.home import data_location

METADATA = MetaData()
BOOKS = Table("books", METADATA, Column("title", Text))
database = Database(LOCATION, Schema(name="shelf", metadata=METADATA))


@tool(effect="unsafe", risk="moderate")
async def add_book(title: str) -> str:
    """Add a book."""
    async with database.write() as session:
        await session.execute(insert(BOOKS).values(title=title))
    return "added"


@tool(effect="pure")
async def count_books() -> int:
    """Count the books."""
    async with database.read() as session:
        return len((await session.execute(select(BOOKS))).all())


def app() -> App:
    limits = AgentLimits(cost=1.0)
    return App(name="shelf", agents=[Agent("clerk", instructions="Add.", tools=[add_book, count_books], limits=limits)])
'''
ANEW = 'lambda: data_location(os.environ, "shelf")'
SYSTEM = '{"role":"system","content":"Add."}'
TASK = "prompt: Add it.\nexpect:\n  - {query: SELECT title FROM books, equals: [dune]}\nchanges: [{rows: books}]\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a folder of tasks."""
    (tmp_path / "evals" / "recorded").mkdir(parents=True)
    (tmp_path / "home").mkdir(mode=0o700)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REMIT_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return tmp_path


def write(folder: Path, name: str, task: str = TASK, model: str = "script", answers: list[Any] | None = None) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "add_book", "arguments": '{"title": "dune"}'}}
    answers = answers or [
        {"message": {"tool_calls": [call]}, "tokens": [1000, 1000]},
        {"message": {"content": "Done."}, "tokens": [500, 250]},
    ]
    (folder / "evals" / f"{name}.yaml").write_text(task, encoding="utf-8")
    (folder / "evals" / "recorded" / f"{name}.json").write_text(
        json.dumps({"model": model, "instructions": [digest(SYSTEM)], "answers": answers}), encoding="utf-8"
    )


def run(module: str, location: str, folder: Path) -> Done:
    config = folder / "home" / "config.toml"
    config.write_text("[prices.known]\ninput = 1.0\noutput = 2.0\n", encoding="utf-8")
    config.chmod(0o600)
    (folder / f"{module}.py").write_text(SHELF.replace("LOCATION", location, 1), encoding="utf-8")
    return done("eval", f"{module}:app", "--json")


def test_each_task_has_a_database_of_its_own_if_its_place_is_looked_up_anew(folder: Path) -> None:
    write(folder, "one")
    write(folder, "two")
    ended = run("shelf_anew", ANEW, folder)
    assert ended.status == 0, ended
    assert [each["passed"] for each in ended.json["tasks"]] == [True, True]
    assert [each.name for each in (folder / "home").iterdir()] == ["config.toml"]


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ("unchanged: [SELECT title FROM books]", ""),
        ("unchanged: [SELECT count(*) FROM books]", ""),
        ("forbidden: [{effect: x, query: SELECT title FROM books}]", ""),
        ("expect: [{query: SELECT title FROM books, equals: []}]", ""),
        (
            "expect: [{query: SELECT title FROM books, equals: dune}]",
            "'SELECT title FROM books' gives [], not \"dune\"; there is no database shelf.db",
        ),
    ],
)
def test_a_task_whose_model_calls_nothing_is_graded_without_a_database(folder: Path, rules: str, says: str) -> None:
    write(folder, "one", f"prompt: Add it.\n{rules}\n", answers=[{"message": {"content": "No."}}])

    (task,) = run("shelf_absent", ANEW, folder).json["tasks"]

    assert [each["what"][: len(says)] for each in task["failures"]] == ([says] if says else [])


@pytest.mark.parametrize(("called", "passes"), [("count_books", True), ("add_book", False)], ids=["a read", "a write"])
@pytest.mark.parametrize("query", ["SELECT title FROM books", "SELECT count(*) FROM books"])
def test_a_database_that_a_call_makes_is_unchanged_if_it_is_empty(
    folder: Path, query: str, called: str, passes: bool
) -> None:
    arguments = {"add_book": '{"title": "dune"}'}.get(called, "{}")
    call = {"id": "a", "type": "function", "function": {"name": called, "arguments": arguments}}
    answers = [{"message": {"tool_calls": [call]}}, {"message": {"content": "Done."}}]
    write(folder, "one", f"prompt: Add it.\nunchanged: [{query}]\n", answers=answers)

    (task,) = run("shelf_made", ANEW, folder).json["tasks"]

    assert task["passed"] == passes, task


def test_a_database_at_a_place_of_its_own_is_refused_before_anything_is_written(folder: Path) -> None:
    write(folder, "one")
    ended = run("shelf_fixed", '"sqlite:///mine.db"', folder)
    assert ended.status == 2
    problem = "mine.db is not in the home of the task, so tasks would share it"
    remedy = "let the database find its place anew: Database(lambda: data_location(os.environ, APP), SCHEMA)"
    assert ended.err == f"remit: SETUP_ERROR: {problem}; {remedy}\n"
    assert not (folder / "mine.db").exists()


@pytest.mark.parametrize(("model", "cost"), [("script", 0.0), ("openai:unknown", 0.0), ("openai:known", 0.004)])
def test_recorded_answers_cost_what_their_model_costs_and_a_limit_on_cost_allows_them(
    folder: Path, model: str, cost: float
) -> None:
    write(folder, "one", model=model)
    ended = run(f"shelf_{model.replace(':', '_')}", ANEW, folder)
    assert ended.status == 0, ended
    assert [(each["passed"], each["cost"]) for each in ended.json["tasks"]] == [(True, cost)]


STOPPED = "the run was stopped: the task has used $0.003 of its $0.002, and the requests to come exceed the rest; "


@pytest.mark.parametrize(
    ("limit", "failures"),
    [("0.01", []), ("0.002", [{"kind": "cost", "what": f"{STOPPED}raise `cost` or ask for less"}])],
)
def test_a_task_is_stopped_before_it_costs_more_than_it_may(
    folder: Path, limit: str, failures: list[dict[str, str]]
) -> None:
    write(folder, "one", f"{TASK}cost: {limit}\n", model="openai:known")
    ended = run(f"shelf_{limit[2:]}", ANEW, folder)
    assert [each["failures"] for each in ended.json["tasks"]] == [failures]


class Priced:
    """A script under a name that has a price."""

    model, vendor = "known", "lab"

    def __init__(self, *tokens: int) -> None:
        self._script = Scripted([{"content": "Done.", "usage": {"prompt_tokens": each}} for each in tokens])

    async def __call__(self, request: ChatRequest, /) -> Completion:
        return await self._script(request)


@pytest.mark.parametrize(
    ("tokens", "failures"),
    [
        ((500, 400), []),
        ((500, 600), ["the task has cost $0.0011 of its $0.001"]),
        ((500, 100), []),
        ((1000, 1), ["prompt 2 was not sent: the task has cost $0.001 of its $0.001"]),
        ((950, 1), ["the run was stopped: the rest of the task has used $0 of its $0.00005, and the requests"]),
    ],
)
async def test_the_prompts_of_a_task_cost_no_more_than_it_may_together(
    folder: Path, tokens: tuple[int, int], failures: list[str]
) -> None:
    write(folder, "one", "prompt: [Say it., Again.]\nanswer: {contains: [done]}\ncost: 0.001\n")
    (task,) = load_tasks([folder / "evals"])
    app = App(name="plain", agents=[Agent("clerk", instructions="Add.", settings=ModelSettings(max_tokens=50))])
    result = await run_task(task, lambda: app, Priced(*tokens), prices={"known": Price(1.0, 1.0)})
    assert [each.kind for each in result.failures] == ["cost"] * len(failures)
    assert all(each.what.startswith(said) for each, said in zip(result.failures, failures, strict=True))


async def test_another_budget_with_the_same_words_is_no_stop_of_the_task(folder: Path) -> None:
    write(folder, "one", "prompt: Say it.\nanswer: {contains: [done]}\ncost: 1\n")
    (task,) = load_tasks([folder / "evals"])

    @layer_fn
    async def refuse(_call: Call, _inner: CallService) -> Reply:
        raise BudgetError("the task has used all of its $1")

    app = App(name="plain", agents=[Agent("clerk", instructions="Add.")], layers=[refuse()])
    result = await run_task(task, lambda: app, Priced(1), prices={"known": Price(1.0, 1.0)})
    assert [each.kind for each in result.failures] == ["run", "answer"]


async def test_a_recorder_has_the_name_and_so_the_price_of_the_model_that_it_asks() -> None:
    recorder = Recorder(ResolvedModel("openai:gpt-5"))
    assert (recorder.vendor, recorder.model) == ("openai", "gpt-5")


async def test_a_task_with_a_limit_on_cost_fails_where_the_price_is_unknown(folder: Path) -> None:
    write(folder, "one", "prompt: Say it.\nanswer: {contains: [done]}\ncost: 1\n")
    (task,) = load_tasks([folder / "evals"])
    app = App(name="plain", agents=[Agent("clerk", instructions="Add.")])
    result = await run_task(task, lambda: app, Priced(1))
    (failure,) = (each.what for each in result.failures if each.kind == "run")
    told = "NO_MODEL: agent clerk: its cost is limited, but the price of the model 'lab:known' is unknown; write "
    assert failure.startswith(f"{told}prices.known = {{input = …, output = …}}, in US dollars for a million tokens, at")


def test_a_stale_recording_is_told_where_the_application_has_not_even_made_its_database(folder: Path) -> None:
    write(folder, "one", model="openai:known")
    recorded = folder / "evals" / "recorded" / "one.json"
    recorded.write_text(recorded.read_text("utf-8").replace(digest(SYSTEM), digest("other")), "utf-8")
    ended = run("shelf_stale", ANEW, folder)
    assert [each["kind"] for each in ended.json["tasks"][0]["failures"]] == ["recording"]


def test_the_script_that_the_guide_shows_is_a_recording_and_its_table_has_every_member(tmp_path: Path) -> None:
    guide = ROOT / "docs/guides/evaluate-an-agent.md"
    (file := tmp_path / "task.json").write_text(blocks(guide, "json")[0], encoding="utf-8")
    script = load_recording(file)
    assert script.is_script
    assert [each.tokens for each in script.answers] == [(1200, 40), (1300, 12)]
    members = {*Recording.__struct_fields__, *(f"answers[].{name}" for name in Answer.__struct_fields__)}
    table = guide.read_text(encoding="utf-8").partition("### The format of a recording")[2]
    assert members <= {line.split("`")[1] for line in table.splitlines() if line.startswith("| `")}
