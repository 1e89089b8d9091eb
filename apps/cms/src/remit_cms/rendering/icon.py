"""The icon of a site in the tab of a browser: its initial on its accent, as part of the page."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Final
from urllib.parse import quote

from remit_cms.settings.theme import valid_theme

_ACCENT: Final = "#9a3f12"
"""That of the style sheet in the light design."""
_INK: Final = "#fffdf9"


def icon_address(name: str, theme: Mapping[str, str]) -> str:
    """The address of the icon, which holds its drawing and needs no request."""
    right = valid_theme(theme)
    accent, ink = (escape(right.get(key, default)) for key, default in (("accent", _ACCENT), ("on-accent", _INK)))
    initial = escape(next((each.upper() for each in name if each.isalnum()), ""))
    drawing = (
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>"
        f"<rect width='32' height='32' rx='7' fill='{accent}'/>"
        f"<text x='16' y='23' font-family='Georgia,serif' font-size='20' text-anchor='middle' fill='{ink}'>{initial}"
        "</text></svg>"
    )
    return f"data:image/svg+xml,{quote(drawing)}"
