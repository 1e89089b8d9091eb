"""Tools of a source are as strict as their person and their annotations say, whichever is stricter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from remit import Effect, Risk
from remit.errors import ContractError
from remit.sources import Offer, PinFolder, Source, Trust
from remit.sources.adoption import choose_names
from tests.sources.kit import ScriptedOrigin

SCHEMA: dict[str, Any] = {"type": "object"}


async def _adopt(offer: Offer, folder: Path, trust: Trust | None = None) -> Any:
    async with Source("files", ScriptedOrigin(offer), PinFolder(folder), trust) as source:
        return next(iter(source.tools), None)


@pytest.mark.parametrize(
    ("annotations", "trust", "expected"),
    [
        ({}, Trust(), (Effect.UNSAFE, Risk.SAFE, False)),
        ({"readOnlyHint": True, "idempotentHint": True}, Trust(), (Effect.UNSAFE, Risk.SAFE, False)),
        ({"destructiveHint": True}, Trust(), (Effect.UNSAFE, Risk.HIGH, True)),
        ({}, Trust(effects={"act": "pure"}), (Effect.PURE, Risk.SAFE, True)),
        ({"destructiveHint": True}, Trust(effects={"act": "pure"}), (Effect.PURE, Risk.HIGH, True)),
        ({"destructiveHint": True}, Trust(risks={"act": "safe"}), (Effect.UNSAFE, Risk.SAFE, True)),
        ({"readOnlyHint": True}, Trust(effects={"other": "pure"}), (Effect.UNSAFE, Risk.SAFE, False)),
    ],
)
async def test_annotations_only_restrict(
    annotations: dict[str, Any], trust: Trust, expected: tuple[Effect, Risk, bool], tmp_path: Path
) -> None:
    offer = Offer(name="act", description="Act.", input_schema=SCHEMA, annotations=annotations)
    made = await _adopt(offer, tmp_path, trust)
    assert (made.facts.effect, made.facts.risk, made.facts.declared) == expected
    assert made.facts.permissions == frozenset({"files:call"})
    assert not made.facts.trusted


async def test_a_tool_that_says_that_it_reaches_the_outside_sends_data_out(tmp_path: Path) -> None:
    offer = Offer(name="act", input_schema=SCHEMA, annotations={"openWorldHint": True})
    made = await _adopt(offer, tmp_path, Trust(timeout=5, permissions=frozenset({"web:use"})))
    assert made.facts.egress
    assert (made.facts.timeout, made.facts.permissions) == (5, frozenset({"web:use"}))


@pytest.mark.parametrize("schema", [{}, {"type": "string"}, {"type": "object", "$ref": "https://evil.example/"}])
async def test_a_tool_whose_schema_cannot_be_enforced_is_left_out(schema: dict[str, Any], tmp_path: Path) -> None:
    assert await _adopt(Offer(name="act", description="Act.", input_schema=schema), tmp_path) is None


def test_names_are_those_that_models_may_use_and_none_is_that_of_another() -> None:
    names = ["read", "read.file", "read file", "x" * 80, "ä" * 3]
    chosen = choose_names("files", names)
    assert chosen["read"] == "files_read"
    assert len({*chosen.values()}) == len(names)
    assert all(len(each) <= 64 and each.isascii() for each in chosen.values())
    assert choose_names("files", ["read.file"])["read.file"] == chosen["read.file"], "a name does not depend on others"


def test_trust_is_checked_when_it_is_built() -> None:
    with pytest.raises((ContractError, Exception), match="timeout"):
        Trust(timeout=-1)
