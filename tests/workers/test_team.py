"""The workers of a folder are joined with the tools they name and with one another."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit import Agent, Effect, LeafContext, tool
from remit.call.call import Call, CallService
from remit.call.layers import layer_fn
from remit.layers import Reply
from remit.testing import superuser
from remit.workers import PydanticAIDriver, WorkerFileError, load_workers
from tests.workers.kit import Script, call, read_of, runtime_of

FIRST = """---
model: script:first
tools: [look]
workers: [second]
delegates: [write]
---
You are first.
"""
SECOND = """---
description: Goes second.
model: script:second
workers: [first, second]
---
You are second.
"""


@tool(effect=Effect.PURE)
async def look() -> str:
    """Look."""
    return "seen"


@tool(effect=Effect.KEYED)
async def write(_ctx: LeafContext) -> str:
    """Write."""
    return "written"


def folder_with(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.worker").write_text(text)
    return folder


@layer_fn
async def shout(call: Call, inner: CallService) -> Reply:
    """Give it in capitals."""
    return Reply.from_value((await inner(call)).content.upper())


def in_capitals(worker: Agent) -> Agent:
    return worker.layer_around(shout()) if worker.name == "second" else worker


async def test_workers_of_a_folder_call_tools_and_one_another_both_ways(tmp_path: Path) -> None:
    scripts = {
        "script:first": Script([call("look"), call("second", '{"prompt":"go"}')], lambda said: read_of(said)[1]),
        "script:second": Script("second says"),
    }
    folder = folder_with(tmp_path, first=FIRST, second=SECOND)
    models = {name: script.model for name, script in scripts.items()}
    first, other = load_workers(
        folder, tools=[look, write], driver=PydanticAIDriver(models.__getitem__), transform=in_capitals
    )
    assert [first.name, other.name, other.description] == ["first", "second", "Goes second."]
    assert first.tools == (look, other)
    assert other.tools == (first, other)
    assert "first.worker:" in first.where
    result = await runtime_of(first).call(first, superuser(), "go")
    assert result.value() == "SECOND SAYS"


def test_workers_of_a_folder_share_the_models_that_they_name(tmp_path: Path) -> None:
    one, other = load_workers(folder_with(tmp_path, one="---\n---\nGo.", other="---\n---\nGo."))
    assert one.driver is other.driver, "a local model is started once"


def test_every_name_that_is_nothing_is_told_with_its_line(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, first=FIRST, second=SECOND)
    with pytest.raises(WorkerFileError) as error:
        load_workers(folder, tools=[look])
    assert [finding.where.rpartition("/")[2] for finding in error.value.findings] == ["first.worker:5"]


def test_what_is_not_a_folder_of_workers_is_named(tmp_path: Path) -> None:
    (tmp_path / "zoe.worker").write_text("---\n---\nTalk.")
    for path, said in (("zoe.worker", "it is a file, and not a folder"), ("nothing", "there is no such folder")):
        with pytest.raises(WorkerFileError, match=said):
            load_workers(tmp_path / path)
