"""A model that cannot be had here ends no run: the drive stops, and the run goes on where it can be had."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.test import TestModel

from remit import Agent, App, Risk, Runtime
from remit.agent.model import Model as Port
from remit.errors import NoModelError, SetupError
from remit.models import Model
from remit.record.items import Mismatch, ModelFailure, RunFinished
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.workers import AnyModel, PydanticAIDriver, WorkerDefinition, build_agent, resolve_model
from tests.drivers.test_pydantic_ai import Answers
from tests.loopback import Endpoint
from tests.runtime.kit import World, find_superuser
from tests.workers.kit import Found, Script, call, filed, runtime_of, worker_of


async def stopped(worker: Agent, said: str) -> None:
    """Call a worker; the drive stops, nothing is journaled as failed, and the run goes on with a model."""
    store = InMemoryStore()
    runtime = runtime_of(worker, store=store)
    with pytest.raises(NoModelError) as caught:
        await runtime.call(worker, superuser(), "go")
    assert (caught.value.code, said in caught.value.message) == ("NO_MODEL", True), caught.value.message
    (row,) = await store.list_runs()
    assert (row.status, await filed(store, row.run, ModelFailure), await filed(store, row.run, RunFinished)) == (
        "stalled",
        [],
        [],
    )
    mended = worker.with_model(Scripted(["done"]))
    assert (await runtime_of(mended, store=store).resume(row.run)).value() == "done"


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("nobody:x", "the model 'nobody:x' cannot be used"),
        ("openai:gpt-4o", "OPENAI_API_KEY"),
        ("scripted:none.json", "none.json is not a script"),
        ("local:none.gguf", "there is no model"),
        (None, "agent worker names no model; give it one, or set REMIT_MODEL"),
    ],
)
async def test_the_drive_stops_and_the_run_stays_as_it_is(
    model: str | None, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "REMIT_MODEL"):
        monkeypatch.delenv(name, raising=False)
    await stopped(worker_of(model), said)


@pytest.mark.parametrize("given", [TestModel(), Scripted(["x"])], ids=["of PydanticAI", "of Remit"])
async def test_a_model_that_a_worker_is_not_made_for_is_as_good_as_none(given: AnyModel) -> None:
    worker = worker_of(given, compatible_models=("openai:*", "scripted:done"))
    runtime = runtime_of(worker)
    with pytest.raises(NoModelError, match="does not support the model"):
        await runtime.call(worker, superuser(), "go")
    assert [row.status for row in await runtime.store.list_runs()] == ["stalled"]


async def test_a_missing_package_stops_the_drive_too(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as without:
        without.setattr("remit.models.local.ENTRY_POINT_GROUP", "none.installed")
        await stopped(
            worker_of("local:base"), "local models need remit-local; in a checkout of Remit, run: pip install"
        )
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "remit.drivers.runner", None)
        worker = worker_of("local:base")
        with pytest.raises(NoModelError, match=r"in a checkout of Remit, run: pip install '\.\[pydantic-ai\]'"):
            await runtime_of(worker).call(worker, superuser(), "go")


async def test_a_run_that_waited_goes_on_and_is_replayed_without_the_key_that_began_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    world, store = World(), InMemoryStore()
    answers = Answers(calls(("danger", {"text": "a"})), calls(("final_result", {"page": "about", "words": 3})))

    async def close() -> None:
        for each in made:
            await each.client.close()

    def found_by(name: str) -> OpenAIChatModel:
        model = resolve_model(name).as_pydantic_ai()
        assert isinstance(model, OpenAIChatModel)
        made.append(model)
        return model

    made: list[OpenAIChatModel] = []

    def process() -> tuple[Runtime, Agent]:
        """A new process, which makes its model anew."""
        definition = WorkerDefinition(name="worker", prompt="Go.", model="openai:m", tools=("danger",), output=Found)
        worker = build_agent(
            definition, tools=[world.write("danger", risk=Risk.HIGH)], driver=PydanticAIDriver(found_by)
        )
        return runtime_of(worker, store=store), worker

    async with Endpoint(answers) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        runtime, worker = process()
        result = await runtime.call(worker, superuser(), "go")
        await runtime.decide(result.questions[0], approved=True, by=superuser())
        with monkeypatch.context() as without:
            without.delenv("OPENAI_API_KEY")
            without.delenv("OPENAI_BASE_URL")
            with pytest.raises(NoModelError, match="OPENAI_API_KEY"):
                await process()[0].resume(result.run)
        (row,) = await store.list_runs()
        assert (row.status, world.texts) == ("stalled", ["a"])
        assert await filed(store, result.run, Mismatch) == []
        assert (await process()[0].resume(result.run)).value() == Found(page="about", words=3)
        await close()
    monkeypatch.delenv("OPENAI_API_KEY")
    report = await process()[0].replay(result.run)
    assert (report.is_identical, world.ran) == (True, ["a"])


async def test_a_nested_worker_without_its_model_stops_the_run_once_its_siblings_have_ended() -> None:
    world, store = World(), InMemoryStore()
    script = Script([call("inner", '{"prompt":"in"}'), call("write", '{"text":"a"}')], "done")

    def process(model: AnyModel) -> tuple[Runtime, Agent]:
        outer = worker_of(script.model, world.write(), name="outer", workers=[worker_of(model, name="inner")])
        return runtime_of(outer, store=store), outer

    runtime, outer = process("nobody:x")
    with pytest.raises(NoModelError, match="nobody:x"):
        await runtime.call(outer, superuser(), "go")
    (row,) = await store.list_runs()
    assert (row.status, world.ran, len(script.requests)) == ("stalled", ["a"], 1)
    assert (await process(Scripted(["in"]))[0].resume(row.run)).value() == "done"
    assert world.ran == ["a"]


async def test_a_change_is_found_by_a_replay_without_the_model() -> None:
    store = InMemoryStore()
    worker = worker_of(Script("done").model)
    result = await runtime_of(worker, store=store).call(worker, superuser(), "go")
    same = runtime_of(worker_of("nobody:x"), store=store)
    assert (await same.replay(result.run)).is_identical
    other = runtime_of(worker_of("nobody:x", World().write()), store=store)
    assert (
        "turn 1: the request to the model differs from the recorded one" in (await other.replay(result.run)).difference
    )


class Locked:
    """A port whose model cannot be had."""

    async def __call__(self, request: object, /) -> object:
        raise SetupError("the key was revoked")


@pytest.mark.parametrize("kind", ["none", "locked"])
async def test_an_agent_without_a_model_stops_its_drive_alike(kind: str) -> None:
    ports: dict[str, object] = {"none": None, "locked": Locked()}

    def runtime(model: Model | None) -> Runtime:
        app = App(name="test", agents=(Agent("agent", instructions="x"),))
        return Runtime(app, store=store, model=model, directory=find_superuser)

    store = InMemoryStore()
    port: Port | None = ports[kind]  # pyright: ignore[reportAssignmentType] - a port that gives nothing
    with pytest.raises(NoModelError) as caught:
        await runtime(port).run("go", by=superuser())
    assert ("has no model" if kind == "none" else "the key was revoked") in caught.value.message
    (row,) = await store.list_runs()
    assert (row.status, await filed(store, row.run, ModelFailure)) == ("stalled", [])
    assert (await runtime(Scripted(["done"])).resume(row.run)).value() == "done"
    assert (await runtime(None).replay(row.run)).is_identical


def test_a_worker_can_be_asked_before_it_runs_whether_its_model_can_be_had(tmp_path: Path) -> None:
    file = tmp_path / "script.json"
    worker = worker_of(f"scripted:{file}")
    with pytest.raises(NoModelError, match="is not a script"):
        worker.check_model()
    file.write_text(json.dumps({"script": ["done"]}))
    worker.check_model()


def test_a_local_model_is_looked_for_and_not_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMIT_CACHE", str(tmp_path))
    said = "the weights of 'base' are not downloaded; run: remit model fetch base"
    with pytest.raises(NoModelError, match=said):
        worker_of("local:base").check_model()
    own = tmp_path / "own.gguf"
    own.touch()
    worker_of(f"local:{own}").check_model()
