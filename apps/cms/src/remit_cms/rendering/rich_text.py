"""Markdown to HTML that is safe to show, whoever wrote it."""

from __future__ import annotations

from typing import Final

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False, "typographer": True}).enable(
    ["table", "strikethrough", "replacements", "smartquotes"]
)
_TAGS: Final = frozenset(
    [
        "a",
        "blockquote",
        "br",
        "code",
        "del",
        "em",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "s",
        "strong",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
_ATTRIBUTES: Final = {"a": {"href", "title"}, "ol": {"start"}, "th": {"align"}, "td": {"align"}}
_SCHEMES: Final = {"http", "https", "mailto", "tel"}


def rich_text(markdown: str) -> Markup:
    """The HTML of a Markdown text.

    HTML inside the text is shown as text, not obeyed. No images, since those would be fetched from anywhere. The
    largest heading is the second: the page has its first already.
    """
    tokens = _MARKDOWN.parse(markdown)
    for token in tokens:
        if token.tag == "h1":
            token.tag = "h2"
    html = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    clean = nh3.clean(
        html,
        tags=set(_TAGS),
        attributes=dict(_ATTRIBUTES),
        url_schemes=set(_SCHEMES),
        link_rel="noopener noreferrer",
    )
    return Markup(clean)  # noqa: S704  (nh3 made it safe a line above)
