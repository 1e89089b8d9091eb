"""Items become text and come back."""

from __future__ import annotations

import json
import re
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from remit.chat.chat import decode_message
from remit.errors import JournalFormatError
from remit.journal.codec import ERASED_BODY, JOURNAL_FORMAT, check_format, decode_item, encode_item, tool_message_text
from remit.record.items import (
    ITEM_TYPES,
    ErasedItem,
    Handoff,
    Item,
    Message,
    ModelUsage,
    Note,
    RunSuspended,
    ToolOutput,
    output_content,
)
from remit.testing.store_suite.samples import header_item
from tests.journal.examples import some

PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
text = st.text(st.characters(categories=("L", "N", "P", "Z", "C", "S", "Cs")), max_size=8).filter(
    lambda said: not PAIR.search(said)
)
"""Any string that a JSON text can say: two halves of a pair, side by side, are one character there."""


FIELDS: dict[Any, st.SearchStrategy[Any]] = {str: text, float: st.floats(allow_nan=False, allow_infinity=False)}
"""What JSON can say of types that say more."""


def of_type(kind: Any) -> st.SearchStrategy[Any]:
    return FIELDS[kind] if kind in FIELDS else st.from_type(kind)


def items_of(kind: type[Item]) -> st.SearchStrategy[Item]:
    """Items of one class, from what its fields say."""
    hints = get_type_hints(kind)
    return st.builds(kind, **{name: of_type(hints[name]) for name in kind.__struct_fields__})


every_item = st.one_of(*(items_of(kind) for kind in ITEM_TYPES.values()))


@some
@given(every_item)
def test_an_item_comes_back_from_its_body_as_it_was(item: Item) -> None:
    again = decode_item(item.kind, item.call, encode_item(item))
    assert again == item
    assert type(again) is type(item)


def _may_be_left_out(item: Item) -> set[str]:
    """The fields that have their default, which may be left out."""
    return {
        each.name for each in structs.fields(item) if not each.required and getattr(item, each.name) == each.default
    }


@some
@given(every_item)
def test_a_body_is_ascii_on_one_line_and_says_neither_kind_nor_call(item: Item) -> None:
    body = encode_item(item)
    assert body.isascii()
    assert "\n" not in body
    fields = set(item.__struct_fields__) - {"call"}
    assert fields - _may_be_left_out(item) <= set(json.loads(body)) <= fields


@pytest.mark.parametrize(
    ("item", "field", "left_out"),
    [(header_item(), "schedule", True), (Handoff(call="c", source="a", target="b"), "reason", False)],
)
def test_an_item_leaves_out_the_same_fields_whichever_way_it_is_written(item: Item, field: str, left_out: bool) -> None:
    plain = json.loads(encode_item(item))
    assert (field not in plain) is left_out
    escaped = structs.replace(item, **{next(name for name in plain if isinstance(plain[name], str)): "\ud800"})
    assert json.loads(encode_item(escaped)).keys() == plain.keys()


@pytest.mark.parametrize("metadata", ["", "é", "\x7f"])
def test_a_header_keeps_that_its_run_may_do_nothing_in_whatever_letters_it_is_written(metadata: str) -> None:
    header = structs.replace(header_item(), permissions=(), tool_scope=(), metadata=metadata)
    assert decode_item(header.kind, header.call, encode_item(header)) == header


@pytest.mark.parametrize("character", ["é", "\u2028", "\ud800", "😀", *map(chr, range(128))])
def test_a_body_escapes_every_character_as_python_does(character: str) -> None:
    for call, data in (("c", f"a{character}b"), (f'","{character}', "{}")):
        body = encode_item(Note(call=call, name="log", data=data))
        assert body == json.dumps({"name": "log", "data": data}, separators=(",", ":"))


def test_a_body_holds_numbers_of_any_size() -> None:
    usage = ModelUsage(call="c", model="m", finish="", prompt_tokens=2**70, completion_tokens=1, response="")
    assert json.loads(encode_item(usage))["prompt_tokens"] == 2**70


def test_an_item_of_an_unknown_kind_asks_for_a_newer_version() -> None:
    with pytest.raises(JournalFormatError, match="'teleported', which this version does not know; use a newer Remit"):
        decode_item("teleported", "call", "{}")


