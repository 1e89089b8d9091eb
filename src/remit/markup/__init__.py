"""Reads the visible text of untrusted HTML from mail and web pages, in linear time."""

from __future__ import annotations

from remit.markup.reading import HtmlText, read_html

__all__ = ["HtmlText", "read_html"]
