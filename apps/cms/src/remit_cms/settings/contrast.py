"""Contrast of the colours of a theme, by the measure of WCAG 2: 1 is none, 21 that of black on white."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

LEAST: Final = 4.5
"""The contrast that texts need (WCAG 2, level AA)."""

_DEFAULTS: Final = {"ink": "#1d1b18", "paper": "#fffdf9", "accent": "#9a3f12", "on-accent": "#fffdf9"}
"""The colours of the light design, which stand in for those that a theme leaves out."""
_PAIRS: Final = (("ink", "paper"), ("accent", "paper"), ("on-accent", "accent"))
"""Texts and what they stand on: paragraphs, links and buttons."""


def choose_ink(accent: str) -> str | None:
    """The ink for texts on an accent; None if that of the design can be read, or if the colour cannot be measured."""
    usual = measure_contrast(_DEFAULTS["on-accent"], accent)
    if usual is None or usual >= LEAST:
        return None
    return max(("#000000", "#ffffff"), key=lambda ink: measure_contrast(ink, accent) or 0.0)


def describe_unreadable(theme: Mapping[str, str]) -> list[str]:
    """A remark on the texts that can hardly be read with a theme; none if all can."""
    colours = {**_DEFAULTS, **theme}
    if "on-accent" not in theme:
        colours["on-accent"] = choose_ink(colours["accent"]) or colours["on-accent"]
    found = [
        f"{text} on {ground} ({contrast:.1f})"
        for text, ground in _PAIRS
        if (contrast := measure_contrast(colours[text], colours[ground])) is not None and contrast < LEAST
    ]
    return [f"Hard to read: {', '.join(found)}; texts need a contrast of {LEAST}"] if found else []


def measure_contrast(first: str, second: str) -> float | None:
    """The contrast of two colours; None if one is written in a way that this does not read, such as oklch()."""
    lights = [_luminance(colour) for colour in (first, second)]
    if None in lights:
        return None
    darker, lighter = sorted(each for each in lights if each is not None)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float | None:
    from PIL.ImageColor import getrgb  # noqa: PLC0415 - slow to import, seldom needed

    try:
        red, green, blue = getrgb(colour)[:3]
    except ValueError:
        return None
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (channel / 255 for channel in (red, green, blue))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