@pytest.mark.parametrize(
    "body",
    [
        '{"name":"said","data":"","loud":true}',
        '{"name":"said"}',
        '{"name":"said","data":"","call":"other"}',
        "[]",
        "7",
    ],
    ids=["a field too many", "a field too few", "a second call", "a list", "a number"],
)
def test_a_body_with_other_fields_is_refused_by_name(body: str) -> None:
    with pytest.raises(JournalFormatError, match="item 'note' does not have the fields that this version expects"):
        decode_item("note", "call", body)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("started", '{"parent":"p","attempt":"x"}'),
        ("started", '{"parent":"p","attempt":"1"}'),
        ("started", '{"parent":"p","attempt":1.0}'),
        ("started", '{"parent":"p","attempt":true}'),
        ("started", '{"parent":null,"attempt":1}'),
        ("ended", '{"attempt":1,"outcome":7,"content":""}'),
        ("ended", '{"attempt":1,"outcome":"well","content":""}'),
        ("ended", '{"attempt":1,"outcome":"ok","content":"","void":0}'),
        ("note", '{"name":"said","data":{}}'),
        ("suspended", '{"questions":"ab"}'),
        ("suspended", '{"questions":[7]}'),
    ],
)
def test_a_value_of_another_type_is_refused(kind: str, body: str) -> None:
    with pytest.raises(JournalFormatError, match=f"item '{kind}' does not have the fields that this version expects: "):
        decode_item(kind, "call", body)


def test_a_format_that_is_a_text_is_refused() -> None:
    with pytest.raises(JournalFormatError, match=r"Expected `int`, got `str` - at `\$\.format`"):
        decode_item("opened", "run", encode_item(header_item()).replace('"format":1', '"format":"1"'))


def test_a_field_that_this_version_does_not_know_is_named() -> None:
    with pytest.raises(JournalFormatError, match="that this version expects: 'loud'"):
        decode_item("note", "call", '{"name":"said","data":"","loud":true}')


def test_an_empty_body_is_a_tombstone_of_any_kind() -> None:
    assert decode_item("note", "call", ERASED_BODY) == ErasedItem(call="call", was="note")
    assert decode_item("teleported", "call", ERASED_BODY) == ErasedItem(call="call", was="teleported")


def test_fields_that_have_defaults_may_be_missing() -> None:
    assert decode_item("message", "c", '{"agent":"a","text":"{}"}') == Message(call="c", agent="a", text="{}")


@pytest.mark.parametrize(
    ("kind", "body"),
    [("suspended", "{}"), ("suspended", "[]"), ("suspended", '{"questions":7}'), ("note", "{"), ("note", " ")],
)
def test_a_damaged_body_is_refused_as_one(kind: str, body: str) -> None:
    with pytest.raises(JournalFormatError):
        decode_item(kind, "call", body)


def test_the_questions_that_a_run_waits_for_come_back_as_they_were() -> None:
    assert decode_item("suspended", "run", '{"questions":["a","b"]}') == RunSuspended(call="run", questions=("a", "b"))


# --- tool messages ----------------------------------------------------------------------------------------------


@some
@given(text, text)
def test_the_text_of_a_tool_message_says_its_call_and_its_content(wire: str, content: str) -> None:
    said = tool_message_text(wire, content)
    assert decode_message(said) == {"role": "tool", "tool_call_id": wire, "content": content}
    assert said.encode()


@some
@given(text.filter(bool), text)
def test_the_content_of_an_end_is_the_same_whoever_called(wire: str, content: str) -> None:
    model = ToolOutput(call="c", parent="a", callee="t", wire=wire, text=tool_message_text(wire, content), outcome="ok")
    python = ToolOutput(call="c", parent="a", callee="t", wire="", text=content, outcome="ok")
    assert output_content(model) == output_content(python) == content


@pytest.mark.parametrize("version", [0, JOURNAL_FORMAT + 1])
def test_a_run_of_a_format_that_this_version_does_not_read_is_refused(version: int) -> None:
    with pytest.raises(JournalFormatError, match=f"run r has format {version}; this version reads {JOURNAL_FORMAT};"):
        check_format("r", version)
