"""To verify finds what was changed since it was entered, and names run and item."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from remit.audit.log import AuditLog
from remit.errors import BrokenJournalError, JournalFormatError
from remit.journal.codec import ERASED_BODY, body_digest, compute_chain_hash, encode_item
from remit.journal.ports import RunRow
from remit.record.items import Note, Position
from tests.audit.kit import TENANT, World


async def sealed(world: World) -> list[Position]:
    """Two runs that are entered; the items of the first, to be changed in place."""
    await world.run("one")
    await world.run("two")
    await world.audit.seal(TENANT)
    return world.store._runs["one"].items  # pyright: ignore[reportPrivateUsage] - as somebody who can write the journal


def changed(position: Position, **fields: Any) -> Position:
    names = ("run", "epoch", "seq", "at", "item", "body", "digest", "chain")
    return Position(**{**{name: getattr(position, name) for name in names}, **fields})


def forged(items: list[Position]) -> list[Position]:
    """The items with digests and chain that fit."""
    before, made = b"", list[Position]()
    for seq, position in enumerate(items):
        body = encode_item(position.item)
        before = compute_chain_hash(before, position.item.kind, position.item.call, body_digest(body))
        made.append(changed(position, seq=seq, body=body, digest=body_digest(body), chain=before))
    return made


async def found(world: World) -> list[tuple[str, int | None]]:
    report = await world.audit.verify(TENANT)
    return [(fault.run, fault.seq) for fault in report.faults]


async def test_what_was_not_touched_is_intact_and_counted(world: World) -> None:
    await sealed(world)
    report = await world.audit.verify(TENANT)
    assert (report.is_intact, report.runs, report.items, report.entries, report.anchored) == (True, 2, 8, 2, 2)


async def test_an_edited_body_is_found(world: World) -> None:
    items = await sealed(world)
    items[1] = changed(items[1], body="{}")
    assert await found(world) == [("one", 1)]


async def test_a_body_that_was_forged_with_its_chain_is_found(world: World) -> None:
    items = await sealed(world)
    items[:] = forged([items[0], changed(items[1], item=Note(call="one", name="log", data="x")), *items[2:]])
    assert await found(world) == [("one", 0)]


async def test_it_is_said_from_which_item_on_a_forged_run_differs(world: World) -> None:
    await world.begin("one")
    await world.audit.seal(TENANT)
    await world.note("one", "more")
    await world.audit.seal(TENANT)
    items = world.store._runs["one"].items  # pyright: ignore[reportPrivateUsage]
    items[:] = forged([*items[:3], changed(items[3], item=Note(call="one", name="log", data="less"))])
    assert await found(world) == [("one", 3)]


async def test_a_time_that_was_changed_is_found(world: World) -> None:
    items = await sealed(world)
    items[2] = changed(items[2], at=1.0)
    assert await found(world) == [("one", 0)]


async def test_a_tail_that_was_cut_is_found(world: World) -> None:
    items = await sealed(world)
    del items[2:]
    assert await found(world) == [("one", 2)]


async def test_a_deleted_item_is_found(world: World) -> None:
    items = await sealed(world)
    del items[1]
    assert await found(world) == [("one", 2)]


async def test_a_removed_run_is_found(world: World) -> None:
    await sealed(world)
    del world.store._runs["one"]  # pyright: ignore[reportPrivateUsage]
    assert await found(world) == [("one", 0)]


async def test_a_run_that_is_gone_from_the_index_is_found(world: World) -> None:
    await sealed(world)
    world.store._runs["one"].row = None  # pyright: ignore[reportPrivateUsage]
    assert await found(world) == [("one", 0)]


async def test_a_line_of_the_index_that_says_something_else_is_found(world: World) -> None:
    await sealed(world)
    one, two = (world.store._runs[run] for run in ("one", "two"))  # pyright: ignore[reportPrivateUsage]
    one.row, two.row = two.row, one.row
    assert sorted(await found(world)) == [("one", 0), ("two", 0)]


async def test_what_is_of_no_known_form_is_found(world: World) -> None:
    items = await sealed(world)
    items[1] = changed(items[1], digest="text")
    assert await found(world) == [("one", 1)]


async def test_an_erased_body_is_no_fault_and_is_counted(world: World) -> None:
    items = await sealed(world)
    await world.store.erase("one", [0, 2])
    assert items[2].body == ERASED_BODY
    report = await world.audit.verify(TENANT)
    assert (report.is_intact, report.erased) == (True, 2)


async def test_a_log_that_was_changed_is_found_and_so_are_runs_by_what_is_left_of_it(world: World) -> None:
    await sealed(world)
    path = AuditLog(world.logs, TENANT).path
    path.write_text(path.read_text().replace('"number":1', '"number":2'))
    del world.store._runs["one"], world.store._runs["two"]  # pyright: ignore[reportPrivateUsage]
    report = await world.audit.verify(TENANT)
    assert [fault.what for fault in report.faults][:1] == ["entry 1 of the log does not follow from those before it"]
    assert len(report.faults) == 2


async def test_a_log_that_was_forged_is_found(world: World) -> None:
    items = await sealed(world)
    items[1] = changed(items[1], at=99.0)
    AuditLog(world.logs, TENANT).path.unlink()
    heads, world.anchor.heads = world.anchor.heads, []
    await world.audit.seal(TENANT)
    world.anchor.heads = heads
    report = await world.audit.verify(TENANT)
    assert [fault.what for fault in report.faults] == ["the log up to entry 1 is not the one that was anchored"]


async def test_a_line_that_is_no_entry_is_found_though_its_link_fits(world: World) -> None:
    await sealed(world)
    log = AuditLog(world.logs, TENANT)
    theirs = AuditLog(world.logs, "other")
    for tenant in ("other", TENANT):
        await world.run(f"of {tenant}", tenant=tenant)
    await world.audit.seal("other")
    log.path.write_text(theirs.path.read_text())
    assert (await found(world))[0] == ("", None)


@pytest.mark.parametrize("lines", [0, 1])
async def test_a_log_that_was_cut_or_removed_is_found(world: World, lines: int) -> None:
    await sealed(world)
    path = AuditLog(world.logs, TENANT).path
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:lines]))
    report = await world.audit.verify(TENANT)
    assert [fault.what for fault in report.faults] == [
        f"the log ends after {lines} entries, but 2 were anchored: its tail was cut, or it was removed"
    ]


async def test_a_log_of_which_the_anchor_knows_nothing_is_not_taken_for_whole(world: World) -> None:
    await sealed(world)
    world.anchor.heads.clear()
    assert await found(world) == [("", None)]


async def test_runs_that_were_never_entered_are_no_fault_and_the_lag_tells_of_them(world: World) -> None:
    await world.run("one")
    world.now = 130.0
    report = await world.audit.verify(TENANT)
    assert (report.is_intact, report.entries, report.lag) == (True, 0, 30.0)


async def test_the_lag_is_the_age_of_the_oldest_item_that_the_anchor_does_not_cover(world: World) -> None:
    await sealed(world)
    world.now = 150.0
    assert (await world.audit.verify(TENANT)).lag == 0.0
    await world.run("three")
    world.now = 160.0
    await world.run("four")
    world.now = 175.0
    assert (await world.audit.verify(TENANT)).lag == 25.0


async def test_what_is_entered_and_not_anchored_counts_as_lag(world: World) -> None:
    await sealed(world)
    await world.run("three")
    log = AuditLog(world.logs, TENANT)
    heads = list(world.anchor.heads)
    await world.audit.seal(TENANT)
    world.anchor.heads = heads
    world.now = 110.0
    report = await world.audit.verify(TENANT)
    assert (len(log.read().entries), report.anchored, report.lag) == (3, 2, 10.0)


async def test_a_line_that_says_no_entry_is_found_though_its_link_fits(world: World) -> None:
    await sealed(world)
    log = AuditLog(world.logs, TENANT)
    kept = log.read()
    body = '{"tenant":"acme","number":2,"at":"noon","run":"one","last":3,"head":""}'
    link = sha256(f"{kept.links[-1]}{body}".encode()).hexdigest()
    with log.path.open("a") as file:
        file.write(f'{body[:-1]},"link":"{link}"}}\n')
    assert log.read().broken_line is not None
    assert await found(world) == [("", None)]


async def test_what_an_anchor_of_ours_says_against_it_is_passed_on_as_it_is(world: World, tmp_path: Path) -> None:
    (tmp_path / "anchor").write_text("{}\n")
    with pytest.raises(JournalFormatError, match="contains a line that is not the head"):
        await world.on_disk(tmp_path).verify(TENANT)


async def test_a_row_that_the_store_refuses_is_a_fault_and_hides_no_other(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sealed(world)
    find_run = world.store.find_run

    async def refuse(run: str) -> RunRow | None:
        if run == "one":
            raise BrokenJournalError("the row of run one was changed")
        return await find_run(run)

    monkeypatch.setattr(world.store, "find_run", refuse)
    report = await world.audit.verify(TENANT)
    assert [(fault.run, fault.what) for fault in report.faults] == [("one", "the row of run one was changed")]
    assert report.runs == 2
