"""In which direction a language is written."""

from __future__ import annotations

from typing import Final, Literal

_FROM_RIGHT: Final = frozenset(
    [
        "ar",
        "arc",
        "azb",
        "ckb",
        "dv",
        "fa",
        "glk",
        "he",
        "iw",
        "ks",
        "ku",
        "lrc",
        "mzn",
        "nqo",
        "pnb",
        "ps",
        "sd",
        "syr",
        "ug",
        "ur",
        "yi",
    ]
)
"""Languages that are written from right to left, if their code names no other script."""
_SCRIPTS_FROM_RIGHT: Final = frozenset(("Arab", "Hebr", "Nkoo", "Rohg", "Syrc", "Thaa"))
_SCRIPT_LETTERS: Final = 4


def direction_of(locale: str) -> Literal["ltr", "rtl"]:
    """The direction of a language, as the attribute ``dir`` names it."""
    language, *parts = locale.split("-")
    script = next((part.title() for part in parts if len(part) == _SCRIPT_LETTERS and part.isalpha()), None)
    from_right = language.lower() in _FROM_RIGHT if script is None else script in _SCRIPTS_FROM_RIGHT
    return "rtl" if from_right else "ltr"
