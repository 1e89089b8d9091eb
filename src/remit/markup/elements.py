"""The open elements at a place in HTML, and those that a tag ends, by the rules of browsers.

Everything that depends on the end of an element uses these rules: hidden, struck-through and omitted text. The cost of
a tag does not depend on the number of open elements.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from remit.markup.numbering import Numbering

Effect = Literal["hidden", "struck", "verbatim", "quoted", "listed", "outside", "main"]
"""The effects of an element on its text."""
Look = Literal["color", "font-size", "visibility"]
"""The properties of a style that text inherits and that may hide it."""

BLOCKS: Final = frozenset(
    {"address", "article", "aside", "blockquote", "caption", "center", "dd", "details", "dialog", "dir", "div", "dl"}
    | {"dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header"}
    | {
        "hgroup",
        "hr",
        "legend",
        "li",
        "listing",
        "main",
        "menu",
        "nav",
        "ol",
        "optgroup",
        "option",
        "p",
        "plaintext",
        "pre",
    }
    | {"search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "xmp"}
)
LISTS: Final = frozenset({"dir", "menu", "ol", "ul"})
HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
TABLE_PARTS: Final = frozenset({"caption", "tbody", "td", "tfoot", "th", "thead", "tr"})
_NOT_ENDING_PARAGRAPHS: Final = TABLE_PARTS | {"button", "legend", "optgroup", "option", "table"}
_PASSED: Final = frozenset({"address", "div", "p"})
"""The only blocks that an item may close in order to end the previous item."""
_FORMATTING: Final = frozenset(
    {"a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"}
)
"""Elements that continue after the end of the block in which they begin."""
_MAX_GOING_ON: Final = 3
_CONTAINERS: Final = frozenset({"button", "object", "select", "template"})
"""Inline elements whose end also ends the blocks inside them."""
_SCOPES: Final = frozenset({"caption", "object", "select", "table", "td", "template", "th"})
"""Elements that only their own closing tag can end from inside."""
_ENDING_FORMATTING: Final = _SCOPES - {"select", "table"}
_CHOICES: Final = frozenset({"optgroup", "option"})
_ENDING_EACH_OTHER: Final = {
    **dict.fromkeys(HEADINGS, frozenset(HEADINGS)),
    "optgroup": _CHOICES,
    "option": frozenset({"option"}),
}
"""The parents that an opening tag ends instead of standing directly inside them."""
_IMPLIED: Final = frozenset({"dd", "dt", "li", "optgroup", "option", "p"})
"""Elements whose closing tag is optional."""
_MAX_IMPLIED: Final = 8

_GROUPS: Final = {
    "(special)": BLOCKS | _CONTAINERS,
    "(scope)": _SCOPES,
    "(paragraph)": _SCOPES | {"button"},
    "(list)": LISTS | _SCOPES,
    "(no item)": (BLOCKS | _CONTAINERS) - _PASSED - {"li"},
    "(no term)": (BLOCKS | _CONTAINERS) - _PASSED - {"dd", "dt"},
    "(no choice)": (BLOCKS | _CONTAINERS) - _CHOICES,
    "(heading)": frozenset(HEADINGS),
}
_PLACES_OF: Final = {
    name: (name, *(group for group, names in _GROUPS.items() if name in names)) for name in BLOCKS | _CONTAINERS
}
_CELLS: Final = (("td", "table"), ("th", "table"), ("caption", "table"))
_ROWS: Final = (*_CELLS, ("tr", "table"))
_SECTIONS: Final = (*_ROWS, ("tbody", "table"), ("thead", "table"), ("tfoot", "table"))
_SIBLINGS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "li": (("li", "(no item)"),),
    **dict.fromkeys(("dd", "dt"), (("dt", "(no term)"), ("dd", "(no term)"))),
    "button": (("button", "(scope)"),),
    **dict.fromkeys(("td", "th"), _CELLS),
    "tr": _ROWS,
    **dict.fromkeys(("tbody", "thead", "tfoot"), _SECTIONS),
}
_LIMITS: Final = {"li": "(list)", "optgroup": "(no choice)", "option": "(no choice)"}
_ENDED_BY: Final = {
    name: _SIBLINGS.get(name, ()) + (() if name in _NOT_ENDING_PARAGRAPHS else (("p", "(paragraph)"),))
    for name in BLOCKS | {"button"}
}
"""The elements that an opening tag ends if they began after the last limit: an item ends the one before it."""


@dataclass(slots=True, eq=False)
class Element:
    """An open element."""

    name: str
    effects: tuple[Effect, ...] = ()
    looks: Mapping[Look, bool] = field(default_factory=dict[Look, bool])
    """The looks that its text inherits from it, each with whether it hides the text."""
    href: str | None = None
    mark: tuple[int, int] | None = None
    """The position of the sign written before its text."""
    closing: str = ""
    """The sign to write after its text."""
    numbering: Numbering | None = None
    children: int = 0
    """The number of cells of a row, or parts of a formula, that have begun."""


class OpenElements:
    """The elements that are open, outermost first."""

    def __init__(self) -> None:
        self._open: list[Element] = []
        self._places: defaultdict[str, list[int]] = defaultdict(list)

    @property
    def innermost(self) -> Element | None:
        """The element in which the next text stands."""
        return self._open[-1] if self._open else None

    @property
    def list(self) -> Element | None:
        """The list of an item that begins here."""
        place = self._find("(list)")
        return None if place < 0 else self._open[place]

    def contains(self, *names: str) -> bool:
        """Whether one of the elements is open."""
        return any(self._places[name] for name in names)

    def begin(self, element: Element) -> None:
        """Open an element."""
        for name in _PLACES_OF.get(element.name, (element.name,)):
            self._places[name].append(len(self._open))
        self._open.append(element)

    def end_before(self, name: str) -> Sequence[Element]:
        """End the elements that an opening tag ends, and return them, innermost first."""
        alike = _ENDING_EACH_OTHER.get(name)
        if alike is not None and self.innermost is not None and self.innermost.name in alike:
            return self._end_from(len(self._open) - 1)
        begin, places = len(self._open), self._places
        for ended, limit in _ENDED_BY.get(name, ()):
            if (begun := places[ended]) and begun[-1] < begin and not (places[limit] and places[limit][-1] > begun[-1]):
                begin = begun[-1]
        return self._end_from(begin) if begin < len(self._open) else ()

    def end(self, name: str) -> Sequence[Element]:
        """End the elements that a closing tag ends, and return them, innermost first."""
        place = self._find("(heading)" if name in HEADINGS else name)
        if place < 0:
            return ()
        if name == "form" and not self._is_alone(place):
            return ()
        if name in BLOCKS or name in _CONTAINERS:
            return self._end_from(place) if place >= self._find_limit(name) else ()
        if name in _FORMATTING:
            return self._end_alone(place) if place > self._find("(scope)") else ()
        return self._end_from(place) if place > self._find("(special)") else ()

    def end_all(self) -> Sequence[Element]:
        """End all elements, and return them, innermost first."""
        return self._open[::-1]

    def _find(self, name: str) -> int:
        """The position of the last open element of a name or group; -1 if there is none."""
        places = self._places[name]
        return places[-1] if places else -1

    def _find_limit(self, name: str) -> int:
        """The position of the last element that limits a closing tag."""
        if name in ("table", "template"):
            return -1
        if name in TABLE_PARTS:
            return self._find("table")
        return self._find(_LIMITS.get(name, "(scope)"))

    def _is_alone(self, place: int) -> bool:
        """Whether all open elements inside an element may end without a tag."""
        inside = self._open[place + 1 : place + 2 + _MAX_IMPLIED]
        return len(inside) <= _MAX_IMPLIED and all(element.name in _IMPLIED for element in inside)

    def _end_from(self, place: int) -> list[Element]:
        """End all elements from a position on. Formatting with an effect continues after its block."""
        if place == len(self._open) - 1:
            self._leave(self._open[place])
            return [self._open.pop()]
        ended, going_on, is_inside = self._open[place:], list[Element](), False
        for element in ended:
            is_inside = is_inside or element.name in _ENDING_FORMATTING
            if not is_inside and element is not ended[0] and element.name in _FORMATTING:
                going_on += [element] if element.effects or element.looks or element.href is not None else []
        for element in reversed(ended):
            self._leave(element)
        del self._open[place:]
        going_on = going_on[-_MAX_GOING_ON:]
        for element in going_on:
            self.begin(element)
        return [element for element in reversed(ended) if element not in going_on]

    def _end_alone(self, place: int) -> list[Element]:
        """End an element, but none of the elements inside it."""
        element = self._open[place]
        self._leave(element)
        if place == len(self._open) - 1:
            self._open.pop()
        else:
            self._open[place] = Element("")
        return [element]

    def _leave(self, element: Element) -> None:
        """Forget the position of the last element of its name, unless that element was ended alone."""
        for name in _PLACES_OF.get(element.name, (element.name,)) if element.name else ():
            self._places[name].pop()
