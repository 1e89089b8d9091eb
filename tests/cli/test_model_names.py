"""One name means the same model, and the same error, wherever a model is named."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from remit import Agent, App, Runtime
from remit.errors import ContractError, NoModelError
from remit.models.choice import ChoiceFile, ModelChoice
from remit.models.resolve import ModelResolver
from remit.stores import InMemoryStore
from remit.testing import superuser
from remit.workers import WorkerDefinition, build_agent
from tests.cli.kit import APP, Cli
from tests.drivers.test_pydantic_ai import Answers
from tests.loopback import Endpoint

Entrance = Callable[[Cli, str, pytest.MonkeyPatch], str]
"""Asks the model of a name by one entrance: the answer, or the error in one line."""


def by_agent(_cli: Cli, name: str, _patch: pytest.MonkeyPatch) -> str:
    return ask(App(name="test", agents=(Agent("agent", instructions="x", model=name),)))


def by_runtime(_cli: Cli, name: str, _patch: pytest.MonkeyPatch) -> str:
    return ask(App(name="test", agents=(Agent("agent", instructions="x"),)), model=name)


def by_worker(_cli: Cli, name: str, _patch: pytest.MonkeyPatch) -> str:
    try:
        worker = build_agent(WorkerDefinition(name="worker", prompt="x", model=name))
    except ContractError as error:
        return error.message
    return ask(App(name="test", tools=(worker,)))


def by_environment(cli: Cli, name: str, patch: pytest.MonkeyPatch) -> str:
    patch.setenv("REMIT_MODEL", name)
    return last_line(cli, "run", APP, "--ask", "hello")


def by_worker_file(cli: Cli, name: str, _patch: pytest.MonkeyPatch) -> str:
    Path("w.worker").write_text(f"---\nmodel: {json.dumps(name)}\n---\nAnswer.\n", encoding="utf-8")
    return last_line(cli, "worker", "run", "w.worker", "hello")


def by_option(cli: Cli, name: str, _patch: pytest.MonkeyPatch) -> str:
    Path("w.worker").write_text("---\n---\nAnswer.\n", encoding="utf-8")
    return last_line(cli, "worker", "run", "w.worker", "hello", "--model", name)


ENTRANCES: dict[str, Entrance] = {
    "Agent(model=)": by_agent,
    "Runtime(model=)": by_runtime,
    "Worker": by_worker,
    "REMIT_MODEL": by_environment,
    "worker file": by_worker_file,
    "--model": by_option,
}

BROKEN = {
    "gpt": "write PROVIDER:NAME, like openai:gpt-5-mini",
    "openai:": "write PROVIDER:NAME, like openai:gpt-5-mini",
    "opnai:x": "there is no such provider; did you mean openai?",
    "openai:x": "OPENAI_API_KEY is not set; set it, or OPENAI_BASE_URL",
    "groq:x": "PydanticAI cannot build 'groq:x': Please install",
    "pydantic-ai:groq:x": "PydanticAI cannot build 'groq:x': Please install",
    "gateway/openai:x": "PydanticAI cannot build 'gateway/openai:x': Set the `PYDANTIC_AI_GATEWAY_API_KEY`",
    "scripted:none.json": "none.json is not a script",
}


MALFORMED = ("gpt", "openai:")
"""Names that the reader of worker files refuses by itself, with the line of the file."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, no weights and no keys."""
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.setenv("REMIT_CACHE", str(tmp_path / "cache"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "PYDANTIC_AI_GATEWAY_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return place


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("entrance", ENTRANCES.values(), ids=ENTRANCES)
def test_a_name_that_cannot_work_is_explained_in_the_same_line_by_every_entrance(
    entrance: Entrance, name: str, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = entrance(cli, name, monkeypatch)
    assert BROKEN[name] in answer
    malformed_in_file = name in MALFORMED and entrance in (by_worker, by_worker_file)
    assert malformed_in_file or f"the model {name!r} cannot be used: {BROKEN[name]}" in answer
    assert "\n" not in answer
    assert cli.runs() == []


@pytest.mark.parametrize("entrance", ENTRANCES.values(), ids=ENTRANCES)
def test_missing_weights_are_explained_by_every_entrance(
    entrance: Entrance, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "remit model fetch base" in entrance(cli, "local:base", monkeypatch)
    assert cli.runs() == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a command's end closes its sockets
@pytest.mark.parametrize("name", ["openai:m", "openai-chat:m", "pydantic-ai:openai-chat:m", "scripted:s.json"])
@pytest.mark.parametrize("entrance", ENTRANCES.values(), ids=ENTRANCES)
def test_a_name_that_works_answers_by_every_entrance(
    entrance: Entrance, name: str, cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "s.json").write_text('{"script": ["hello"]}')
    with running_endpoint() as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        assert entrance(cli, name, monkeypatch) == "hello"
        gc.collect()


@contextmanager
def running_endpoint() -> Generator[str]:
    """An endpoint that answers "hello", in a thread of its own: the commands have loops of their own."""

    def answer(_request: bytes) -> tuple[int, str]:
        return Answers({"content": "hello"})(b"")

    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()
    endpoint = Endpoint(answer)
    asyncio.run_coroutine_threadsafe(endpoint.__aenter__(), loop).result()
    try:
        yield endpoint.url
    finally:
        asyncio.run_coroutine_threadsafe(endpoint.__aexit__(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def ask(app: App, model: str | None = None) -> str:
    async def run() -> str:
        models = ModelResolver()
        runtime = Runtime(app, store=InMemoryStore(), model=model, model_resolver=models)
        try:
            if app.agents:
                return (await runtime.run("hello", by=superuser())).value()
            return (await runtime.call(app.tools[0], superuser(), "hello")).value()
        finally:
            await models.close()

    try:
        return asyncio.run(run())
    except NoModelError as error:
        return error.message


def last_line(cli: Cli, *arguments: str) -> str:
    done = cli(*arguments)
    return (done.out if done.status == 0 else done.err).splitlines()[-1]


def test_without_a_variable_a_command_asks_the_model_that_the_operator_has_chosen(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("REMIT_MODEL")
    cli.script("from the choice")
    done = cli("runs")
    assert done.status == 0, "the home folder is there now"
    ChoiceFile(cli.home).write(ModelChoice(name=f"scripted:{cli.script_file}"))
    assert cli("run", APP, "--ask", "hello").out == "from the choice\n"
    (cli.home / "model.json").write_text("nonsense")
    refused = cli("run", APP, "--ask", "hello")
    assert refused.status != 0
    assert "model.json is not the choice of a model" in refused.err
