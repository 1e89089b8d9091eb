"""Finds addresses of pages and mail that stand in a text as they are, as the autolinks of GitHub's Markdown do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_LABEL: Final = r"[^\W_](?:[\w-]*[^\W_])?"
_HOST: Final = rf"{_LABEL}(?:\.{_LABEL})+"
_REST: Final = r"(?::\d{1,5})?(?:[/?#][^\s<>]*)?"
_WITH_SCHEME: Final = re.compile(rf"https?://{_HOST}{_REST}", re.IGNORECASE)
_WITHOUT: Final = re.compile(
    rf"(?<![\w.+@:/-])(?:(?P<web>www\.{_HOST}{_REST})|(?P<mail>\w[\w.+-]*@{_HOST})(?!\.?[\w@-]))", re.IGNORECASE
)
_ENDS_SENTENCE: Final = "?!.,:;*_~'\"…\u2019”»"
_BRACKETS: Final = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class BareAddress:
    """An address in a text, with the fields that the rules of markdown-it read."""

    text: str
    url: str
    schema: str
    index: int
    last_index: int


class BareAddresses:
    """The addresses that become links. It has the methods by which markdown-it asks for them."""

    def pretest(self, text: str) -> bool:
        """Whether it is worthwhile to look for an address."""
        return "@" in text or "www." in text.lower()

    def test(self, text: str) -> bool:
        """Whether there is an address without a scheme."""
        return _WITHOUT.search(text) is not None

    def match(self, text: str) -> list[BareAddress]:
        """The addresses without a scheme."""
        return [
            BareAddress(written, f"{before}{written}", schema, found.start(), found.start() + len(written))
            for found in _WITHOUT.finditer(text)
            for before, schema in [("http://", "") if found["web"] else ("mailto:", "mailto:")]
            for written in [_without_end_of_sentence(found[0])]
        ]

    def match_at_start(self, text: str) -> BareAddress | None:
        """The address with a scheme with which a text begins."""
        found = _WITH_SCHEME.match(text)
        if found is None:
            return None
        written = _without_end_of_sentence(found[0])
        return BareAddress(written, written, written.partition("//")[0].lower(), 0, len(written))


def _without_end_of_sentence(address: str) -> str:
    """An address without the punctuation that ends its sentence, and brackets around it."""
    while address[-1] in _ENDS_SENTENCE or (
        address[-1] in _BRACKETS and address.count(address[-1]) > address.count(_BRACKETS[address[-1]])
    ):
        address = address[:-1]
    return address
