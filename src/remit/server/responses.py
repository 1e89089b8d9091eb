"""Responses with documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

import msgspec
from msgspec import Struct, structs
from starlette.responses import Response

from remit.chat.wire import replace_surrogates

JSON: Final = "application/json"
_encode = msgspec.json.Encoder().encode


def encode_json(value: object) -> bytes:
    """A value as JSON, whatever texts it has: in UTF-8 there are no lone surrogates, so each is replaced.

    Models, tools and other processes may have written them into a journal, which keeps what it was given.
    """
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return _encode(_readable(value))


def write_document(document: object, status: int = 200) -> Response:
    """A response with a document as JSON, which nothing may keep."""
    return Response(encode_json(document), status, media_type=JSON, headers={"cache-control": "no-store"})


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
