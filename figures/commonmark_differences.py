"""Why rich text has another HTML for some examples of CommonMark, by their numbers in version 0.31.2."""

from __future__ import annotations

from typing import Final

_UNUSED: Final = "CommonMark drops a definition that no link uses; an author may have meant it as text, so it stays"
_EMPTY: Final = "a link without words, or a picture without them, is nothing to see or hear, so it is left out"
_SCHEMES: Final = "visitors open only pages, mail and telephone numbers, so other addresses are text"
_BARE: Final = "addresses of pages and mail are links without angle brackets too, as on GitHub"

_REASONS: Final = {
    _UNUSED: (204, 207, 208, 210, 317, 537, 538, 544, 545, 563, 565, 567, 571, 592),
    _EMPTY: (484, 487, 581),
    _SCHEMES: (596, 598, 599, 601),
    _BARE: (602, 608, 611, 612),
}

DIFFERENCES: Final = {number: reason for reason, numbers in _REASONS.items() for number in numbers}
"""The reason of each difference, by the number of the example."""
