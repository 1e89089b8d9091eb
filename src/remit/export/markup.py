"""Builds HTML from elements, so that all text is escaped, whatever its source."""

from __future__ import annotations

import html
from typing import Final

from remit.core.names import show_hidden
from remit.record.secret import redact_secrets

_VOID: Final = frozenset({"meta"})
_LAYOUT: Final = "\n\t\u00a0\u200c\u200d\u202f"


class Markup(str):
    """HTML that is written unchanged. All other text is escaped."""

    __slots__ = ()


def element(name: str, /, *children: str, **attributes: str) -> Markup:
    """An element. ``class_`` and ``data_kind`` are written as ``class`` and ``data-kind``; empty ones are omitted."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"' for key, value in attributes.items() if value
    )
    return Markup(f"<{name}{written}>" if name in _VOID else f"<{name}{written}>{join(*children)}</{name}>")


def join(*children: str) -> Markup:
    """Elements and texts one after another."""
    return Markup("".join(each if isinstance(each, Markup) else escape(each) for each in children))


def escape(text: str) -> str:
    """Text without markup. Characters that cannot be printed, and marks that reverse text, are shown by their code."""
    return html.escape(redact_secrets(show_hidden(text, _LAYOUT)))
