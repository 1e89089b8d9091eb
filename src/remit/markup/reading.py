"""Reads the visible text of HTML in linear time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from remit.core.call_checks import check_call
from remit.core.checks import check_instance
from remit.markup.elements import BLOCKS, HEADINGS, LISTS, TABLE_PARTS, Effect, Element, OpenElements
from remit.markup.inherited import InheritedLooks, find_looks
from remit.markup.lines import Line, LineWriter
from remit.markup.numbering import number_list
from remit.markup.styles import is_hidden, is_struck, is_verbatim, read_style
from remit.markup.tags import FOREIGN, Tag, split_markup

_MAX_TARGET: Final = 2000
_PARAGRAPHS: Final = frozenset(
    {"blockquote", "figure", "hr", "listing", "p", "plaintext", "pre", "xmp"} | LISTS | HEADINGS.keys()
)
"""Blocks with an empty line before and after them."""
_LINES: Final = BLOCKS - {"td", "th"}
"""Blocks that begin and end a line."""
_ROOTS: Final = frozenset({"body", "html"})
_EFFECTS: Final[dict[str, Effect]] = {
    **dict.fromkeys(("del", "s", "strike"), "struck"),
    **dict.fromkeys(("listing", "plaintext", "pre", "textarea", "xmp"), "verbatim"),
    **dict.fromkeys(LISTS, "listed"),
    **dict.fromkeys(("aside", "footer", "nav"), "outside"),
    "blockquote": "quoted",
    "main": "main",
}
_ROLES: Final = {"complementary": "aside", "contentinfo": "footer", "main": "main", "navigation": "nav"}
_NO_ATTRIBUTES: Final[dict[str, str]] = {}
_WITHOUT_TEXT: Final = frozenset({"head", "script", "style"})
"""Elements that neither show nor hide anything: what a page writes into its head is seen in its body."""
_MARKS: Final = {"mfrac": ("(", ")"), "msqrt": ("√(", ")"), "q": ("“", "”"), "sub": ("_(", ")"), "sup": ("^(", ")")}
_OPERATORS: Final = {"mfrac": "/", "msub": "_", "msubsup": "_^", "msup": "^", "munder": "_", "mover": "^"}
_TOKENS: Final = frozenset({"mi", "mn", "mo", "ms", "mtext"})
_FIRST_LINE_END: Final = re.compile(r"\A(?:\r\n?|\n)")
_UNSHOWN_INPUTS: Final = frozenset({"checkbox", "color", "file", "hidden", "image", "password", "radio", "range"})


@dataclass(frozen=True, slots=True)
class HtmlText:
    """The visible text of HTML, and the amount of omitted text."""

    title: str
    text: str
    """A line for each block, with the signs of Markdown for headings, items, quotes, cells and struck text."""
    links: tuple[str, ...]
    """The links whose text differs from their address, each as ``the text <the address>``."""
    hidden: int
    """The number of characters hidden by the kind of their element, its ``hidden`` or its ``style``."""
    outside: int
    """The number of characters left out because they are outside the main part of a page."""


@check_call
def read_html(html: str, *, main_only: bool = False) -> HtmlText:
    """Read the visible text of HTML.

    Args:
        html: the text of a mail or a page, which may be broken.
        main_only: leave out all text outside ``main``, if there is one; otherwise navigation, and each ``aside`` and
            ``footer`` outside an article or section. All text is kept if nothing would remain.
    """
    check_instance("read_html: html", html, str, "give a string")
    reader = _Reader()
    for piece in split_markup(html):
        if isinstance(piece, Tag):
            reader.add_tag(piece)
        else:
            reader.add_text(piece)
    return reader.finish(main_only=main_only)


class _Reader:
    """Collects the text between tags, and the effects of the tags."""

    def __init__(self) -> None:
        self._active: dict[Effect, int] = dict.fromkeys(
            ("hidden", "struck", "verbatim", "quoted", "listed", "outside", "main"), 0
        )
        self._elements = OpenElements()
        self._looks = InheritedLooks()
        self._lines = LineWriter(self._active)
        self._title = ""
        self._hidden: list[str] = []
        self._links: dict[str, None] = {}
        self._link: Element | None = None
        self._link_texts: list[str] = []
        self._begins_verbatim = False

    def finish(self, *, main_only: bool) -> HtmlText:
        """Return the result."""
        self._end(self._elements.end_all())
        self._lines.break_line()
        lines = self._lines.lines
        chosen = _choose_main(lines) if main_only else lines
        text = "".join(f"{chr(10) * (line.gap + 1)}{line.text}" for line in chosen).lstrip("\n")
        outside = sum(len(line.text) for line in lines) - sum(len(line.text) for line in chosen)
        hidden = len(" ".join("".join(self._hidden).split()))
        return HtmlText(" ".join(self._title.split()), text, tuple(self._links), hidden, outside)

    def add_text(self, text: str) -> None:
        """Add text between tags."""
        text = text.replace("\0", "")
        if self._begins_verbatim:
            text = _FIRST_LINE_END.sub("", text)
            self._begins_verbatim = False
        if self._active["hidden"] or self._looks.hide():
            self._hidden.append(text)
            return
        if self._link is not None:
            self._link_texts.append(text)
        if self._active["verbatim"]:
            self._lines.add_verbatim(text)
        else:
            self._lines.add(text)

    def add_tag(self, tag: Tag) -> None:
        """Add the visible effect of a tag."""
        self._begins_verbatim = False
        if self._active["hidden"]:
            self._hidden.append(" ")
        if tag.is_closing and tag.name != "br":
            self._end(self._elements.end(tag.name))
            if tag.name == "p" and not self._active["hidden"]:
                self._lines.break_line(1)
        elif tag.name == "title":
            self._title = self._title or ("" if self._elements.contains("svg") else tag.content)
        elif tag.name not in _WITHOUT_TEXT:
            self._begin(tag)
            if tag.is_whole:
                self.add_text(tag.content)
                self._end(self._elements.end(tag.name))

    def _begin(self, tag: Tag) -> None:
        name = tag.name
        if (name in TABLE_PARTS and not self._elements.contains("table")) or (
            name == "form" and self._elements.contains("form")
        ):
            self._divide(name)
            return
        self._end(self._elements.end("a") if name == "a" else self._elements.end_before(name))
        attributes = style = _NO_ATTRIBUTES
        if tag.written:
            attributes = tag.find_attributes()
            style = read_style(attributes)
        hides = is_hidden(name, attributes, style)
        if tag.is_void:
            self._add_void(name, attributes, style, is_hidden=hides)
            return
        if tag.written and tag.is_closed and (name in FOREIGN or self._elements.contains(*FOREIGN)):
            return
        parent, element = self._elements.innermost, Element(name)
        if not self._active["hidden"]:
            if name in _LINES:
                self._lines.break_line(int(self._is_paragraph(name)))
            if not hides and (attributes or name in _EFFECTS):
                self._add_effects(element, attributes, style)
            if not hides:
                self._add_signs(element, parent, attributes)
        if hides:
            element.effects = ("hidden",)
        element.looks = find_looks(name, attributes, style)
        self._looks.begin(element)
        for effect in element.effects:
            self._active[effect] += 1
        if name not in _ROOTS:
            self._elements.begin(element)

    def _divide(self, name: str) -> None:
        """Divide text at a stray row or cell, or a form in a form. These create no element and hide nothing."""
        if self._active["hidden"]:
            return
        if name in ("td", "th"):
            self._lines.begin_cell(is_first=True)
        else:
            self._lines.break_line()

    def _add_effects(self, element: Element, attributes: Mapping[str, str], style: Mapping[str, str]) -> None:
        """Note the effects of an element on its text."""
        role = _ROLES.get(attributes["role"].strip().lower(), element.name) if "role" in attributes else element.name
        effect = _EFFECTS.get(role)
        if effect == "outside" and role != "nav" and self._is_within_article():
            effect = None
        if effect in ("outside", "main"):
            self._lines.break_line()
        self._begins_verbatim = effect == "verbatim"
        effects: list[Effect] = [] if effect is None else [effect]
        if effect != "struck" and is_struck(style):
            effects.append("struck")
        if effect != "verbatim" and is_verbatim(style):
            effects.append("verbatim")
        element.effects = tuple(effects)

    def _is_within_article(self) -> bool:
        """Whether asides and footers here belong to an article or to the main part instead of the page."""
        return self._active["main"] > 0 or self._elements.contains("article", "section")

    def _add_signs(self, element: Element, parent: Element | None, attributes: Mapping[str, str]) -> None:
        """Add the visible signs before the text of an element, or between the element and the previous one."""
        name, lines = element.name, self._lines
        if name == "a" and "href" in attributes:
            self._link, element.href = element, attributes["href"]
        elif name in LISTS:
            element.numbering = number_list(name, attributes)
        elif name == "li":
            numbering = None if self._elements.list is None else self._elements.list.numbering
            lines.add_marker("- " if numbering is None else f"{numbering.number(attributes)} ")
        elif name in HEADINGS:
            lines.add_marker(f"{'#' * HEADINGS[name]} ")
        elif name in ("td", "th"):
            lines.begin_cell(is_first=parent is None or parent.children == 0)
        if parent is not None:
            parent.children += 1
            operators = _OPERATORS.get(parent.name, "")
            if 1 < parent.children <= len(operators) + 1 and not self._looks.hide():
                lines.add(operators[parent.children - 2])
        opening, closing = _MARKS.get(name, ("", ""))
        if not opening and parent is not None and parent.name in _OPERATORS and name not in _TOKENS:
            opening, closing = "(", ")"
        if opening:
            element.mark, element.closing = lines.begin_mark(opening), closing

    def _add_void(self, name: str, attributes: Mapping[str, str], style: Mapping[str, str], *, is_hidden: bool) -> None:
        """Add the visible effect of an element without content."""
        if name in ("br", "hr"):
            if not is_hidden and not self._active["hidden"]:
                self._lines.break_line(int(name == "hr" or not self._lines.has_text))
            return
        shown = attributes.get("alt", "") if name in ("image", "img") else ""
        if name == "input" and attributes.get("type", "").strip().lower() not in _UNSHOWN_INPUTS:
            shown = attributes.get("value", "")
        element = Element(name, ("hidden",) if is_hidden else (), find_looks(name, attributes, style))
        self._active["hidden"] += is_hidden
        self._looks.begin(element)
        if shown:
            self.add_text(f" {shown} ")
        self._end([element])

    def _end(self, ended: Sequence[Element]) -> None:
        """Add the visible signs at the end of elements."""
        for element in ended:
            name, effects = element.name, element.effects
            if not self._active["hidden"]:
                if element.mark is not None:
                    self._lines.end_mark(element.mark, element.closing)
                if name in _LINES or "outside" in effects or "main" in effects:
                    self._lines.break_line(int(self._is_paragraph(name, effects.count("listed"))))
                if name == "li" or name in HEADINGS:
                    self._lines.marker = ""
            if element is self._link:
                self._end_link(element.href or "")
            for effect in effects:
                self._active[effect] -= 1
            self._looks.end(element)

    def _is_paragraph(self, name: str, lists: int = 0) -> bool:
        """Whether a block has an empty line before and after it. Only the outermost list has."""
        return name in _PARAGRAPHS and not (name in LISTS and self._active["listed"] > lists)

    def _end_link(self, href: str) -> None:
        """Keep the address of a link, unless the text already shows it."""
        target, text = " ".join(href.split()), " ".join("".join(self._link_texts).split())
        is_seen = bool(text) or not self._looks.hide(("color", "visibility"))
        if target and is_seen and not target.startswith("#") and target.removeprefix("mailto:") != text:
            self._links[f"{_cut(text)} <{_cut(target)}>".lstrip()] = None
        self._link = None
        self._link_texts.clear()


def _choose_main(lines: Sequence[Line]) -> Sequence[Line]:
    """The lines of the main part of a page."""
    main = [line for line in lines if line.place == "main"]
    return main or [line for line in lines if line.place is None] or lines


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_TARGET else f"{text[:_MAX_TARGET]}…"
