"""The theme of a site: which colours and fonts there are, and the rules of CSS that set them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator

from remit_cms.settings.contrast import choose_ink

THEME_VARIABLES: Final = ("ink", "soft", "paper", "tint", "line", "accent", "on-accent", "text", "head")
"""The CSS variables of a theme, without their dashes: colours, and the fonts of texts and headings."""

_FONT_VARIABLES: Final = ("text", "head")
_MAX_LENGTH: Final = 300

_NUMBER: Final = r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)"
_PERCENT, _EITHER, _ANGLE = f"{_NUMBER}%", f"{_NUMBER}%?", f"{_NUMBER}(?:deg|turn|rad|grad)?"


def _with_commas(name: str, *parts: str) -> str:
    return rf"{name}a?\(\s*" + r"\s*,\s*".join(parts) + rf"(?:\s*,\s*{_EITHER})?\s*\)"


def _with_spaces(name: str, *parts: str) -> str:
    return rf"{name}\(\s*" + r"\s+".join(parts) + rf"(?:\s*/\s*{_EITHER})?\s*\)"


_COLOUR: Final = re.compile(
    "|".join(
        (
            "#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})",
            *(_with_commas("rgb", each, each, each) for each in (_NUMBER, _PERCENT)),
            _with_commas("hsl", _ANGLE, _PERCENT, _PERCENT),
            _with_spaces("rgba?", _EITHER, _EITHER, _EITHER),
            _with_spaces("hsla?", _ANGLE, _EITHER, _EITHER),
            _with_spaces("hwb", _ANGLE, _EITHER, _EITHER),
            *(_with_spaces(each, _EITHER, _EITHER, _ANGLE) for each in ("lch", "oklch")),
            *(_with_spaces(each, _EITHER, _EITHER, _EITHER) for each in ("lab", "oklab")),
        )
    ),
    re.IGNORECASE | re.ASCII,
)
_WORD: Final = r"-?[a-z][a-z0-9_-]*"
_FONT: Final = (
    rf"(?:\"[a-z0-9 '_-]+\"|'[a-z0-9 _-]+'|(?!(?:inherit|initial|unset|revert|default)\b){_WORD}(?: +{_WORD})*)"
)
_FONTS: Final = re.compile(rf"{_FONT}(?:\s*,\s*{_FONT})*", re.IGNORECASE | re.ASCII)


def _is_colour(value: str) -> bool:
    from PIL.ImageColor import colormap  # noqa: PLC0415 - slow to import, seldom needed

    return value.lower() in colormap or _COLOUR.fullmatch(value) is not None


def _fault(name: str, value: str) -> str | None:
    """What is wrong with the value of a theme variable; None if nothing is."""
    if name not in THEME_VARIABLES:
        return f"there is no theme variable '{name}'; there are {', '.join(THEME_VARIABLES)}"
    right = _FONTS.fullmatch(value) if name in _FONT_VARIABLES else _is_colour(value)
    if right and len(value) <= _MAX_LENGTH:
        return None
    what = 'names of fonts such as "Gill Sans", sans-serif' if name in _FONT_VARIABLES else "a colour such as #9a3f12"
    return f"theme variable '{name}' takes {what}, not {value[:80]!r}"


def _check_theme(theme: dict[str, str]) -> dict[str, str]:
    theme = {name: value.strip() for name, value in theme.items()}
    for name, value in theme.items():
        fault = _fault(name, value or ("serif" if name in _FONT_VARIABLES else "red"))
        if fault is not None:
            raise ValueError(fault)
    return theme


def _strip_dashes(theme: object) -> object:
    """The theme without the dashes of CSS in its names, which some callers write."""
    if not isinstance(theme, dict):
        return theme
    return {str(name).removeprefix("--"): value for name, value in theme.items()}  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType] - checked by its type


Theme = Annotated[dict[str, str], BeforeValidator(_strip_dashes), AfterValidator(_check_theme)]


def valid_theme(theme: Mapping[str, str]) -> dict[str, str]:
    """A theme without values that are wrong, which older settings may have."""
    return {name: value for name, value in theme.items() if _fault(name, value) is None}


def theme_css(theme: Mapping[str, str]) -> str:
    """The rules of CSS that set the variables of a theme; empty without one.

    Its colours are those of the light design; texts on the accent are black or white if those of the design could not
    be read there. The dark design has its own, or texts could not be read, and takes the accent of a theme as light as
    it needs it.
    """
    right = valid_theme(theme)
    ink = choose_ink(right["accent"]) if "accent" in right and "on-accent" not in right else None
    right |= {} if ink is None else {"on-accent": ink}
    fonts = "".join(f"--{name}:{right[name]};" for name in _FONT_VARIABLES if name in right)
    colours = "".join(f"--{name}:{value};" for name, value in right.items() if name not in _FONT_VARIABLES)
    rules = f":root{{{fonts}}}" if fonts else ""
    if colours:
        rules += f"@media (prefers-color-scheme:light){{:root{{{colours}}}}}"
    if "accent" in right:
        lighter = f"oklch(from {right['accent']} max(l,.75) c h)"
        supported = "@supports (color:oklch(from red l c h))"
        rules += f"@media (prefers-color-scheme:dark){{{supported}{{:root{{--accent:{lighter}}}}}}}"
    return rules
