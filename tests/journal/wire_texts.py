"""Chat histories as the wire may carry them: every text is JSON, hardly any is the one that we would write.

All choices are made by the `random.Random` that is given, so that Hypothesis can make them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

JSONValue = Any


class Wired(NamedTuple):
    """A message, and one of the many texts that say it."""

    message: dict[str, JSONValue]
    text: str


_ODD = [
    "",
    " ",
    "\x00",
    "\x7f",
    "null",
    '{"a":1}',
    "[[",
    '"',
    "\\u00e9",
    "é",
    "e\u0301",
    "🎂",
    "\ud83d",
    "\udc00",
    "\u2028",
]
_LETTERS = "aZ0 \n\t\r\b\f/\\\"'{}:,éßЖ中🎂\u200d\ufeff\ud83d\ude00"
_WORDS = ["a", "cms_getPage", "call_1", "Ünïcode-name", "名", "x" * 64]
_SHORT = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Pen:
    """Writes JSON in some spelling: white space, escapes and the order of keys are left to chance."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._plain = chance.random() < 0.2

    def write(self, value: JSONValue) -> str:
        if isinstance(value, str):
            return f'"{"".join(self._character(each) for each in value)}"'
        if isinstance(value, Mapping):
            members = list(cast("Mapping[str, JSONValue]", value).items())
            if not self._plain:
                self._chance.shuffle(members)
            pairs = [f"{self.write(key)}{self._space()}:{self._space()}{self.write(part)}" for key, part in members]
            return self._spread("{", pairs, "}")
        if isinstance(value, list):
            return self._spread("[", [self.write(part) for part in cast("Sequence[JSONValue]", value)], "]")
        if value is None or isinstance(value, bool):
            return {None: "null", True: "true", False: "false"}[value]
        return repr(value)

    def _spread(self, opening: str, parts: Sequence[str], closing: str) -> str:
        spread = [f"{self._space()}{part}{self._space()}" for part in parts]
        return f"{opening}{','.join(spread) or self._space()}{closing}"

    def _space(self) -> str:
        return "" if self._plain else self._chance.choice(["", "", "", " ", "\n", "\t", "\r\n  "])

    def _character(self, character: str) -> str:
        must = character in '"\\' or character < " " or "\ud800" <= character <= "\udfff"
        if not must and (self._plain or self._chance.random() < 0.8):
            return character
        if character in _SHORT and (self._plain or self._chance.random() < 0.5):
            return _SHORT[character]
        units = character.encode("utf-16-be", "surrogatepass").hex()
        if not self._plain and self._chance.random() < 0.5:
            units = units.upper()
        return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


class Talk:
    """Makes messages of every form: ours, those that the official API knows besides, and keys that nobody knows."""

    def __init__(self, chance: random.Random, *, foreign: bool = True) -> None:
        self._chance = chance
        ours = [self._system, self._user, self._assistant, self._tool]
        self._forms: list[Callable[[], dict[str, JSONValue]]] = ours
        if foreign:
            self._forms = [*ours, *ours, self._developer, self._function, self._files, self._refusal]

    def history(self, most: int = 8) -> list[Wired]:
        return [self.message() for _ in range(self._chance.randint(0, most))]

    def message(self) -> Wired:
        message = self._chance.choice(self._forms)()
        if self._chance.random() < 0.3:
            message = {f"x_{self._text()}": self._value(2), **message}
        return Wired(message, Pen(self._chance).write(message))

    def _system(self) -> dict[str, JSONValue]:
        return {"role": "system", "content": self._said(), **self._maybe(name=self._word)}

    def _user(self) -> dict[str, JSONValue]:
        content = self._said() if self._chance.random() < 0.7 else self._several(self._image)
        return {"role": "user", "content": content, **self._maybe(name=self._word)}

    def _assistant(self) -> dict[str, JSONValue]:
        optional = self._maybe(
            name=self._word,
            refusal=lambda: self._chance.choice([None, ""]),
            tool_calls=lambda: self._several(self._call),
        )
        return {"role": "assistant", "content": self._chance.choice([None, self._said()]), **optional}

    def _tool(self) -> dict[str, JSONValue]:
        return {"role": "tool", "tool_call_id": self._text(), "content": self._said()}

    def _developer(self) -> dict[str, JSONValue]:
        return {"role": "developer", "content": self._said()}

    def _function(self) -> dict[str, JSONValue]:
        return {"role": "function", "name": self._word(), "content": self._chance.choice([None, self._text()])}

    def _files(self) -> dict[str, JSONValue]:
        audio = {"type": "input_audio", "input_audio": {"data": self._word(), "format": "wav"}}
        file = {"type": "file", "file": {"file_id": self._word(), "filename": self._text()}}
        return {"role": "user", "content": [self._chance.choice([audio, file]), self._image()]}

    def _refusal(self) -> dict[str, JSONValue]:
        return {"role": "assistant", "content": [{"type": "refusal", "refusal": self._text()}]}

    def _call(self) -> dict[str, JSONValue]:
        arguments = self._text() if self._chance.random() < 0.3 else Pen(self._chance).write(self._value(3))
        return {"id": self._text(), "type": "function", "function": {"name": self._word(), "arguments": arguments}}

    def _image(self) -> dict[str, JSONValue]:
        url = self._chance.choice(["https://example.org/a.png", "data:image/png;base64,iVBORw0KGgo="])
        return {"type": "image_url", "image_url": {"url": url, **self._maybe(detail=lambda: "low")}}

    def _said(self) -> JSONValue:
        if self._chance.random() < 0.7:
            return self._text()
        return self._several(lambda: {"type": "text", "text": self._text()})

    def _several(self, one: Callable[[], dict[str, JSONValue]]) -> list[dict[str, JSONValue]]:
        return [one() for _ in range(self._chance.randint(1, 3))]

    def _maybe(self, **fields: Callable[[], JSONValue]) -> dict[str, JSONValue]:
        return {name: make() for name, make in fields.items() if self._chance.random() < 0.4}

    def _text(self) -> str:
        if self._chance.random() < 0.5:
            return self._chance.choice(_ODD)
        return "".join(self._chance.choice(_LETTERS) for _ in range(self._chance.randint(0, 12)))

    def _word(self) -> str:
        return self._chance.choice(_WORDS)

    def _value(self, deep: int) -> JSONValue:
        kind = self._chance.randint(0, 7 if deep else 5)
        if kind == 7:
            return {self._text(): self._value(deep - 1) for _ in range(self._chance.randint(0, 3))}
        if kind == 6:
            return [self._value(deep - 1) for _ in range(self._chance.randint(0, 3))]
        return [None, True, -7, 2**70, 0.1, self._text()][kind]
