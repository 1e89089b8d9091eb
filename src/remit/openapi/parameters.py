"""Values in the path, the query, the headers and the cookies of a request, as their style says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, cast
from urllib.parse import quote

from msgspec import Struct

from remit.errors import ContractError, InvalidArgumentsError

_STYLES: Final[dict[str, tuple[str, ...]]] = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form",),
}
"""The styles of each place, its own default first."""

_SEPARATORS: Final = {"spaceDelimited": "%20", "pipeDelimited": "%7C"}
_RESERVED: Final = ":/?#[]@!$&'()*+,;="
_NOT_IN_A_PATH: Final = frozenset({"", ".", ".."})

Pair = tuple[str, str]


class Parameter(Struct, frozen=True, kw_only=True):
    """A parameter outside of the body.

    ``name`` is that of the argument and of the parameter. ``is_json``: its value is sent as JSON.
    """

    name: str
    place: str
    is_required: bool
    style: str
    is_exploded: bool
    is_json: bool = False
    keeps_reserved: bool = False

    @staticmethod
    def of(name: str, place: str, described: dict[str, Any], where: str) -> Parameter:
        """The parameter that a document describes.

        Raises:
            ContractError: it cannot be sent in this style.
        """
        if place not in _STYLES:
            raise ContractError(f"{where}: {name!r:.100} is in {place!r:.40}; parameters are in {', '.join(_STYLES)}")
        style = described.get("style", _STYLES[place][0])
        if style not in _STYLES[place]:
            raise ContractError(f"{where}: {name!r:.100} has the style {style!r:.40}, which a {place} does not have")
        return Parameter(
            name=name,
            place=place,
            is_required=place == "path" or described.get("required") is True,
            style=style,
            is_exploded=described.get("explode", style == "form") is True,
            is_json="schema" not in described and bool(described.get("content")),
            keeps_reserved=described.get("allowReserved") is True,
        )

    def write_path(self, value: object) -> str:
        """The part of a path.

        Raises:
            InvalidArgumentsError: the value would lead to another path.
        """
        if self.is_json:
            return quote(_json(value), safe="")
        written = self._join_flat(value)
        if written in _NOT_IN_A_PATH or value is None:
            raise InvalidArgumentsError(f"{self.name}: {value!r:.40} cannot be a part of the path")
        if self.style == "label":
            return "." + (self._explode(value, ".", "") if self.is_exploded else written)
        if self.style == "matrix":
            name = quote(self.name, safe="")
            return self._explode(value, ";", f"{name}=", lead=";") if self.is_exploded else f";{name}={written}"
        return self._explode(value, ",", "") if self.is_exploded else written

    def write_query(self, value: object) -> list[Pair]:
        """The pairs of a query, encoded."""
        name, safe = quote(self.name, safe="[]"), _RESERVED if self.keeps_reserved else ""
        if self.is_json or value is None:
            return [] if value is None else [(name, quote(_json(value), safe=safe))]
        if self.style == "deepObject":
            fields = cast("dict[str, object]", value) if isinstance(value, dict) else {"": value}
            return [(f"{name}[{quote(key, safe='')}]", quote(_text(each), safe=safe)) for key, each in fields.items()]
        if self.is_exploded and isinstance(value, list):
            return [(name, quote(_text(each), safe=safe)) for each in cast("list[object]", value)]
        if self.is_exploded and isinstance(value, dict):
            fields = cast("dict[str, object]", value)
            return [(quote(key, safe=""), quote(_text(each), safe=safe)) for key, each in fields.items()]
        return [(name, _SEPARATORS.get(self.style, ",").join(quote(each, safe=safe) for each in _flatten(value)))]

    def write_header(self, value: object) -> str:
        """The value of a header, or of a cookie."""
        if self.is_json:
            return _json(value)
        if self.is_exploded and isinstance(value, dict):
            return ",".join(f"{key}={_text(each)}" for key, each in cast("dict[str, object]", value).items())
        return ",".join(_flatten(value))

    def _join_flat(self, value: object) -> str:
        return ",".join(quote(each, safe="") for each in _flatten(value))

    def _explode(self, value: object, separator: str, prefix: str, lead: str = "") -> str:
        if isinstance(value, dict):
            fields = cast("dict[str, object]", value)
            parts = [f"{quote(key, safe='')}={quote(_text(each), safe='')}" for key, each in fields.items()]
        else:
            listed = cast("list[object]", value) if isinstance(value, list) else [value]
            parts = [prefix + quote(_text(each), safe="") for each in listed]
        return lead + separator.join(parts)


def write_form(fields: dict[str, Any]) -> bytes:
    """The body of a form: lists repeat their key, and objects are JSON."""
    pairs = list[str]()
    for key, value in fields.items():
        for each in cast("list[object]", value) if isinstance(value, list) else [cast("object", value)]:
            pairs.append(f"{quote(key, safe='')}={quote(_text(each), safe='')}")
    return "&".join(pairs).encode()


def _flatten(value: object) -> Sequence[str]:
    """The texts of a value that its style joins."""
    if isinstance(value, list):
        return [_text(each) for each in cast("list[object]", value)]
    if isinstance(value, dict):
        return [text for key, each in cast("dict[str, object]", value).items() for text in (key, _text(each))]
    return [_text(value)]


def _text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else _json(value)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
