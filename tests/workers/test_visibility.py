"""What `facts.visibility` of a worker file says is enforced, as for tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from remit import Agent, App, Client, Context, Effect, Principal, Runtime, tool
from remit.inventory import EXPERIMENT_PERMISSION
from remit.testing import Scripted, calls, superuser
from remit.workers import build_agent, load_workers, read_worker

BOB = Principal("bob", permissions=frozenset({"books:lend"}))


def write(folder: Path, visibility: str, name: str = "helper", more: str = "") -> Path:
    file = folder / f"{name}.worker"
    file.write_text(
        f"---\ndescription: Helps.\nfacts: {{visibility: {visibility}}}\n{more}---\nHelp.\n", encoding="utf-8"
    )
    return file


def helper(folder: Path, visibility: str) -> Agent:
    return build_agent(read_worker(write(folder, visibility)), model=Scripted(["helped"] * 3))


async def say_all(agent: Agent, by: Principal) -> set[str]:
    """What a run, a call and an edge answer."""
    runtime = Runtime(App(name="office", agents=(agent,)))
    client: Client = runtime.client(by)
    return {
        (await runtime.run("hi", by=by)).text,
        (await runtime.call(agent, by, "hi")).text,
        (await client.call("helper", {"prompt": "hi"})).text,
    }


@pytest.mark.looptime
@pytest.mark.parametrize(
    ("visibility", "by", "says"),
    [
        ("public", BOB, "helped"),
        ("internal", superuser(), "helper is internal: only other operations can call it"),
        ("experimental", BOB, f"helper is experimental: bob needs the permission {EXPERIMENT_PERMISSION}"),
        ("experimental", superuser(EXPERIMENT_PERMISSION), "helped"),
    ],
)
async def test_a_worker_is_called_by_those_to_whom_it_is_visible(
    tmp_path: Path, visibility: str, by: Principal, says: str
) -> None:
    found = await say_all(helper(tmp_path, visibility), by)

    assert all(says in text for text in found), found


@pytest.mark.looptime
async def test_an_internal_worker_is_called_by_the_code_of_a_tool(tmp_path: Path) -> None:
    worker = helper(tmp_path, "internal")

    @tool(effect=Effect.COMPOSED)
    async def ask(ctx: Context) -> Any:
        """Ask the helper."""
        return await ctx.tools.helper(prompt="hi")

    runtime = Runtime(App(name="office", agents=(worker,), tools=(ask,)))

    assert (await runtime.call(ask, superuser())).value() == "helped"


@pytest.mark.looptime
async def test_an_internal_worker_is_called_by_no_model_not_even_its_own(tmp_path: Path) -> None:
    write(tmp_path, "internal", more="workers: [helper]\n")
    write(tmp_path, "public", "clerk", "workers: [helper]\n")
    model = Scripted([calls(("helper", {"prompt": "hi"})), "done"])
    clerk = load_workers(tmp_path)[0].with_model(model)
    runtime = Runtime(App(name="office", agents=(clerk,)))

    await runtime.run("go", by=superuser())

    assert "helper is internal" in "".join(model.requests[-1].history)
