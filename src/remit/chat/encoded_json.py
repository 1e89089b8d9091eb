"""JSON in UTF-8, for values whose texts were written by models, tools and other processes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec
from msgspec import Struct, structs

from remit.chat.wire import replace_surrogates

_encode = msgspec.json.Encoder().encode


def encode_json(value: object) -> bytes:
    """A value as JSON on one line, whatever texts it has: in UTF-8 there are no lone surrogates, so each is replaced.

    Models, tools and other processes may have written them into a journal, which keeps what it was given.
    """
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return _encode(_readable(value))


def _readable(value: Any) -> Any:
    """A copy of a value without lone surrogates."""
    match value:
        case str():
            return replace_surrogates(value)
        case Struct():
            fields = value.__struct_fields__
            return structs.replace(value, **{each: _readable(getattr(value, each)) for each in fields})
        case Mapping():
            pairs = cast("Mapping[Any, Any]", value).items()
            return {_readable(name): _readable(each) for name, each in pairs}
        case list() | tuple():
            return [_readable(each) for each in cast("list[Any]", value)]
        case _:
            return value
