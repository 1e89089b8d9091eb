"""Read untrusted HTML of mail and web pages: the text that a person sees of it, in linear time."""

from __future__ import annotations

from remit.markup.reading import HtmlText, read_html

__all__ = ["HtmlText", "read_html"]
