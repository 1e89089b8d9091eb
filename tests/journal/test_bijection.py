"""Raw chat histories become items and come back to the byte, whatever the wire carried."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

from remit.chat.chat import ChatMessage, decode_message, encode_message
from remit.journal.codec import decode_item, encode_item, items_from_messages, messages_from_items
from remit.journal.ports import Store
from remit.record.items import Message, ToolOutput
from remit.testing.store_suite.samples import acquire_run, header_item
from tests.journal.examples import some
from tests.journal.wire_texts import Talk, Wired

OFFICIAL: TypeAdapter[Any] = TypeAdapter(ChatCompletionMessageParam)
OURS: TypeAdapter[Any] = TypeAdapter(ChatMessage)

few = settings(some, max_examples=20)
many = settings(some, max_examples=2_000)
seeded = st.randoms(use_true_random=True)
shrinking = st.randoms(use_true_random=False)
numbers = itertools.count()


def whole(value: Any) -> Any:
    """The value with every lone a lone surrogate, which pydantic takes for no string, replaced."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {whole(key): whole(part) for key, part in cast("Mapping[str, Any]", value).items()}
    return [whole(part) for part in cast("list[Any]", value)] if isinstance(value, list) else value


def exhausted(value: Any) -> Any:
    """The value with every list that pydantic checks lazily checked to its end."""
    if isinstance(value, Mapping):
        return {key: exhausted(part) for key, part in cast("Mapping[str, Any]", value).items()}
    return value if isinstance(value, (str, int, float, type(None))) else [exhausted(part) for part in value]


def comes_back(history: list[Wired]) -> None:
    texts = [text for _, text in history]
    items = items_from_messages(texts, "agent")
    assert messages_from_items(items) == texts
    again = [decode_item(item.kind, item.call, encode_item(item)) for item in items]
    assert again == items
    assert len({item.call for item in items}) == len(items)


@few
@given(shrinking)
def test_a_short_history_comes_back_to_the_byte(chance: random.Random) -> None:
    comes_back(Talk(chance).history(most=2))


@some
@given(seeded)
def test_a_history_comes_back_to_the_byte(chance: random.Random) -> None:
    comes_back(Talk(chance).history())


@pytest.mark.slow
@pytest.mark.untraced
@many
@given(seeded)
def test_two_thousand_histories_come_back_to_the_byte(chance: random.Random) -> None:
    comes_back(Talk(chance).history(most=5))


@some
@given(seeded)
async def test_a_history_comes_back_to_the_byte_from_every_store(store: Store, chance: random.Random) -> None:
    texts = [text for _, text in Talk(chance).history()]
    run = await acquire_run(store, f"run{next(numbers)}")
    await run.append(header_item(run.run), *items_from_messages(texts, "agent"))
    stored = [p.item for p in await store.read(run.run)]
    assert messages_from_items([item for item in stored if isinstance(item, (Message, ToolOutput))]) == texts


@some
@given(seeded)
def test_what_comes_back_is_what_the_official_types_call_a_message(chance: random.Random) -> None:
    for message, text in Talk(chance).history():
        assert whole(decode_message(text)) == whole(message)
        exhausted(OFFICIAL.validate_python(whole(message)))


@some
@given(seeded)
def test_messages_of_our_forms_are_allowed_by_our_types_and_by_the_official_ones(chance: random.Random) -> None:
    for message, _ in Talk(chance, foreign=False).history():
        OURS.validate_python(whole(message))
        exhausted(OFFICIAL.validate_python(whole(message)))


@some
@given(seeded)
def test_a_tool_message_is_the_end_of_a_call_and_every_other_a_message(chance: random.Random) -> None:
    message, text = Talk(chance).message()
    (item,) = items_from_messages([text], "agent")
    if message["role"] == "tool":
        assert isinstance(item, ToolOutput)
        assert (item.parent, item.wire, item.outcome) == ("agent", decode_message(text).get("tool_call_id"), "ok")
    else:
        assert isinstance(item, Message)
        assert (item.agent, item.request) == ("agent", "")


@pytest.mark.parametrize(
    "text",
    [
        '{"role":"user","content":"caf\\u00e9"}',
        '{"role":"user","content":"café"}',
        '{"content":"é","role":"user"}',
        ' {\n"role" :\t"user","content":"\\uD83C\\uDF82 \\ud83c \\/"}\r\n',
        '{"role":"user","content":"","content":"said twice"}',
        '{"role":"user","content":"x","n":1e2,"m":-0,"o":1.10,"p":18446744073709551617}',
        '{"role":"assistant","content":null,"tool_calls":null}',
        '{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"custom","custom":{"name":"x","input":""}}]}',
        '{"role":"tool","tool_call_id":"\\ud83d","content":"\\u0000"}',
    ],
)
def test_every_spelling_is_kept(text: str) -> None:
    (item,) = items_from_messages([text], "agent")
    assert item.text == text
    assert decode_item(item.kind, item.call, encode_item(item)) == item


def test_the_same_message_at_another_place_or_of_another_agent_is_another_item() -> None:
    user, reply = '{"role":"user","content":"x"}', '{"role":"tool","tool_call_id":"c","content":"x"}'
    items = [*items_from_messages([user, reply, user, reply], "one"), *items_from_messages([user, reply], "two")]
    assert len({item.call for item in items}) == 6


def test_no_history_is_no_items() -> None:
    assert items_from_messages([], "agent") == []
    assert messages_from_items([]) == []


@some
@given(seeded)
def test_what_we_write_reads_back_as_it_was_and_fits_into_utf8(chance: random.Random) -> None:
    message = whole(Talk(chance).message().message)
    assert decode_message(encode_message(message)) == message
    assert encode_message(message).encode()
