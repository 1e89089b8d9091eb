"""Splits untrusted HTML into tags and text as browsers do, in linear time.

A page or a mail may be broken, truncated, or written to keep a parser busy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Final

_COMMENT: Final = r"<!--(?:-?>|.*?(?:--!?>|\Z))"
_NAME: Final = r"<(?P<close>/?+)(?P<tag>[a-z][^\s/>]*+)"
_QUOTED: Final = r"""=\s*+(?:"[^"]*+"|'[^']*+')"""
_FLAGS: Final = re.DOTALL | re.IGNORECASE
# Browsers read tags in this way: a quoted value follows an equals sign, and may contain the end of a tag.
_TOKEN: Final = re.compile(
    rf"{_COMMENT}|{_NAME}(?P<attributes>(?:[^>=]++|{_QUOTED}|=)*+)(?:>|\Z)|<[!/?][^>]*+(?:>|\Z)", _FLAGS
)
_TOKEN_WITHOUT_QUOTES: Final = re.compile(rf"{_COMMENT}|{_NAME}(?P<attributes>[^>]*+)>|<[!/?][^>]*+>", _FLAGS)
_ATTRIBUTE: Final = re.compile(r"""([^\s/>=]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]*+)))?+""")
_CONTENT: Final = {
    name: re.compile(rf"</{name}(?![^\s/>])[^>]*+(?:>|\Z)", re.IGNORECASE)
    for name in ("iframe", "noembed", "noframes", "script", "style", "textarea", "xmp")
} | {
    "plaintext": re.compile(r"(?!)"),
    "title": re.compile(r"</title(?![^\s/>])[^>]*+(?:>|\Z)|(?=<body\b)", re.IGNORECASE),
}
"""The elements whose content is not markup, with the pattern of their end."""
_WITH_REFERENCES: Final = frozenset({"textarea", "title"})
"""Those of them in which ``&amp;`` is a character."""
_VOID: Final = frozenset(
    {"area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "image", "img", "input", "keygen"}
    | {"link", "meta", "param", "source", "track", "wbr"}
)
FOREIGN: Final = ("math", "svg")
"""Formulas and drawings, in which a tag can close itself."""
_NUMBER: Final = re.compile(r"&#(?=[0-9])0*+([0-9]{0,8})[0-9]*+")
"""The number of a character, with a bounded length, because Python refuses to parse thousands of digits."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag of HTML, with its name in lower case.

    ``written``: its attributes as written. ``content``: the text up to its end if that is not markup, as in a script, a
    field or a title; without an end, all remaining text.
    """

    name: str
    is_closing: bool = False
    written: str = ""
    content: str = ""

    @property
    def is_void(self) -> bool:
        """Whether the element has no content and no closing tag, such as an image."""
        return self.name in _VOID

    @property
    def is_whole(self) -> bool:
        """Whether the element ends with its content, which is not markup."""
        return self.name in _CONTENT

    @property
    def is_closed(self) -> bool:
        """Whether the tag is self-closing, which has an effect only in drawings and formulas."""
        return self.written.endswith("/")

    def find_attributes(self) -> dict[str, str]:
        """The attributes, with names in lower case. If an attribute occurs twice, the first one counts."""
        found = dict[str, str]()
        for each in _ATTRIBUTE.finditer(self.written):
            found.setdefault(each[1].lower(), _unescape(each[2] or each[3] or each[4] or ""))
        return found


def split_markup(html: str) -> Iterator[str | Tag]:
    """The texts of HTML, with references such as ``&amp;`` replaced by their characters, and the tags between them.

    Comments and declarations are omitted. An unterminated tag is text.
    """
    end = 0
    for begin, after, tag in _find_markup(html):
        if end < begin:
            yield _unescape(html[end:begin])
        if tag is not None:
            yield tag
        end = after
    if end < len(html):
        yield _unescape(html[end:])


def _find_markup(html: str) -> Iterator[tuple[int, int, Tag | None]]:
    """The start and the end of each piece of markup, and its tag if it is a tag.

    After a tag with an unterminated quote, that tag and everything after it are read without quotes, so the end of the
    text is searched for only once.
    """
    pattern, position, last, foreign = _TOKEN, 0, len(html), 0
    while (token := pattern.search(html, position, last)) is not None:
        if pattern is _TOKEN and token.end() == len(html) and html[-1] != ">" and not token[0].startswith("<!--"):
            pattern, position, last = _TOKEN_WITHOUT_QUOTES, token.start(), html.rfind(">") + 1
            continue
        position, content = token.end(), ""
        if token["tag"] is None:
            yield token.start(), position, None
            continue
        name, is_closing, written = token["tag"].lower(), bool(token["close"]), token["attributes"]
        if name in FOREIGN and not written.endswith("/"):
            foreign = max(0, foreign - 1) if is_closing else foreign + 1
        elif name in _CONTENT and not is_closing and not (foreign and written.endswith("/")):
            ending = _CONTENT[name].search(html, position)
            content = html[position : len(html) if ending is None else ending.start()]
            content = _unescape(content) if name in _WITH_REFERENCES else content
            position = len(html) if ending is None else ending.end()
        yield token.start(), position, Tag(name, is_closing, written, content)


def _unescape(text: str) -> str:
    """The text with references replaced by their characters."""
    return unescape(_NUMBER.sub(lambda number: f"&#{number[1] or 0}", text))
