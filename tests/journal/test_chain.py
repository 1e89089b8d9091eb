"""The chain over the items of a run breaks at any change, and holds where a body was erased."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.journal.codec import ERASED_BODY, body_digest, compute_chain_hash, encode_item, find_broken_link
from remit.journal.ports import Store
from remit.record.items import ITEM_TYPES, AttemptEnded, ErasedItem, Item, Note, Position
from remit.testing.store_suite.samples import header_item, note, positions
from tests.journal.examples import some

links = st.binary(min_size=32, max_size=32) | st.just(b"")
bodies = st.text(max_size=6).map(body_digest)
kinds = st.sampled_from(sorted(ITEM_TYPES))
linked = st.tuples(links, kinds, st.text(max_size=6), bodies)

Link = tuple[bytes, str, str, bytes]


@some
@given(linked, linked)
def test_two_links_are_equal_only_over_the_same_link_kind_call_and_body(one: Link, two: Link) -> None:
    assert (compute_chain_hash(*one) == compute_chain_hash(*two)) is (one == two)


@pytest.mark.parametrize(
    "changed",
    [
        (b"1" * 32, "note", "call", body_digest("{}")),
        (b"", "ended", "call", body_digest("{}")),
        (b"", "note", "cal", body_digest("{}")),
        (b"", "note", "call", body_digest("{ }")),
    ],
    ids=["link before", "kind", "call", "body"],
)
def test_a_link_changes_with_each_of_its_parts(changed: Link) -> None:
    assert compute_chain_hash(*changed) != compute_chain_hash(b"", "note", "call", body_digest("{}"))


@some
@given(kinds, kinds, st.text("|ab", max_size=3), st.text("|ab", max_size=3))
def test_a_separator_inside_a_call_confuses_nothing(kind: str, other: str, call: str, another: str) -> None:
    same = (kind, call) == (other, another)
    digest = body_digest("{}")
    assert (compute_chain_hash(b"", kind, call, digest) == compute_chain_hash(b"", other, another, digest)) is same


def run_of(count: int = 4) -> list[Position]:
    return positions("run", [header_item(), *(note(str(index)) for index in range(1, count))])


def changed(
    of: Position, *, item: Item | None = None, body: str | None = None, digest: bytes = b"", link: bytes = b""
) -> Position:
    """``of`` with something in it changed, as somebody with access to the database might."""
    item = item or of.item
    body = encode_item(item) if body is None else body
    return Position(of.run, of.epoch, of.seq, of.at, item, body, digest or of.digest, link or of.chain)


def erased(of: Position) -> Position:
    return changed(of, item=ErasedItem(call=of.item.call, was=of.item.kind), body=ERASED_BODY)


def test_a_run_as_it_was_written_is_whole() -> None:
    assert find_broken_link([]) is None
    assert find_broken_link(run_of()) is None


FORGED: dict[str, Callable[[Position], Position]] = {
    "item": lambda p: changed(p, item=note("forged")),
    "body": lambda p: changed(p, body=encode_item(note("forged"))),
    "body and digest": lambda p: changed(p, item=note("forged"), digest=body_digest(encode_item(note("forged")))),
    "call": lambda p: changed(p, item=Note(call="other", name="said", data="2")),
    "kind": lambda p: changed(p, item=AttemptEnded(call="call", attempt=1, outcome="ok", content=""), body=p.body),
    "link": lambda p: changed(p, link=b"0" * 32),
    "kind of an erased one": lambda p: changed(p, item=ErasedItem(call="call", was="ended"), body=ERASED_BODY),
    "digest of an erased one": lambda p: changed(erased(p), body=ERASED_BODY, digest=body_digest("other")),
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED.keys())
def test_a_changed_item_is_named_by_its_seq(forge: Callable[[Position], Position]) -> None:
    run = run_of()
    run[2] = forge(run[2])
    assert find_broken_link(run) == 2


def test_a_missing_item_is_noticed_at_the_one_after_it() -> None:
    run = run_of()
    del run[1]
    assert find_broken_link(run) == 2


def test_a_run_without_its_beginning_is_not_whole() -> None:
    assert find_broken_link(run_of()[1:]) == 1


def test_two_items_that_changed_places_are_noticed() -> None:
    run = run_of()
    run[1], run[2] = run[2], run[1]
    assert find_broken_link(run) == 2


@some
@given(st.lists(st.integers(0, 3), unique=True))
def test_the_chain_holds_whatever_was_erased(seqs: list[int]) -> None:
    run = run_of(4)
    for seq in seqs:
        run[seq] = erased(run[seq])
    assert find_broken_link(run) is None


async def test_a_stored_run_is_whole_before_and_after_an_erasure(store: Store) -> None:
    epoch = (await store.acquire("run", "driver", 10)).epoch
    await store.append("run", epoch, run_of(4))
    assert find_broken_link(await store.read("run")) is None
    await store.erase("run", [0, 2])
    assert find_broken_link(await store.read("run")) is None
