"""Whatever is said to any method: it is done, or refused in a known code, and what was refused has changed nothing."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, Final, cast

import pytest
from hypothesis import find, given, settings

from figures.fuzz import Found, fuzzed, judged
from figures.fuzz_values import Wanted, wanted
from figures.fuzz_world import world_in
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
    found = fuzzed(3)
    assert found.wrong == []
    assert found.calls >= 100
    assert {"ok", "VALIDATION_ERROR", "NOT_FOUND"} <= set(found.outcomes)


async def test_a_call_that_fails_with_what_it_wrote_kept_is_caught(fresh: Path, tmp_path: Path) -> None:
    async with world_in(tmp_path, fresh) as world:

        @tool(effect=Effect.PURE)
        async def list_casefiles() -> str:
            """Write, and fail."""
            async with world.database.writing() as writing:
                await writing.delete(await writing.get_one(Casefile, world.pools["casefile_id"][0]))
            raise LookupError("half done")

        listing = world.tools["list_casefiles"]
        world.runtime = Runtime(App(name="bad", tools=(list_casefiles,)), store=world.store)
        bad = dataclasses.replace(listing, tool=list_casefiles)
        wrong = await judged(world, bad, "ann", Wanted("{}", refused=False), "", Found(), approved=True)
    assert [each.partition(" ")[0] for each in wrong] == ["ended", "failed"]


@given(wanted(LIMITED, {}))
@settings(max_examples=60)
def test_what_is_called_allowed_is_so_and_a_near_miss_is_not(asked: Wanted) -> None:
    assert _fits(asked.raw) is not asked.refused


def test_a_value_of_a_pool_is_taken() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    taken = find(wanted(schema, {"id": ["known"]}), lambda asked: not asked.refused and "known" in asked.raw)
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
