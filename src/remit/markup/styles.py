"""The effects of an element's attributes on its text: whether and how the text is shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from remit.markup.inherited import ZERO

_IGNORED: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.IGNORECASE | re.DOTALL)
_FAR: Final = re.compile(r"-\s*(?:\d{4,}|999)(?:\.\d*)?[a-z%]*")
_NO_CLIP: Final = re.compile(r"rect\((?:[\s,]*[01](?:px)?){4}\s*\)")
_MAX_VALUE: Final = 1000
"""The characters of a value that are looked at."""
_SHORT: Final = {"font": "font-size"}
"""Properties that set another one, among others."""
_SIZES: Final = ("height", "max-height", "width", "max-width")
_SIDES: Final = ("left", "top", "right", "bottom")
_NEVER_SHOWN: Final = frozenset(
    {
        "annotation",
        "annotation-xml",
        "audio",
        "canvas",
        "datalist",
        "iframe",
        "noembed",
        "noframes",
        "template",
        "video",
    }
)
"""Elements whose content browsers do not show: for scripts, other programs or older browsers."""


def read_style(attributes: Mapping[str, str]) -> dict[str, str]:
    """The properties of a style, in lower case. Of two values, the important one counts, or else the last one."""
    written = attributes.get("style", "")
    if not written:
        return {}
    found, important = dict[str, str](), set[str]()
    plain = _ESCAPED.sub(_unescape, _IGNORED.sub("", written)).lower()
    for declaration in plain.split(";"):
        name, _, value = declaration.partition(":")
        name, value, is_important = _SHORT.get(name.strip(), name.strip()), value.strip(), False
        if value.endswith("important"):
            value, _, _ = value.rpartition("!")
            is_important = True
            important.add(name)
        if is_important or name not in important:
            found[name] = value.strip()[:_MAX_VALUE]
    return found


def is_hidden(name: str, attributes: Mapping[str, str], style: Mapping[str, str]) -> bool:
    """Whether all that an element contains is invisible because of the element's kind or its own attributes."""
    if name in _NEVER_SHOWN or "hidden" in attributes:
        return True
    return len(style) > 0 and (_is_undisplayed(style) or _is_out_of_sight(style))


def is_struck(style: Mapping[str, str]) -> bool:
    """Whether the text of an element is struck through."""
    return "line-through" in style.get("text-decoration", "") or "line-through" in style.get("text-decoration-line", "")


def is_verbatim(style: Mapping[str, str]) -> bool:
    """Whether the spaces and line breaks of an element are shown as written."""
    return style.get("white-space", "").startswith(("pre", "break-spaces"))


def _is_undisplayed(style: Mapping[str, str]) -> bool:
    """Whether an element is not drawn at all."""
    return style.get("display") == "none" or ZERO.fullmatch(style.get("opacity", "")) is not None


def _is_out_of_sight(style: Mapping[str, str]) -> bool:
    """Whether an element is drawn out of sight: clipped to nothing, or far outside the page."""
    if _FAR.fullmatch(style.get("text-indent", "")):
        return True
    if style.get("position") in ("absolute", "fixed"):
        return _NO_CLIP.fullmatch(style.get("clip", "")) is not None or any(
            _FAR.fullmatch(style.get(side, "")) for side in _SIDES
        )
    is_padded = any(name.startswith("padding") and re.search("[1-9]", value) for name, value in style.items())
    is_cut = any(
        style.get(name, "").startswith(("hidden", "clip")) for name in ("overflow", "overflow-x", "overflow-y")
    )
    return is_cut and not is_padded and any(ZERO.fullmatch(style.get(size, "")) for size in _SIZES)


def _unescape(escape: re.Match[str]) -> str:
    """The character for an escape in a style."""
    number = int(escape[1], 16) if escape[1] else 0
    return escape[2] or (chr(number) if 0 < number < 0xD800 else "\ufffd")
