"""A sentence about a call, as a person reads it."""

from __future__ import annotations

from dataclasses import dataclass

from remit.core.call_checks import check_arguments
from remit.core.checks import as_tuple, check_flag, check_text


@check_arguments()
@dataclass(frozen=True, slots=True)
class Sentence:
    """What a call does, did or would do: ``Delete the page Old prices``.

    ``parts`` are its pieces in order. A piece that is True is a name or another value of the call, which a display may
    set in bold; the others are the words of the tool's author.
    """

    parts: tuple[tuple[str, bool], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", as_tuple("Sentence: parts", self.parts))
        for text, is_name in self.parts:
            check_text("Sentence: a part", text)
            check_flag("Sentence: a part", is_name)

    @property
    def text(self) -> str:
        """The sentence without marks."""
        return "".join(text for text, _ in self.parts)

    def __bool__(self) -> bool:
        return bool(self.parts)

    def __str__(self) -> str:
        return self.text


NO_SENTENCE = Sentence()
"""No sentence is on record."""
