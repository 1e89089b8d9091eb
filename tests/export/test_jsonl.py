"""Exported items are read again as they were, and verify."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remit import Principal
from remit.errors import JournalFormatError
from remit.export.jsonl import read_jsonl, write_jsonl
from remit.items import Note
from remit.journal.codec import find_broken_link
from remit.testing import Scripted
from remit.testing.store_suite.samples import header_item, positions
from tests.runtime.kit import runtime_of


@settings(max_examples=60)
@given(st.text(), st.text())
def test_every_item_comes_back_from_its_line(name: str, data: str) -> None:
    written = positions("run", [Note(call="call", name=name, data=data), header_item()])
    text = write_jsonl(written)
    assert len(text.splitlines()) == 2
    assert read_jsonl(text) == written


async def test_an_export_holds_what_was_erased_as_erased_and_verifies() -> None:
    runtime = runtime_of(Scripted(["hello"]))
    run = (await runtime.run("go", by=Principal("ada"))).run
    await runtime.store.erase(run, [1, 2])
    client = runtime.client(Principal("ada"))
    text = await client.export_run(run)
    again = read_jsonl(text)
    assert again == await runtime.store.read(run)
    assert find_broken_link(again) is None
    forged = text.replace('"at":', '"at":1', 1).replace("hello", "hullo")
    assert find_broken_link(read_jsonl(forged)) is not None


@pytest.mark.parametrize("line", ["x", "[]", "1", "{}", '{"kind":"note"}', json.dumps({"kind": "note", "call": 1})])
def test_a_line_that_is_no_item_is_refused_with_its_number(line: str) -> None:
    with pytest.raises(JournalFormatError, match="line 2 is not an item of an export"):
        read_jsonl(f"\n{line}\n")
