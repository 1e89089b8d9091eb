"""Converts Markdown of any origin to safe HTML."""

from __future__ import annotations

from typing import Final

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False, "typographer": True}).enable(
    ["table", "strikethrough", "replacements", "smartquotes"]
)
_TAGS: Final = {
    *("a", "br", "code", "del", "em", "s", "strong"),
    *("blockquote", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "ul"),
    *("table", "tbody", "td", "th", "thead", "tr"),
}
_ATTRIBUTES: Final[dict[str, set[str]]] = {"a": {"href", "title"}, "ol": {"start"}, "th": {"align"}, "td": {"align"}}
_SCHEMES: Final = {"http", "https", "mailto", "tel"}


def render_rich_text(markdown: str) -> Markup:
    """The HTML of a Markdown text.

    HTML inside the text is escaped. Images are dropped, since a browser would load them from anywhere. Headings start
    at the second level, below the page's own.
    """
    tokens = _MARKDOWN.parse(markdown)
    for token in tokens:
        if token.tag == "h1":
            token.tag = "h2"
    html = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer",
    )
    return Markup(clean)  # noqa: S704  (nh3 made it safe a line above)
