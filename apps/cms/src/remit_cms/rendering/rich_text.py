"""Converts Markdown of any origin to safe HTML."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import nh3
from markupsafe import Markup

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_TAGS: Final = {
    *("a", "br", "code", "del", "em", "s", "strong"),
    *("blockquote", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "ul"),
    *("table", "tbody", "td", "th", "thead", "tr"),
}
_ATTRIBUTES: Final[dict[str, set[str]]] = {"a": {"href", "title"}, "ol": {"start"}, "th": {"align"}, "td": {"align"}}
_SCHEMES: Final = {"http", "https", "mailto", "tel"}


def render_rich_text(markdown: str) -> Markup:
    """The HTML of a Markdown text. Visitors read the letters that its author wrote: none becomes another one.

    HTML inside the text is escaped. Images become their text, since a browser would load them from anywhere. Headings
    start at the second level, below the page's own.
    """
    parser = _markdown_parser()
    tokens = parser.parse(markdown)
    for token in tokens:
        if token.tag == "h1":
            token.tag = "h2"
        for part in token.children or ():
            if part.type == "image":
                part.type = "text"
    html = parser.renderer.render(tokens, parser.options, {})
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer",
    )
    return Markup(clean)  # noqa: S704  (nh3 made it safe a line above)


@cache
def _markdown_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 60 modules, needed by rendering alone

    options = {"html": False, "breaks": True}
    return MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
