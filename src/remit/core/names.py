"""Rules for names and for displaying external text, so that no part is hidden or misleading."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from remit.core.checks import check_name, check_text
from remit.errors import RemitError, SetupError

MAX_NAME_CHARS: Final = 200

_FILLERS: Final = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
"""Letters and marks that are invisible."""

_HIDDEN: Final = re.compile(f"[{_FILLERS}]")
_EMOJI_STYLE: Final = frozenset("\ufe0e\ufe0f")
_LOOK_ALIKES: Final = re.compile(
    "[\u2024\u2044\u2215\u2216\u2571\u2572\u27cb\u27cd\u29f5\u29f8\u29f9\ufe52\ufe68\uff0e\uff0f\uff3c]"
)
"""Characters that look like a dot, a slash or a backslash."""

_MAX_MARKS: Final = 4
"""The maximum number of combining marks on a letter; no language needs more."""

_DEVICES: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def show_hidden(text: str, allowed: str = "\n") -> str:
    """Replace each character that does not print as itself by its JSON escape, except those ``allowed``.

    Escaped are control, direction and format characters, fillers, and stacked combining marks.
    """
    if text.isascii() and text.isprintable():
        return text
    hidden = set(_find_hidden(text, allowed))
    return "".join(json.dumps(each)[1:-1] if at in hidden else each for at, each in enumerate(text)) if hidden else text


def check_shown(what: str, value: object, error: type[RemitError] = SetupError, max_chars: int = MAX_NAME_CHARS) -> str:
    """Return a name in Unicode's composed form. Refuse it if it is too long or not what it looks like.

    Raises:
        SetupError: or ``error``; names the argument and the character.
    """
    check_text(what, value, error)
    name = unicodedata.normalize("NFC", str(value))
    if len(name) > max_chars:
        raise error(f"{what} has {len(name):,} characters; give at most {max_chars:,}")
    if name.isascii() and name.isprintable():
        return name
    look_alike = _LOOK_ALIKES.search(name)
    found = look_alike[0] if look_alike else next((name[at] for at in _find_hidden(name, None)), "")
    if found:
        raise error(f"{what} is {value!a}, in which {_describe(found)}; leave it out")
    return name


def check_title(what: str, value: object) -> str:
    """Refuse an application's name if it is empty, could be a path, or contains hidden characters.

    Raises:
        SetupError: names the argument.
    """
    check_name(what, value)
    name = check_shown(what, value)
    if name != name.strip() or {"/", "\\"} & {*name} or name in {".", ".."}:
        raise SetupError(f"{what} is {name!r}; give a name without slashes and without spaces around it, such as shop")
    return name


def as_normalized(what: str, value: object, error: type[RemitError] = SetupError) -> str:
    """Strip a name and convert it to Unicode's form NFKC, so that equivalent spellings become one name.

    Raises:
        SetupError: or ``error``; names the argument.
    """
    check_text(what, value, error)
    return check_shown(what, unicodedata.normalize("NFKC", str(value)).strip(), error)


_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "COPTIC", "CHEROKEE", "LISU")
"""Scripts whose letters look like letters of another script."""


def as_person_name(what: str, value: object, error: type[RemitError] = SetupError) -> str:
    """Convert the name of a person or service to its normal form, so that no two names look alike.

    Raises:
        SetupError: or ``error``; it is empty, contains invisible characters, or mixes scripts that look alike.
    """
    name = as_normalized(what, value, error)
    check_name(what, name, error)
    if scripts := find_mixed_scripts(name):
        raise error(
            f"{what} is {value!a}, which mixes {scripts} letters; give a name that cannot be mistaken for another"
        )
    return name


def find_mixed_scripts(name: str) -> str:
    """Name the look-alike scripts that a name mixes; empty if it mixes none."""
    if name.isascii():
        return ""
    scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in name}.intersection(_SCRIPTS)
    return " and ".join(sorted(scripts)) if len(scripts) > 1 else ""


def check_file_name(name: str) -> str:
    """Return a file name. Refuse it if it hides the file, leads to another folder or is not what it looks like.

    Raises:
        ValueError: says what is wrong with it.
    """
    if name.startswith(".") or name.endswith((".", " ")) or _DEVICES.fullmatch(name):
        raise ValueError(f"{name!a} is not a portable file name; give one like menu-3-4.png")
    for at in _find_hidden(name, None):
        raise ValueError(f"{name!a} is not a file name: {_describe(name[at])}; leave it out")
    if found := _LOOK_ALIKES.search(name):
        raise ValueError(f"{name!a} is not a file name: {_describe(found[0])}; leave it out")
    return name


def _describe(character: str) -> str:
    kind = "looks like another character" if _LOOK_ALIKES.match(character) else "cannot be seen as itself"
    return f"U+{ord(character):04X} {kind}"


def _find_hidden(text: str, allowed: str | None) -> Iterator[int]:
    """Find the characters that do not print as themselves; emoji styling counts as hidden if ``allowed`` is None."""
    marks = 0
    for at, each in enumerate(text):
        if each.isascii() and each.isprintable():
            marks = 0
            continue
        is_mark = unicodedata.category(each) in ("Mn", "Me")
        marks = marks + 1 if is_mark else 0
        if allowed and each in allowed:
            continue
        styles_emoji = allowed is not None and each in _EMOJI_STYLE and marks == 1 and at > 0
        if not each.isprintable() or (_HIDDEN.match(each) and not styles_emoji) or marks > _MAX_MARKS:
            yield at
