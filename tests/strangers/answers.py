"""Answers of the APIs of Anthropic and Google with values of other types than they state, as gateways send them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple


class StrangeAnswer(NamedTuple):
    """Parts of an answer, and what is read of it: a text, the calls as name and arguments, or nothing that is read."""

    parts: object
    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    is_read: bool = True


def _text(text: object) -> dict[str, object]:
    return {"type": "text", "text": text}


def _use(**fields: Any) -> dict[str, object]:
    return {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"what": "rye"}, **fields}


def _call(**fields: Any) -> dict[str, object]:
    return {"functionCall": {"name": "look", "args": {"what": "rye"}, **fields}}


_LOOK: Final = ("look", '{"what":"rye"}')

ANTHROPIC: Final[dict[str, StrangeAnswer]] = {
    "half a character": StrangeAnswer([_text("rye \udc4d bread")], "rye \ufffd bread"),
    "half a character in a value": StrangeAnswer(
        [_use(input={"what": "\ud83c"})], calls=(("look", r'{"what":"\ud83c"}'),)
    ),
    "half a character in an id": StrangeAnswer([_use(id="toolu_\ud83c")], calls=(_LOOK,)),
    "a text of null": StrangeAnswer([_text(None), _text("rye")], "rye"),
    "a text that is a number": StrangeAnswer([_text(12)], "12"),
    "a text that is a list": StrangeAnswer([_text(["rye"])], '["rye"]'),
    "a name of null": StrangeAnswer([_use(name=None)], calls=(("", _LOOK[1]),)),
    "a name that is a number": StrangeAnswer([_use(name=7)], calls=(("7", _LOOK[1]),)),
    "a call without an id": StrangeAnswer([_use(id=None)], calls=(_LOOK,)),
    "values as a list": StrangeAnswer([_use(input=["rye"])], calls=(("look", '["rye"]'),)),
    "thinking of null": StrangeAnswer([{"type": "thinking", "thinking": None, "signature": None}, _text("rye")], "rye"),
    "a block of an unknown type": StrangeAnswer([{"type": "hologram", "data": 1}, _text("rye")], "rye"),
    "a block that is a text": StrangeAnswer(["rye"], "rye"),
    "a block of null": StrangeAnswer([None, _text("rye")], "rye"),
    "a block of null and a call": StrangeAnswer([None, _use()], calls=(_LOOK,)),
    "blocks that are a text": StrangeAnswer("rye", "rye"),
    "blocks of null": StrangeAnswer(None),
    "blocks that are a number": StrangeAnswer(12, is_read=False),
}

GOOGLE: Final[dict[str, StrangeAnswer]] = {
    "half a character": StrangeAnswer([{"text": "\udc4d rye"}], "\ufffd rye"),
    "half a character in a value": StrangeAnswer(
        [_call(args={"what": "\ud83c"})], calls=(("look", r'{"what":"\ud83c"}'),)
    ),
    "a name of null": StrangeAnswer([_call(name=None)], is_read=False),
    "a part of null": StrangeAnswer([None, {"text": "rye"}], is_read=False),
    "a part that is a text": StrangeAnswer(["rye"], is_read=False),
}
