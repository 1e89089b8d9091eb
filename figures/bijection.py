"""Raw messages to items and back, to the byte, over many generated histories that the official types accept."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

from figures.figure import Figure, no_violations
from remit.journal.codec import decode_item, encode_item, items_from_messages, messages_from_items

ODD_STRINGS = [
    "",
    " ",
    "é",
    "\\u00e9",
    "\\ud83d\\ude00",
    "😀",
    "\\n",
    '\\"',
    "\\/",
    "0",
    "null",
    "a" * 300,
    "\\u0000",
    "{}",
    "]",
]


def figures(*, short: bool) -> Iterator[Figure]:
    """Histories that did not come back to the byte."""
    count = 1_000 if short else 10_000
    official: TypeAdapter[ChatCompletionMessageParam] = TypeAdapter(ChatCompletionMessageParam)
    wrong = 0
    for seed in range(count):
        texts = history(random.Random(seed))
        for text in texts:
            official.validate_json(text)
        items = items_from_messages(texts, "agent")
        stored = [decode_item(item.kind, item.call, encode_item(item)) for item in items]
        back = [text.encode() for text in messages_from_items([i for i in items if i in stored])]
        wrong += stored != items or back != [text.encode() for text in texts]
    how = "seeded histories of wire texts with odd strings, escapes, spacing, key orders, parts and several calls"
    yield no_violations("bijection.byte_mismatches", wrong, count, how)


def history(chance: random.Random) -> list[str]:
    """A valid history as wire texts, spelled in one of the many ways in which JSON can be spelled."""
    texts = [_object(chance, role="system", content=_content(chance))] if chance.random() < 0.5 else []
    for turn in range(chance.randrange(1, 5)):
        texts.append(_object(chance, role="user", content=_content(chance)))
        ids = [f"call_{turn}_{index}" for index in range(chance.choice([0, 0, 1, 2, 5]))]
        if not ids:
            texts.append(_object(chance, role="assistant", content=_content(chance)))
            continue
        wanted = ",".join(_call(chance, each) for each in ids)
        content = chance.choice(["null", '""', _content(chance)])
        texts.append(_object(chance, role="assistant", content=content, tool_calls=f"[{wanted}]"))
        texts += [_object(chance, role="tool", tool_call_id=f'"{each}"', content=_content(chance)) for each in ids]
    return texts


def _object(chance: random.Random, role: str, **fields: str) -> str:
    pairs = [("role", f'"{role}"'), *fields.items()]
    chance.shuffle(pairs)
    space = chance.choice(["", " ", "\t", "\n  "])
    return "{" + ",".join(f'{space}"{name}":{space}{value}' for name, value in pairs) + space + "}"


def _call(chance: random.Random, wire: str) -> str:
    arguments = json.dumps(_random_spelling(chance), ensure_ascii=chance.random() < 0.5)
    function = f'{{"name":"tool_{chance.randrange(3)}","arguments":{arguments}}}'
    return f'{{"id":"{wire}","type":"function","function":{function}}}'


def _content(chance: random.Random) -> str:
    if chance.random() < 0.2:
        return f'[{{"type":"text","text":"{_random_spelling(chance)}"}}]'
    return f'"{_random_spelling(chance)}"'


def _random_spelling(chance: random.Random) -> Any:
    return "".join(chance.choices(ODD_STRINGS, k=chance.randrange(4)))
