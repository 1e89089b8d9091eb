"""What a tool's calls say to people: sentences with the names of arguments and of fields of the result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NamedTuple, cast, get_args

from remit.core.argument_types import Name
from remit.core.call_checks import check_arguments, check_types
from remit.core.checks import as_tuple, check_name
from remit.errors import ContractError
from remit.schemas.verbs import find_verb, find_verb_of_name, guess_forms, split_name
from remit.shown import show_value

Tense = Literal["asked", "running", "done", "refused"]
"""The forms of a sentence that a tool can declare."""


class Value(NamedTuple):
    """A place of a sentence that takes a value: the path of an argument, or of a field of the result."""

    path: tuple[str, ...]


class Optional(NamedTuple):
    """A part of a sentence that is left out if one of its values is missing."""

    parts: tuple[str | Value, ...]


Template = tuple[str | Value | Optional, ...]


@check_arguments(ContractError)
@dataclass(frozen=True, slots=True)
class Sentences:
    """What a call says to people: before, while and after it is made.

    ``{name}`` stands for an argument or for a field of the result, ``{name.field}`` for a part of it, and a part in
    brackets is left out if a value in it is missing: ``Move the page {page}[ below {parent}]``. Write ``{{`` and ``[[``
    for the characters themselves.

    Args:
        asked: what the call would do, as a command. The other forms follow from it: of a verb that Remit knows, or of
            the three that you write as ``Freeze|Freezing|Froze the account {account}``.
        running: what it does while it runs. Derived if empty.
        done: what it has done. Derived if empty.
        refused: what it was not allowed to do. Derived if empty: ``Did not freeze the account``.

    Raises:
        ContractError: a sentence is not well-formed.
    """

    asked: str
    running: str = ""
    done: str = ""
    refused: str = ""

    def __post_init__(self) -> None:
        for tense in get_args(Tense):
            text = getattr(self, tense)
            if text != text.strip() or text.endswith((".", "?", "!")) or "\n" in text:
                raise ContractError(f"says {show_value(text)}: write one line without a mark at its end")
        if not self.asked:
            raise ContractError("Sentences: asked is empty; write what a call does, like 'Delete the page {page}'")
        for tense in get_args(Tense):
            parse_template(self.form(tense))

    @check_types
    def form(self, tense: Tense) -> str:
        """The text of a form, with the places of its values.

        Raises:
            ContractError: the form does not follow from the others.
        """
        written: str = getattr(self, tense)
        if tense == "asked" or not written:
            written = self._derive(tense)
        return written

    @check_types
    def parts(self, tense: Tense) -> Template:
        """A form as its parts."""
        return parse_template(self.form(tense))

    def _derive(self, tense: Tense) -> str:
        if tense == "refused":
            return f"Did not {decapitalize(self.form('asked'))}"
        at = ("asked", "running", "done").index(tense)
        if _TENSES.search(self.asked):
            return _TENSES.sub(lambda found: found[at + 1], self.asked)
        if at == 0:
            return self.asked
        verb = self.asked.partition(" ")[0]
        known = find_verb(verb)
        if known is None:
            forms = "|".join(guess_forms(verb).capitalize())
            raise ContractError(
                f"says {show_value(self.asked)}: Remit does not know the forms of {verb!r}; write all three, such as "
                f"{forms + self.asked[len(verb) :]!r}"
            )
        return known.capitalize()[at] + self.asked[len(verb) :]


Constant = str | int | float | bool | None
"""An argument of a call that undoes another."""


@check_arguments(ContractError)
@dataclass(frozen=True, slots=True)
class Undo:
    """The call that undoes a call: the name of a tool, and its arguments.

    An argument ``"{name}"`` is the value of that argument of the call to be undone, or of that field of its result.
    Other arguments are constants: ``Undo("publish_page", {"page": "{page}"})``.

    Raises:
        ContractError: it is not well-formed.
    """

    tool: Name
    arguments: Mapping[str, Constant] | tuple[tuple[str, Constant], ...] = ()

    def __post_init__(self) -> None:
        given = self.arguments
        pairs = as_tuple("Undo: arguments", given.items() if isinstance(given, Mapping) else given, ContractError)
        for name, value in pairs:
            check_name("Undo: an argument", name, ContractError)
            if not isinstance(value, Constant):
                raise ContractError(
                    f"Undo({self.tool!r}): {name} is {show_value(value):.80}; give '{{name}}', a text or a number"
                )
        object.__setattr__(self, "arguments", pairs)

    def values(self) -> Iterator[tuple[str, Value | None, Constant]]:
        """Each argument: its name, the place of its value or None, and the constant."""
        for name, given in cast("tuple[tuple[str, Constant], ...]", self.arguments):
            found = _WHOLE.fullmatch(given) if isinstance(given, str) else None
            yield name, Value(tuple(found[1].split("."))) if found else None, given


def as_sentences(value: object) -> Sentences | None:
    """Sentences as a decorator or an inventory gives them: a text, its forms, or None.

    Raises:
        ContractError: the value is not one of these.
    """
    if value is None or isinstance(value, Sentences):
        return value
    if isinstance(value, str):
        return Sentences(value)
    raise ContractError(
        f"says is {show_value(value):.100}; give a text, like 'Delete the page {{page}}', or Sentences(…)"
    )


def as_undo(value: object) -> Undo | None:
    """The undo of a tool, or None.

    Raises:
        ContractError: the value is neither.
    """
    if value is None or isinstance(value, Undo):
        return value
    raise ContractError(f"undo is {show_value(value):.100}; give Undo('tool', {{'argument': '{{name}}'}})")


@lru_cache(maxsize=4096)
def sentences_of_name(name: str) -> Sentences:
    """The sentences of a tool that declares none: ``cms_deletePage`` deletes a page, as far as its name says."""
    words = split_name(name.rpartition(".")[2])
    verb = find_verb_of_name(words[0]) if words else None
    if verb is None and len(words) > 2 and (verb := find_verb_of_name(words[1])):
        words = words[1:]  # the first word names the application
    if verb is None:
        shown = _SPECIAL.sub(r"\g<0>\g<0>", name)
        return Sentences(*(f"{form} {shown}".strip() for form in ("Use", "Using", "Used")))
    rest = " ".join(words[1:])
    return Sentences(*(f"{form} {rest}".rstrip() for form in verb.capitalize()))


def decapitalize(text: str) -> str:
    """Text that continues a sentence. A word in capitals, such as an acronym, keeps them."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


@lru_cache(maxsize=4096)
def parse_template(text: str) -> Template:
    """The parts of a sentence.

    Raises:
        ContractError: a bracket or a brace is not closed, or a name is not a name.
    """
    outer, inner = list[str | Value | Optional](), list[str | Value]()
    is_inside, at = False, 0
    for found in _TOKEN.finditer(text):
        mark, parts = found[0], inner if is_inside else outer
        if found.start() > at:
            parts.append(text[at : found.start()])
        at = found.end()
        if mark in ("{{", "}}", "[[", "]]"):
            parts.append(mark[0])
        elif match := _WHOLE.fullmatch(mark):
            parts.append(Value(tuple(match[1].split("."))))
        elif mark == "[" and not is_inside:
            is_inside = True
        elif mark == "]" and is_inside:
            outer.append(Optional(tuple(inner)))
            inner, is_inside = [], False
        else:
            mend = f"write a value as {{name}}, or {mark[0] * 2} for the character"
            raise ContractError(f"says {show_value(text)}: {mark!r} does not fit; {mend}")
    if is_inside:
        raise ContractError(
            f"says {show_value(text)}: '[' is not closed; write ']' after the part that may be left out"
        )
    return (*outer, text[at:]) if text[at:] else tuple(outer)


def values_of(template: Template) -> Iterator[tuple[Value, bool]]:
    """The values of a sentence, and whether it needs each."""
    for part in template:
        if isinstance(part, Value):
            yield part, True
        elif isinstance(part, Optional):
            yield from ((each, False) for each in part.parts if isinstance(each, Value))


_TENSES: Final = re.compile(r"([^\s|{}\[\]]+)\|([^\s|{}\[\]]+)\|([^\s|{}\[\]]+)")
_TOKEN: Final = re.compile(r"\{\{|\}\}|\[\[|\]\]|\{[^{}]*\}|[\[\]{}]")
_WHOLE: Final = re.compile(r"\{([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\}")
_SPECIAL: Final = re.compile(r"[\[\]{}]")
