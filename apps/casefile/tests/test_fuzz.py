"""Whatever is said to any method: it is done, or refused in a known code, and what was refused has changed nothing."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, Final, cast

import pytest
from hypothesis import find, given, settings

from figures.fuzz import FuzzReport, judge_call, run_fuzz
from figures.fuzz_values import GeneratedArguments, generate_arguments
from figures.fuzz_world import open_world
from remit import App, Effect, Runtime, tool
from remit_casefile.storage.tables import Casefile

LIMITED: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 3}, "limit": {"type": "integer", "minimum": 1}},
    "required": ["name"],
}


@pytest.mark.slow
@pytest.mark.untraced
def test_every_call_of_a_few_sequences_ends_as_it_may() -> None:
    found = run_fuzz(3)
    assert found.problems == []
    assert found.calls >= 100
    assert {"ok", "VALIDATION_ERROR", "NOT_FOUND"} <= set(found.outcomes)


async def test_a_call_that_fails_with_what_it_wrote_kept_is_caught(fresh: Path, tmp_path: Path) -> None:
    async with open_world(tmp_path, fresh) as world:

        @tool(effect=Effect.PURE)
        async def list_casefiles() -> str:
            """Write, and fail."""
            async with world.database.write() as writing:
                await writing.delete(await writing.get_one(Casefile, world.pools["casefile_id"][0]))
            raise LookupError("half done")

        listing = world.tools["list_casefiles"]
        world.runtime = Runtime(App(name="bad", tools=(list_casefiles,)), store=world.store)
        bad = dataclasses.replace(listing, tool=list_casefiles)
        wrong = await judge_call(
            world, bad, "ann", GeneratedArguments("{}", is_refused=False), "", FuzzReport(), approved=True
        )
    assert [each.partition(" ")[0] for each in wrong] == ["ended", "failed"]


@given(generate_arguments(LIMITED, {}))
@settings(max_examples=60)
def test_what_is_called_allowed_is_so_and_a_near_miss_is_not(asked: GeneratedArguments) -> None:
    assert _fits(asked.raw) is not asked.is_refused


def test_a_value_of_a_pool_is_taken() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    taken = find(
        generate_arguments(schema, {"id": ["known"]}), lambda asked: not asked.is_refused and "known" in asked.raw
    )
    assert json.loads(taken.raw) == {"id": "known"}


def _fits(raw: str) -> bool:
    """Whether arguments are what LIMITED allows, read by hand."""
    try:
        said = json.loads(raw)
    except ValueError:
        return False
    if not isinstance(said, dict):
        return False
    fields = cast("dict[str, object]", said)
    name, limit = fields.get("name"), fields.get("limit", 1)
    if not isinstance(name, str) or "\ud800" in name or "\udfff" in name or len(name) > 3:
        return False
    return set(fields) <= {"name", "limit"} and type(limit) is int and 1 <= limit < 2**53
