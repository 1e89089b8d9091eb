"""Attached calls: a call has one run until that run is forgotten."""

from __future__ import annotations

import asyncio

import pytest

from remit.journal.ports import Store


async def test_a_call_keeps_its_run_until_that_run_is_detached(store: Store) -> None:
    assert [await store.attach_call("call", run) for run in ("run", "other")] == ["run", "run"]
    assert await store.attach_call("another", "other") == "other"
    await store.detach_call("call", "other")
    assert await store.attach_call("call", "third") == "run"
    await store.detach_call("call", "run")
    await store.detach_call("nothing", "run")
    assert await store.attach_call("call", "third") == "third"


@pytest.mark.every_store
async def test_of_many_runs_that_are_attached_to_a_call_at_once_it_has_one(store: Store) -> None:
    runs = await asyncio.gather(*(store.attach_call("call", f"run-{number}") for number in range(20)))
    assert len({*runs}) == 1
    assert await store.attach_call("call", "later") == runs[0]
