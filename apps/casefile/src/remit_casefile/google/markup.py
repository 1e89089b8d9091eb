"""The readable text of HTML in mail, in time that grows with its length."""

from __future__ import annotations

import re
from html import unescape
from typing import Final

_HIDDEN: Final = r"<(?P<hidden>script|style|title)\b[^>]*+>.*?(?:</(?P=hidden)\s*+>|(?=<body\b)|\Z)"
_COMMENT: Final = r"<!--(?:-?>|.*?(?:--!?>|\Z))"
# A quoted value may contain the end of a tag. Possessive, so that broken tags are not tried again and again.
_TAG: Final = r"""</?(?P<tag>[a-z][^\s/<>]*+)(?P<attributes>(?:[^<>"']|"[^"]*+"|'[^']*+')*+)>"""
_TOKEN: Final = re.compile(rf"{_COMMENT}|{_HIDDEN}|{_TAG}|<[!/?a-z][^<>]*+>", re.DOTALL | re.IGNORECASE)
_ALT: Final = re.compile(r"""\balt\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]++))""", re.IGNORECASE)
_CELLS: Final = frozenset({"td", "th"})
_BLOCK: Final = re.compile(
    "address|article|aside|blockquote|body|br|center|d[dlt]|div|fieldset|figcaption|figure|footer|form|h[1-6r]|header"
    "|li|main|nav|[ou]l|option|p|pre|section|table|tr"
)


def strip_markup(html: str) -> str:
    """The text of HTML, with a line for each block, and the text that stands for an image."""
    chunks, end = list[str](), 0
    for token in _TOKEN.finditer(html):
        chunks += [unescape(html[end : token.start()]), _text_for(token)]
        end = token.end()
    chunks.append(unescape(html[end:]))
    lines = (" ".join(line.split()) for line in "".join(chunks).splitlines())
    return "\n".join(line for line in lines if line)


def _text_for(token: re.Match[str]) -> str:
    """What a reader sees of a tag."""
    tag = (token["tag"] or "").lower()
    if _BLOCK.fullmatch(tag):
        return "\n"
    if tag == "img" and (alt := _ALT.search(token["attributes"])) is not None:
        return f" {unescape(alt[1] or alt[2] or alt[3] or '')} "
    return " " if tag in _CELLS else ""
