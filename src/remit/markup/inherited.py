"""The looks that text inherits: the nearest element that sets one of them decides whether the text is seen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from remit.markup.elements import Element, Look

LOOKS: Final[tuple[Look, ...]] = ("color", "font-size", "visibility")
ZERO: Final = re.compile(r"[+-]?+(?=\.?[0-9])0*+(?:\.0*+)?+(?:[a-z]++|%)?+")
"""A length or a number that is zero."""
_SIZE: Final = re.compile(r"[+-]?+(?=\.?[0-9])[0-9]*+(?:\.[0-9]*+)?+([a-z]++|%)")
_SIZES: Final = re.compile(r"(?:xx?-)?small|medium|(?:x{1,3}-)?large|initial")
_RELATIVE: Final = frozenset({"%", "cap", "ch", "em", "ex", "ic", "lh"})
"""The units of sizes that are a part of the size around the element."""
_SAME: Final = frozenset({"", "currentcolor", "inherit", "unset"})
_HIDES: Final = {"collapse": True, "hidden": True, "initial": False, "visible": False}
_COLOUR_PARTS: Final = 4
_HEX_WITH_OPACITY: Final = re.compile(r"#(?:[0-9a-f]{3}0|[0-9a-f]{6}00)")
_OWN: Final = frozenset({"button", "image", "img", "input", "select", "textarea"})
"""Elements with a size and a colour of their own."""


def find_looks(name: str, attributes: Mapping[str, str], style: Mapping[str, str]) -> dict[Look, bool]:
    """The looks that an element sets, each with whether it hides the text."""
    is_link = name == "a" and "href" in attributes
    is_own, is_font = name in _OWN, name == "font"
    is_picture = name in ("image", "img")
    found: dict[Look, bool | None] = {
        "color": False if is_link or is_own or (is_font and "color" in attributes) else None,
        "font-size": False if is_own or (is_font and "size" in attributes) else None,
    }
    if "color" in style and not is_picture:
        found["color"] = _hides_by_colour(style["color"])
    if "font-size" in style and not is_picture:
        found["font-size"] = _hides_by_size(style["font-size"])
    if "visibility" in style:
        found["visibility"] = _HIDES.get(style["visibility"])
    return {look: hides for look, hides in found.items() if hides is not None}


class InheritedLooks:
    """The open elements that set a look, the nearest one last."""

    def __init__(self) -> None:
        self._setting: dict[Look, list[Element]] = {look: [] for look in LOOKS}
        self._ended = set[Element]()

    def begin(self, element: Element) -> None:
        """Note the looks that an element sets."""
        for look in element.looks:
            self._setting[look].append(element)

    def end(self, element: Element) -> None:
        """Forget the looks of an element, which need not be the last one that began."""
        if element.looks:
            self._ended.add(element)
        for look in element.looks:
            setting = self._setting[look]
            while setting and setting[-1] in self._ended:
                setting.pop()

    def hide(self, looks: Iterable[Look] = LOOKS) -> bool:
        """Whether one of the looks hides the text here."""
        return any(setting[-1].looks[look] for look in looks if (setting := self._setting[look]))


def _hides_by_colour(value: str) -> bool | None:
    """Whether a colour is fully transparent; None for the colour around the element."""
    if value in _SAME:
        return None
    if value == "transparent" or _HEX_WITH_OPACITY.fullmatch(value):
        return True
    parts = value.partition("(")[2].removesuffix(")").replace("/", ",").split(",")
    has_opacity = "/" in value or len(parts) == _COLOUR_PARTS
    return has_opacity and ZERO.fullmatch(parts[-1].strip()) is not None


def _hides_by_size(value: str) -> bool | None:
    """Whether the size in a ``font-size`` or a ``font`` is zero; None if it depends on the size around the element."""
    for word in value.split():
        size = word.partition("/")[0]
        if ZERO.fullmatch(size):
            return True
        if (number := _SIZE.fullmatch(size)) is not None:
            return None if number[1] in _RELATIVE else False
        if "(" in size or _SIZES.fullmatch(size):
            return False
    return None
