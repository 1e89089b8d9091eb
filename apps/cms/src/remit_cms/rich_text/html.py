"""Converts Markdown of any origin to safe HTML."""

from __future__ import annotations

from typing import Final

import nh3
from markupsafe import Markup

from remit_cms.rich_text.markdown import parse_markdown, write_html

_TAGS: Final = {
    *("a", "br", "code", "del", "em", "s", "strong"),
    *("blockquote", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "ul"),
    *("table", "tbody", "td", "th", "thead", "tr"),
}
_ATTRIBUTES: Final[dict[str, set[str]]] = {"a": {"href", "title"}, "ol": {"start"}}
_CLASSES: Final = {"left", "center", "right", "short"}
_SCHEMES: Final = {"http", "https", "mailto", "tel"}


def render_rich_text(markdown: str, top: int = 2) -> Markup:
    """The HTML of a Markdown text. Visitors read the letters that its author wrote: none becomes another one.

    HTML inside the text is escaped. Pictures become their alternative text, since a browser would load them from
    anywhere. The highest headings are of level ``top``, below those around the text.
    """
    clean = nh3.clean(
        write_html(parse_markdown(markdown, top)),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        allowed_classes={"th": _CLASSES, "td": _CLASSES},
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer",
    )
    return Markup(clean)  # noqa: S704  (nh3 made it safe a line above)
