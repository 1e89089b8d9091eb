"""A runtime serves another version of its application: tools come, change, leave, or are in quarantine."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit import Agent, App, Effect, Principal, Risk, Runtime, Timeout, Tool, tool
from remit.errors import NameTakenError, RequestNotFoundError, SetupError
from remit.inventory import EnabledGate
from remit.items import ToolOutput
from remit.runtime import RunResult
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import find_superuser

pytestmark = pytest.mark.looptime
ADA = Principal("ada", permissions=frozenset({"*"}))


def make_tool(name: str, answer: str = "", **facts: Any) -> Tool[[], str]:
    @tool(name=name, effect=Effect.PURE, **facts)
    async def work() -> str:
        """Work."""
        return answer or name

    return work


def app_of(*tools: Tool[..., Any], **options: Any) -> App:
    return App(name="shop", agents=(Agent("clerk", instructions="Work.", tools=tools),), **options)


def runtime_of(*tools: Tool[..., Any], script: Any = (), **options: Any) -> Runtime:
    return Runtime(app_of(*tools), model=Scripted(list(script)), directory=find_superuser, **options)


def ended(result: RunResult[Any]) -> list[str]:
    """The calls of a run, in the order in which they ended."""
    return [f"{each.callee} {each.outcome}" for each in result.items if isinstance(each, ToolOutput)]


async def names(runtime: Runtime) -> list[str]:
    return [each.name for each in await runtime.client(ADA).tools()]


async def test_what_has_come_is_called_and_what_has_left_is_unknown_also_to_clients_that_exist() -> None:
    runtime = runtime_of(make_tool("old"), make_tool("stays"), script=[calls(("new", {}), ("old", {})), "done"])
    client = runtime.client(ADA)
    runtime.update(app_of(make_tool("stays"), make_tool("new")))
    assert [each.name for each in await client.tools()] == ["new", "stays"]
    assert (await client.call("new", {})).value() == "new"
    with pytest.raises(RequestNotFoundError, match="application shop has no tool or agent 'old'"):
        await client.call("old", {})
    done = await client.run("go")
    assert (done.value(), ended(done)) == ("done", ["new ok", "old error", "clerk ok"])


async def test_an_execution_in_progress_keeps_its_version() -> None:
    started, may_end = asyncio.Event(), asyncio.Event()

    @tool(effect=Effect.PURE)
    async def wait() -> str:
        """Wait."""
        started.set()
        await may_end.wait()
        return "waited"

    runtime = runtime_of(wait, make_tool("old"), script=[calls(("wait", {})), calls(("old", {})), "done"])
    running = asyncio.create_task(runtime.run("go", by=ADA))
    await started.wait()
    runtime.update(app_of(make_tool("new")))
    may_end.set()
    done = await running
    assert (done.value(), ended(done)) == ("done", ["wait ok", "old ok", "clerk ok"])
    assert await names(runtime) == ["new"]


async def test_an_open_run_keeps_its_version() -> None:
    runtime = runtime_of(make_tool("old"))
    client = runtime.client(ADA)
    async with client.open_run() as run:
        runtime.update(app_of(make_tool("new")))
        assert (await run.call("old", {})).value() == "old"
        with pytest.raises(RequestNotFoundError):
            await run.call("new", {})
    async with client.open_run(run_id=run.id) as again:
        assert (await again.call("new", {})).value() == "new"


@pytest.mark.parametrize("changes", [True, False], ids=["changed", "same"])
async def test_a_tool_that_changed_while_a_person_was_asked_is_asked_about_anew(changes: bool) -> None:
    asked = make_tool("pay", risk=Risk.HIGH)
    runtime = runtime_of(asked, script=[calls(("pay", {})), "done", "done"])
    waiting = await runtime.run("go", by=ADA)
    await runtime.decide(waiting.questions[0], approved=True, by=superuser(name="bob"))
    changed = Tool.from_schema("pay", "Pay twice.", {"type": "object"}, _pay, risk=Risk.HIGH)
    runtime.update(app_of(changed if changes else asked))
    again = await runtime.resume(waiting.run)
    assert again.status == ("waiting" if changes else "done")
    assert (again.questions == waiting.questions) is False


async def _pay(_arguments: dict[str, Any]) -> str:
    return "paid"


async def test_a_run_whose_tool_has_left_continues_without_it() -> None:
    runtime = runtime_of(make_tool("pay", risk=Risk.HIGH), script=[calls(("pay", {})), "done"])
    waiting = await runtime.run("go", by=ADA)
    await runtime.decide(waiting.questions[0], approved=True, by=superuser(name="bob"))
    runtime.update(app_of(make_tool("other")))
    done = await runtime.resume(waiting.run)
    assert (done.value(), ended(done)) == ("done", ["pay error", "clerk ok"])


async def test_a_tool_in_quarantine_is_not_offered_and_not_called() -> None:
    runtime = runtime_of(make_tool("look"), script=[calls(("look", {})), "done"])
    runtime.update(app_of(make_tool("look").layer(EnabledGate(enabled=False))))
    assert await names(runtime) == []
    model = runtime._model  # pyright: ignore[reportPrivateUsage]
    done = await runtime.run("go", by=ADA)
    assert isinstance(model, Scripted)
    assert (done.value(), model.requests[0].tools.names) == ("done", ())


async def test_what_cannot_be_served_changes_nothing() -> None:
    runtime = runtime_of(make_tool("old"))
    with pytest.raises(NameTakenError):
        runtime.update(app_of(make_tool("a"), tools=[make_tool("a", "another")]))
    with pytest.raises(SetupError, match=r"^update: the runtime serves application shop, not bank"):
        runtime.update(App(name="bank"))
    with pytest.raises(SetupError, match=r"^update: application shop has other resources"):
        runtime.update(app_of(make_tool("a"), resources=[asyncio.Lock]))
    assert await names(runtime) == ["old"]


async def test_the_layers_and_limits_that_a_runtime_was_given_stay() -> None:
    layered = runtime_of(make_tool("old")).layer(Timeout(5))
    layered.update(app_of(make_tool("new")))
    assert "Timeout(seconds=5)" in repr(layered)
    assert "effect · new" in repr(layered)


async def test_another_model_answers_from_now_on_and_is_kept_by_later_versions() -> None:
    runtime = runtime_of(make_tool("work"), script=["first", "first again"])
    assert (await runtime.client(ADA).run("go")).value() == "first"
    runtime.update(runtime.app, model=Scripted(["second"]))
    assert (await runtime.client(ADA).run("go")).value() == "second"
    runtime.update(app_of(make_tool("other")))
    assert (await runtime.client(ADA).run("go")).value() == "second"
    with pytest.raises(SetupError, match="give a model, or its name"):
        runtime.update(runtime.app, model=42)  # pyright: ignore[reportArgumentType] - that is the mistake


async def test_an_execution_in_progress_keeps_its_model() -> None:
    begun, may_end = asyncio.Event(), asyncio.Event()

    @tool(effect=Effect.PURE)
    async def work() -> str:
        """Work."""
        begun.set()
        await may_end.wait()
        return "done"

    runtime = runtime_of(work, script=[calls(("work", {})), "the first model"])
    running = asyncio.create_task(runtime.client(ADA).run("go"))
    await begun.wait()
    runtime.update(runtime.app, model=Scripted(["the second model", "the second model"]))
    may_end.set()
    assert (await running).value() == "the first model"
