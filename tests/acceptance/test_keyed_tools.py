"""Every KEYED tool of both applications keeps its promise: if its process dies behind its effect, that happens once.

The tools are found in the inventories. A new one fails here until it has arguments.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from remit import Effect
from remit.inventory import Operations
from remit.record.items import AttemptEnded, Item
from remit_casefile.app import build as build_casefile
from remit_cms.app import build as build_cms
from tests.acceptance.applications import CASEFILE, CMS, RECORDED, DyingStore, Worlds


class Changes(NamedTuple):
    """The rows that a call has added and removed; a row that it changed is both."""

    added: Counter[str] = Counter()  # noqa: RUF012 - never changed
    removed: Counter[str] = Counter()  # noqa: RUF012 - as above


def has_happened(item: Item) -> bool:
    """Whether the effect of an attempt has happened where the item is to be stored."""
    return isinstance(item, AttemptEnded)


def keyed_tools(operations: Operations | None) -> set[str]:
    """The names of the KEYED tools."""
    assert operations is not None
    return {each.name for each in operations.callees if each.facts.effect is Effect.KEYED}


def test_every_keyed_tool_has_arguments_here(tmp_path: Path) -> None:
    records = {"begin_session_request", "end_session_request", "begin_chat_turn", "end_chat_turn"}
    assert keyed_tools(build_casefile(tmp_path).app.operations) - records == set(CASEFILE)
    assert keyed_tools(build_cms(tmp_path).app.operations) == set(CMS)


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", [*CASEFILE, *RECORDED, *CMS])
async def test_the_effect_of_a_keyed_tool_happens_once_if_its_process_dies_behind_it(name: str, worlds: Worlds) -> None:
    expected, reply, point, crashed = Changes(), "", 0, True
    while crashed or not point:
        world = worlds.of(name)
        before = world.rows()
        store = DyingStore(point or 1_000, has_happened)
        result = await world.call(name, store)
        crashed = store.has_died
        assert result.status == "done", result.text
        assert '"success":false' not in result.text.replace(" ", "")
        changes = Changes(world.rows() - before, before - world.rows())
        if not point:
            expected, reply, crashed = changes, result.text, True
        assert (changes, result.text) == (expected, reply)
        point += 1
        await asyncio.sleep(0)
    assert point > 2, "it did not crash"
    assert expected != Changes(), "it has no effect to double"
