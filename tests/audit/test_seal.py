"""To seal enters how far runs have come, and tells the anchor."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from remit.audit import FileAnchor, LogHead
from remit.audit.log import AuditLog
from remit.errors import AuditError, JournalFormatError
from tests.audit.kit import TENANT, World


def entered(world: World, tenant: str = TENANT) -> list[tuple[str, int]]:
    return [(entry.run, entry.last) for entry in AuditLog(world.logs, tenant).read().entries]


async def test_every_run_of_the_tenant_is_entered_with_its_last_item(world: World) -> None:
    await world.run("one")
    await world.run("two", notes=0)
    await world.run("theirs", tenant="other")
    await world.audit.seal(TENANT)
    assert sorted(entered(world)) == [("one", 3), ("two", 1)]


async def test_the_head_that_is_given_is_the_one_that_is_anchored(world: World) -> None:
    await world.run("one")
    head = await world.audit.seal(TENANT)
    assert world.anchor.heads == [head]
    assert head == LogHead(tenant=TENANT, count=1, link=AuditLog(world.logs, TENANT).read().links[0], at=100.0)


async def test_a_run_that_has_not_advanced_is_not_entered_again(world: World) -> None:
    await world.run("one")
    assert await world.audit.seal(TENANT) == await world.audit.seal(TENANT)
    assert (entered(world), len(world.anchor.heads)) == ([("one", 3)], 1)


async def test_a_run_that_has_advanced_is_entered_again(world: World) -> None:
    await world.begin("one", notes=1)
    await world.audit.seal(TENANT)
    await world.note("one", "more")
    await world.audit.seal(TENANT)
    assert entered(world) == [("one", 1), ("one", 2)]
    assert (await world.audit.verify(TENANT)).is_intact


async def test_only_the_runs_that_are_named_are_entered_and_none_of_another_tenant(world: World) -> None:
    await world.run("one")
    await world.run("two")
    await world.run("theirs", tenant="other")
    await world.audit.seal(TENANT, "two", "theirs", "nobody's")
    assert entered(world) == [("two", 3)]


async def test_where_there_is_no_run_nothing_is_anchored(world: World) -> None:
    assert await world.audit.seal(TENANT) is None
    assert world.anchor.heads == []


async def test_each_tenant_has_a_log_of_its_own_whatever_it_is_called(world: World) -> None:
    for tenant in ("../up", "a/b", "A", "a", "ü" * 200):
        await world.run(f"run of {tenant}", tenant=tenant)
        await world.audit.seal(tenant)
        assert entered(world, tenant) == [(f"run of {tenant}", 3)]
    assert len(list(world.logs.iterdir())) == 5


async def test_where_the_anchor_is_away_the_run_is_entered_and_anchored_the_next_time(world: World) -> None:
    await world.run("one")
    anchor = world.anchor
    heads = list(anchor.heads)

    async def refuse(head: LogHead, /) -> None:
        raise ConnectionError("nobody answers")

    keep, anchor.append = anchor.append, refuse
    with pytest.raises(AuditError, match=r"could not store the head .*: ConnectionError: nobody answers"):
        await world.audit.seal(TENANT)
    anchor.append = keep
    assert (entered(world), anchor.heads) == ([("one", 3)], heads)
    await world.audit.seal(TENANT)
    assert [head.count for head in anchor.heads] == [1]


async def test_where_the_anchor_cannot_be_read_nothing_is_entered(world: World) -> None:
    await world.run("one")
    world.anchor.away = True
    with pytest.raises(AuditError, match="the anchor could not be read"):
        await world.audit.seal(TENANT)
    assert entered(world) == []


async def test_nothing_is_entered_into_a_log_that_was_removed_cut_or_changed(world: World) -> None:
    await world.run("one")
    await world.audit.seal(TENANT)
    await world.run("two")
    await world.audit.seal(TENANT)
    await world.run("three")
    path = AuditLog(world.logs, TENANT).path
    lines = path.read_text().splitlines(keepends=True)
    for text in ("", lines[0], lines[1], lines[0].replace("100.0", "101.0")):
        path.write_text(text)
        with pytest.raises(AuditError, match="nothing was written"):
            await world.audit.seal(TENANT)
        assert path.read_text() == text


async def test_many_at_once_make_one_log(world: World) -> None:
    for number in range(20):
        await world.run(f"run-{number}")
    await asyncio.gather(*(world.audit.seal(TENANT, f"run-{number}") for number in range(20)))
    assert sorted(entered(world)) == sorted((f"run-{number}", 3) for number in range(20))
    assert (await world.audit.verify(TENANT)).is_intact


async def test_an_anchor_in_a_file_keeps_every_head_of_every_tenant(world: World, tmp_path: Path) -> None:
    await world.run("one")
    await world.run("theirs", tenant="other")
    audit = world.on_disk(tmp_path)
    heads = [await audit.seal(TENANT), await audit.seal("other")]
    assert await FileAnchor(tmp_path / "anchor").read() == heads
    assert (await audit.verify(TENANT)).is_intact


async def test_an_anchor_that_holds_something_else_says_so(tmp_path: Path) -> None:
    (tmp_path / "anchor").write_text(json.dumps({"tenant": "acme", "count": "many"}) + "\n")
    with pytest.raises(JournalFormatError, match="contains a line that is not the head"):
        await FileAnchor(tmp_path / "anchor").read()
